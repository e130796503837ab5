"""Store the lineage graph: the datasets read and written by each job's representative run.

That is the last completed run; if none has completed, the last open one; else the last failed one. It depends on the
runs alone, not on the order in which their events arrive."""

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
from treaty.registry.lineage.events.model import LineageEvent, RunEvent
from treaty.registry.lineage.events.run_state import FoldedRun, state_of_event
from treaty.registry.lineage.events.triggers import OUR_NAMESPACE, OUR_PRODUCER
from treaty.registry.lineage.graph import flows
from treaty.registry.lineage.graph.flows import BEGINNING, COMPLETED, FAILED, OPEN, JobFlow, JobOutput, RunRank, rank
from treaty.registry.tables import LineageEdgeRow, LineageJobRow, LineageRunRow

NOBODY = -1


def note(session: Session, run: FoldedRun, *, ids: Ids) -> None:
    """Update the job's edges if the run represents its job now.

    A run that reports no dataset changes nothing. The run's own row must be stored before the call."""
    if not flows.tells(run):
        return
    job = _job(session, run.job_namespace, run.job_name, ids)
    current, new = RunRank(job.run_rank, job.run_at, job.run_id), rank(run)
    is_representative = job.run_rank != NOBODY and job.run_id == run.run_id
    if new >= current:
        _write(session, job, run)
    elif is_representative:
        _write(session, job, _elected(session, job, run))


def reported_state(event: LineageEvent) -> FoldedRun:
    """Return the run state that a run or job event reports; that of a job event has no run id.

    A job event ranks as a run that completed at its event time. Raises ValueError for a dataset event."""
    if event.run is not None:
        return state_of_event(event)
    run_fields = {"eventTime": event.event_time.isoformat(), "eventType": "COMPLETE", "run": {"runId": "declared"}}
    state = state_of_event(
        LineageEvent(RunEvent.model_validate({**event.document, **run_fields}), event.document, event.body)
    )
    return state.model_copy(update={"run_id": ""})


def declare(session: Session, declared: FoldedRun, *, ids: Ids) -> None:
    """Update the job's edges from the state that a job event reports."""
    job = _job(session, declared.job_namespace, declared.job_name, ids)
    previous = FoldedRun.model_validate(job.declared) if job.declared else declared
    latest = max(previous, declared, key=_age)
    job.declared = latest.model_dump(mode="json")
    note(session, latest, ids=ids)


def _age(run: FoldedRun) -> tuple[Any, bytes]:
    return run.ended or BEGINNING, canonical(run.model_dump(mode="json"))


def _job(session: Session, namespace: str, name: str, ids: Ids) -> LineageJobRow:
    """Return the job's row, created if missing, locked until the transaction ends."""
    query = select(LineageJobRow).filter_by(namespace=namespace, name=name).with_for_update()
    if row := session.exec(query.execution_options(populate_existing=True)).first():
        return row
    with suppress(IntegrityError), session.begin_nested():
        session.add(
            LineageJobRow(id=ids(), namespace=namespace, name=name, run_rank=NOBODY, run_at=BEGINNING, run_id="")
        )
    return session.exec(query.execution_options(populate_existing=True)).one()


def _elected(session: Session, job: LineageJobRow, run: FoldedRun) -> FoldedRun:
    """Return the run that represents the job after the rank of `run` has decreased."""
    rivals = [*_runs(session, job), *([(_rank_of(job.declared), job.declared)] if job.declared else [])]
    for rival, state in sorted(rivals, key=lambda each: each[0], reverse=True):
        if rival <= rank(run):
            break
        other_run = FoldedRun.model_validate(state if isinstance(state, dict) else _state(session, state))
        if flows.tells(other_run):
            return other_run
    return run


def _rank_of(declared: dict[str, Any]) -> RunRank:
    return rank(FoldedRun.model_validate(declared))


def _runs(session: Session, job: LineageJobRow) -> Iterator[tuple[RunRank, Any]]:
    """Yield the rank of each of the job's runs with the id of its row."""
    row = LineageRunRow
    columns = row.id, row.run_id, row.is_failed, row.is_ended, row.started_at, row.finished_at
    of_job = row.job_namespace == job.namespace, row.job_name == job.name
    for row_id, run_id, failed, ended, started, finished in session.exec(select(*columns).where(*of_job)):  # type: ignore[call-overload]
        run_rank = FAILED if failed else COMPLETED if ended else OPEN
        yield RunRank(run_rank, finished or started or BEGINNING, run_id), row_id


def _state(session: Session, row_id: UUID) -> Any:
    return session.exec(select(LineageRunRow.state).where(LineageRunRow.id == row_id)).one()


def _write(session: Session, job: LineageJobRow, run: FoldedRun) -> None:
    """Make the run the representative of its job. Unchanged edges are not rewritten."""
    flow = flows.flow_of_run(run)
    job.run_rank, job.run_at, job.run_id = rank(run)
    job.is_own = is_ours(run)
    job.owners = list(flows.owners(run.job_facet("ownership")))
    edges = list(_edges(job.id, flow))
    flow_hash = fingerprint([each.model_dump(mode="json", exclude={"job_id"}) for each in edges])
    if flow_hash != job.flow_hash:
        job.flow_hash = flow_hash
        session.exec(delete(LineageEdgeRow).where(col(LineageEdgeRow.job_id) == job.id))
        session.add_all(edges)
    session.flush()


def is_ours(run: FoldedRun) -> bool:
    """Return whether the run is a validation of this registry."""
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
