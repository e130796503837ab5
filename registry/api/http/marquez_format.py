"""The lineage graph and what is kept of runs, in the form that Marquez's clients read."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from sqlalchemy import ColumnElement, func
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from treaty.registry.datasets.names import LineageName, normalise, table_name
from treaty.registry.lineage.downstream import impact
from treaty.registry.lineage.events.run_state import FoldedRun
from treaty.registry.lineage.graph.traversal import GraphJob, Subgraph, portions
from treaty.registry.tables import LineageRunRow, RunRow

DATASET: Final = "DATASET"
JOB: Final = "JOB"
TYPE = "DB_TABLE"


@dataclass(frozen=True, kw_only=True)
class MarquezNode:
    """A node of the graph, with the ids of those before and behind it."""

    id: str
    type: Literal["DATASET", "JOB"]
    data: dict[str, Any]
    before: tuple[str, ...]
    downstream: tuple[str, ...]


def id_of(kind: str, name: LineageName) -> str:
    """The id of a node."""
    return f"{kind.lower()}:{name.namespace}:{name.name}"


def graph(session: Session, walked: Subgraph, contracts: ColumnElement[bool]) -> Iterator[MarquezNode]:
    """The nodes: jobs with their latest runs, datasets with their contracts and last verdicts, as far as the condition
    on contracts says that they may be seen."""
    told = verdicts(session, walked.names, contracts)
    runs = _runs(session, walked.jobs)
    for job in walked.jobs:
        read, written = ([id_of(DATASET, each) for each in ends] for ends in (job.inputs, job.outputs))
        yield MarquezNode(
            id=id_of(JOB, job.name),
            type=JOB,
            data=_job(job, runs.get(job.name)),
            before=tuple(read),
            downstream=tuple(written),
        )
    writers, readers = _ends(walked.jobs)
    for name, group in sorted(walked.names.items()):
        data = {**dataset(name, group), "contracts": told.get(name, [])}
        yield MarquezNode(
            id=id_of(DATASET, name),
            type=DATASET,
            data=data,
            before=tuple(writers.get(name, ())),
            downstream=tuple(readers.get(name, ())),
        )


def dataset(name: LineageName, group: Collection[LineageName] = ()) -> dict[str, Any]:
    """A dataset by its name in the graph. `aliases`: its other names."""
    return {
        "id": _identity(name),
        "type": TYPE,
        "name": name.name,
        "physicalName": name.name,
        "namespace": name.namespace,
        "sourceName": name.namespace,
        "aliases": [_identity(each) for each in sorted(group) if each != name],
    }


def version(name: LineageName, group: Collection[LineageName], row: LineageRunRow) -> dict[str, Any] | None:
    """The dataset as a run wrote it: its columns, and what else the run told of it; None where it did not write it.

    `version` is the one of its table format, where the run told one, else the run's id."""
    state = FoldedRun.model_validate(row.state)
    wrote = next((each for each in state.outputs if _is_of(each.identity, group)), None)
    if wrote is None:
        return None
    facets = {key: each.value for key, each in sorted({**wrote.facets, **wrote.own}.items())}
    change = str(wrote.facet("lifecycleStateChange").get("lifecycleStateChange") or "")
    return {
        **dataset(name),
        "version": str(wrote.facet("version").get("datasetVersion") or row.run_id),
        "createdAt": _time(row.finished_at),
        "fields": list(_fields(wrote.facet("schema").get("fields"))),
        "tags": [],
        "lifecycleState": change or None,
        "createdByRun": _run(row),
        "facets": facets,
    }


def facets(row: LineageRunRow, kind: str) -> dict[str, Any]:
    """What is kept of the facets of the run, or of those of its job."""
    state = FoldedRun.model_validate(row.state)
    told = state.job_facets if kind == "job" else state.run_facets
    return {"runId": row.run_id, "facets": {name: each.value for name, each in sorted(told.items())}}


def _is_of(name: LineageName, group: Collection[LineageName]) -> bool:
    whole = normalise(name.namespace, name.name)
    return not {name, whole, table_name(whole).dataset}.isdisjoint(group)


def _fields(told: Any) -> Iterator[dict[str, Any]]:
    for each in told if isinstance(told, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield {"name": each["name"], "type": each.get("type"), "tags": [], "description": each.get("description")}


def run(row: LineageRunRow) -> dict[str, Any]:
    """A run of a job, with what it read and wrote."""
    state = FoldedRun.model_validate(row.state)
    inputs, outputs = ([_identity(each.identity) for each in ends] for ends in (state.inputs, state.outputs))
    return {**_run(row), "inputs": inputs, "outputs": outputs}


def _run(row: LineageRunRow) -> dict[str, Any]:
    began, ended = row.started_at, row.finished_at if row.is_ended else None
    return {
        "id": row.run_id,
        "createdAt": _time(began or row.finished_at or row.updated_at),
        "updatedAt": _time(row.updated_at),
        "state": "FAILED" if row.is_failed else "COMPLETED" if row.is_ended else "RUNNING",
        "startedAt": _time(began),
        "endedAt": _time(ended),
        "durationMs": int((ended - began).total_seconds() * 1000) if began and ended else None,
        "job": {"namespace": row.job_namespace, "name": row.job_name},
    }


def verdicts(
    session: Session, groups: Mapping[LineageName, Iterable[LineageName]], contracts: ColumnElement[bool]
) -> dict[LineageName, list[dict[str, Any]]]:
    """The contracts about each dataset with the verdict of the newest run; null where there was none."""
    touched = impact.touching(session, groups, contracts)
    last = _last(session, {each.contract_id for found in touched.values() for each in found})
    return {
        name: [
            {"contract": each.contract_id, "object": each.object, "owner": each.owner}
            | {"verdict": last.get((each.contract_id, each.object))}
            for each in found
        ]
        for name, found in touched.items()
    }


def _last(session: Session, contracts: Collection[str]) -> Mapping[tuple[str, str], str]:
    """The verdict of the newest run of each object."""
    newest = func.row_number().over(
        partition_by=(col(RunRow.contract_id), col(RunRow.object)), order_by=col(RunRow.id).desc()
    )
    own = select(RunRow.contract_id, RunRow.object, RunRow.verdict, newest.label("age")).where(
        col(RunRow.subscription_id).is_(None)
    )
    found: dict[tuple[str, str], str] = {}
    for some in portions(sorted(contracts)):
        of = own.where(col(RunRow.contract_id).in_(some)).subquery()
        last = select(of.c.contract_id, of.c.object, of.c.verdict).where(of.c.age == 1)
        found.update({(contract_id, name): verdict.value for contract_id, name, verdict in session.exec(last)})
    return found


def _ends(jobs: Iterable[GraphJob]) -> tuple[dict[LineageName, list[str]], dict[LineageName, list[str]]]:
    """The jobs that write each dataset, and those that read it."""
    writers: dict[LineageName, list[str]] = {}
    readers: dict[LineageName, list[str]] = {}
    for job in jobs:
        for ends, of in ((job.outputs, writers), (job.inputs, readers)):
            for each in ends:
                of.setdefault(each, []).append(id_of(JOB, job.name))
    return writers, readers


def _runs(session: Session, jobs: Iterable[GraphJob]) -> Mapping[LineageName, LineageRunRow]:
    """The run that speaks for each job; none for those that were only declared."""
    speak = {(each.name, each.row.run_id) for each in jobs}
    found: dict[LineageName, LineageRunRow] = {}
    for some in portions(sorted({run_id for _, run_id in speak})):
        query = select(LineageRunRow).where(col(LineageRunRow.run_id).in_(some)).options(defer(LineageRunRow.state))  # type: ignore[arg-type]
        for row in session.exec(query):
            name = LineageName(row.job_namespace, row.job_name)
            if (name, row.run_id) in speak:
                found[name] = row
    return found


def _job(job: GraphJob, last: LineageRunRow | None) -> dict[str, Any]:
    return {
        "id": _identity(job.name),
        "type": "BATCH",
        "name": job.name.name,
        "simpleName": job.name.name.rpartition(".")[2],
        "namespace": job.name.namespace,
        "updatedAt": _time(job.row.run_at),
        "inputs": [_identity(each) for each in job.inputs],
        "outputs": [_identity(each) for each in job.outputs],
        "latestRun": _run(last) if last else None,
        "owners": list(job.row.owners),
        "validates": job.row.is_own,
    }


def _identity(name: LineageName) -> dict[str, str]:
    return {"namespace": name.namespace, "name": name.name}


def _time(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None
