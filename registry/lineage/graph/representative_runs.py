"""The lineage graph as it is kept: of each job what the run reads and writes that speaks for it.

That is the last one that completed; of a job none of whose runs did, the last that is open, then the last that failed.
Which it is follows from the runs alone, not from the order in which their events came."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple
from typing import Any
from uuid import UUID

from sqlalchemy import delete
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from treaty.contracts.fingerprint import canonical, fingerprint
from treaty.registry.core.enums import EdgeDirection
from treaty.registry.core.ids import Ids
from treaty.registry.lineage.events.model import JobEvent, LineageEvent, RunEvent
from treaty.registry.lineage.events.run_state import FoldedRun, state_of_event
from treaty.registry.lineage.events.triggers import OUR_NAMESPACE, OUR_PRODUCER
from treaty.registry.lineage.graph import flows
from treaty.registry.lineage.graph.flows import BEGINNING, COMPLETED, FAILED, OPEN, JobFlow, JobOutput, RunRank, rank
from treaty.registry.tables import LineageEdgeRow, LineageJobRow, LineageRunRow

NOBODY = -1


def note(session: Session, run: FoldedRun, *, ids: Ids) -> None:
    """Has the graph say what the run reads and writes, where it speaks for its job now. One that tells of no dataset
    changes nothing. Call it once the run's own row is as the run is handed in."""
    if not flows.tells(run):
        return
    job = _job(session, run.job_namespace, run.job_name, ids)
    held, found = RunRank(job.run_rank, job.run_at, job.run_id), rank(run)
    speaks = job.run_rank != NOBODY and job.run_id == run.run_id
    if found >= held:
        _write(session, job, run)
    elif speaks:
        _write(session, job, _elected(session, job, run))


def declare(session: Session, event: LineageEvent, *, ids: Ids) -> None:
    """Has the graph say what a job event declares: it stands as a run would that completed then. An event of another
    kind changes nothing."""
    if event.run is not None or not isinstance(event.content, JobEvent):
        return
    said = _as_run(event)
    job = _job(session, said.job_namespace, said.job_name, ids)
    before = FoldedRun.model_validate(job.declared) if job.declared else said
    latest = max(before, said, key=_age)
    job.declared = latest.model_dump(mode="json")
    note(session, latest, ids=ids)


def _as_run(event: LineageEvent) -> FoldedRun:
    """What a job event tells, as of a run without a name."""
    at = {"eventTime": event.event_time.isoformat(), "eventType": "COMPLETE", "run": {"runId": "declared"}}
    told = state_of_event(LineageEvent(RunEvent.model_validate({**event.document, **at}), event.document, event.body))
    return told.model_copy(update={"run_id": ""})


def _age(run: FoldedRun) -> tuple[Any, bytes]:
    return run.ended or BEGINNING, canonical(run.model_dump(mode="json"))


def _job(session: Session, namespace: str, name: str, ids: Ids) -> LineageJobRow:
    """The job's row, new if need be, locked until the transaction ends."""
    query = select(LineageJobRow).filter_by(namespace=namespace, name=name).with_for_update()
    if found := session.exec(query.execution_options(populate_existing=True)).first():
        return found
    with suppress(IntegrityError), session.begin_nested():
        session.add(
            LineageJobRow(id=ids(), namespace=namespace, name=name, run_rank=NOBODY, run_at=BEGINNING, run_id="")
        )
    return session.exec(query.execution_options(populate_existing=True)).one()


def _elected(session: Session, job: LineageJobRow, run: FoldedRun) -> FoldedRun:
    """Which run speaks for the job, now that `run`, which did, has come down."""
    rivals = [*_runs(session, job), *([(_rank_of(job.declared), job.declared)] if job.declared else [])]
    for found, state in sorted(rivals, key=lambda each: each[0], reverse=True):
        if found <= rank(run):
            break
        other = FoldedRun.model_validate(state if isinstance(state, dict) else _state(session, state))
        if flows.tells(other):
            return other
    return run


def _rank_of(declared: dict[str, Any]) -> RunRank:
    return rank(FoldedRun.model_validate(declared))


def _runs(session: Session, job: LineageJobRow) -> Iterator[tuple[RunRank, Any]]:
    """The job's runs: their ranks, and the ids of their rows."""
    row = LineageRunRow
    columns = row.id, row.run_id, row.is_failed, row.is_ended, row.started_at, row.finished_at
    mine = row.job_namespace == job.namespace, row.job_name == job.name
    for row_id, run_id, failed, ended, started, finished in session.exec(select(*columns).where(*mine)):  # type: ignore[call-overload]
        grade = FAILED if failed else COMPLETED if ended else OPEN
        yield RunRank(grade, finished or started or BEGINNING, run_id), row_id


def _state(session: Session, row_id: UUID) -> Any:
    return session.exec(select(LineageRunRow.state).where(LineageRunRow.id == row_id)).one()


def _write(session: Session, job: LineageJobRow, run: FoldedRun) -> None:
    """Has the run speak for the job. Edges that stay as they are, are not written again."""
    flow = flows.flow_of_run(run)
    job.run_rank, job.run_at, job.run_id = rank(run)
    job.is_own = is_ours(run)
    job.owners = list(flows.owners(run.job_facet("ownership")))
    edges = list(_edges(job.id, flow))
    mark = fingerprint([each.model_dump(mode="json", exclude={"job_id"}) for each in edges])
    if mark != job.flow_hash:
        job.flow_hash = mark
        session.exec(delete(LineageEdgeRow).where(col(LineageEdgeRow.job_id) == job.id))
        session.add_all(edges)
    session.flush()


def is_ours(run: FoldedRun) -> bool:
    """Whether the run is a validation of this registry."""
    return run.job_namespace == OUR_NAMESPACE or any(each.startswith(OUR_PRODUCER) for each in run.producers)


def _edges(job_id: UUID, flow: JobFlow) -> Iterator[LineageEdgeRow]:
    for each in sorted(flow.inputs):
        yield LineageEdgeRow(job_id=job_id, direction=EdgeDirection.INPUT, namespace=each.namespace, name=each.name)
    for output in flow.outputs:
        yield LineageEdgeRow(
            job_id=job_id,
            direction=EdgeDirection.OUTPUT,
            namespace=output.name.namespace,
            name=output.name.name,
            feeds=[[each.column, *astuple(each.source), each.of, each.direct] for each in output.feeds],
            sources=_source_names(output),
            owners=list(output.owners),
        )


def _source_names(output: JobOutput) -> list[list[str]] | None:
    return None if output.sources is None else [[each.namespace, each.name] for each in sorted(output.sources)]
