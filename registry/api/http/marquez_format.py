"""Present the lineage graph and stored runs in the format of Marquez."""

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
    """A node of the graph with the ids of its neighbors.

    `before`, `downstream`: ids of the preceding and the following nodes."""

    id: str
    type: Literal["DATASET", "JOB"]
    data: dict[str, Any]
    before: tuple[str, ...]
    downstream: tuple[str, ...]


def id_of(kind: str, name: LineageName) -> str:
    """Return the id of a node."""
    return f"{kind.lower()}:{name.namespace}:{name.name}"


def graph(session: Session, subgraph: Subgraph, contracts: ColumnElement[bool]) -> Iterator[MarquezNode]:
    """Yield the nodes: jobs with their latest runs, datasets with contracts and last verdicts.

    `contracts`: filter of the contracts that may be included."""
    verdicts_by_name = verdicts(session, subgraph.names, contracts)
    runs = _runs(session, subgraph.jobs)
    for job in subgraph.jobs:
        read, written = ([id_of(DATASET, each) for each in ends] for ends in (job.inputs, job.outputs))
        yield MarquezNode(
            id=id_of(JOB, job.name),
            type=JOB,
            data=_job(job, runs.get(job.name)),
            before=tuple(read),
            downstream=tuple(written),
        )
    writers, readers = _ends(subgraph.jobs)
    for name, group in sorted(subgraph.names.items()):
        data = {**dataset(name, group), "contracts": verdicts_by_name.get(name, [])}
        yield MarquezNode(
            id=id_of(DATASET, name),
            type=DATASET,
            data=data,
            before=tuple(writers.get(name, ())),
            downstream=tuple(readers.get(name, ())),
        )


def dataset(name: LineageName, group: Collection[LineageName] = ()) -> dict[str, Any]:
    """Return a dataset by its name in the graph, with its aliases."""
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
    """Return the version of the dataset that a run wrote; None if the run did not write it.

    `version` is the version of the table format if the run reported one, else the id of the run."""
    state = FoldedRun.model_validate(row.state)
    output = next((each for each in state.outputs if _is_of(each.identity, group)), None)
    if output is None:
        return None
    facets = {key: each.value for key, each in sorted({**output.facets, **output.own}.items())}
    change = str(output.facet("lifecycleStateChange").get("lifecycleStateChange") or "")
    return {
        **dataset(name),
        "version": str(output.facet("version").get("datasetVersion") or row.run_id),
        "createdAt": _time(row.finished_at),
        "fields": list(_fields(output.facet("schema").get("fields"))),
        "tags": [],
        "lifecycleState": change or None,
        "createdByRun": _run(row),
        "facets": facets,
    }


def facets(row: LineageRunRow, kind: str) -> dict[str, Any]:
    """Return the stored facets of the run, or of its job."""
    state = FoldedRun.model_validate(row.state)
    stored = state.job_facets if kind == "job" else state.run_facets
    return {"runId": row.run_id, "facets": {name: each.value for name, each in sorted(stored.items())}}


def _is_of(name: LineageName, group: Collection[LineageName]) -> bool:
    whole = normalise(name.namespace, name.name)
    return not {name, whole, table_name(whole).dataset}.isdisjoint(group)


def _fields(fields: Any) -> Iterator[dict[str, Any]]:
    for each in fields if isinstance(fields, list) else ():
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            yield {"name": each["name"], "type": each.get("type"), "tags": [], "description": each.get("description")}


def run(row: LineageRunRow) -> dict[str, Any]:
    """Return a run of a job with its inputs and outputs."""
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
    """Return the contracts of each dataset with the verdict of the newest run; null if there is none."""
    contracts_by_name = impact.touching(session, groups, contracts)
    last = _last(session, {each.contract_id for affected in contracts_by_name.values() for each in affected})
    return {
        name: [
            {"contract": each.contract_id, "object": each.object, "owner": each.owner}
            | {"verdict": last.get((each.contract_id, each.object))}
            for each in affected
        ]
        for name, affected in contracts_by_name.items()
    }


def _last(session: Session, contracts: Collection[str]) -> Mapping[tuple[str, str], str]:
    """Return the verdict of the newest run of each object."""
    newest = func.row_number().over(
        partition_by=(col(RunRow.contract_id), col(RunRow.object)), order_by=col(RunRow.id).desc()
    )
    own = select(RunRow.contract_id, RunRow.object, RunRow.verdict, newest.label("age")).where(
        col(RunRow.subscription_id).is_(None)
    )
    verdicts_by_object: dict[tuple[str, str], str] = {}
    for chunk in portions(sorted(contracts)):
        ranked = own.where(col(RunRow.contract_id).in_(chunk)).subquery()
        last = select(ranked.c.contract_id, ranked.c.object, ranked.c.verdict).where(ranked.c.age == 1)
        verdicts_by_object.update(
            {(contract_id, name): verdict.value for contract_id, name, verdict in session.exec(last)}
        )
    return verdicts_by_object


def _ends(jobs: Iterable[GraphJob]) -> tuple[dict[LineageName, list[str]], dict[LineageName, list[str]]]:
    """Return the jobs that write each dataset, and the jobs that read it."""
    writers: dict[LineageName, list[str]] = {}
    readers: dict[LineageName, list[str]] = {}
    for job in jobs:
        for ends, jobs_by_dataset in ((job.outputs, writers), (job.inputs, readers)):
            for each in ends:
                jobs_by_dataset.setdefault(each, []).append(id_of(JOB, job.name))
    return writers, readers


def _runs(session: Session, jobs: Iterable[GraphJob]) -> Mapping[LineageName, LineageRunRow]:
    """Return the representative run of each job; jobs that were only declared have none."""
    representative = {(each.name, each.row.run_id) for each in jobs}
    runs_by_job: dict[LineageName, LineageRunRow] = {}
    for part in portions(sorted({run_id for _, run_id in representative})):
        query = select(LineageRunRow).where(col(LineageRunRow.run_id).in_(part)).options(defer(LineageRunRow.state))  # type: ignore[arg-type]
        for row in session.exec(query):
            name = LineageName(row.job_namespace, row.job_name)
            if (name, row.run_id) in representative:
                runs_by_job[name] = row
    return runs_by_job


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
