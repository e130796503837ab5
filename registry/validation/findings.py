"""What a validation found, and how it is stored: states, runs, results and what follows of them, in one transaction."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy.exc import StatementError
from sqlmodel import Session

from treaty.contracts.fingerprint import fingerprint
from treaty.engine.protocol.requests import MeasureResult
from treaty.registry.core.database import UNKEYED
from treaty.registry.core.ids import Ids
from treaty.registry.incidents import lifecycle
from treaty.registry.lineage import suspect_partitions
from treaty.registry.measurements.runs import recording, samples
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.measurements.states import checkpoints, state_store
from treaty.registry.queue import coalescing
from treaty.registry.tables import DatasetRow, RunRow
from treaty.registry.validation import deadlines, evaluation, openlineage_emitter, presence
from treaty.registry.validation.evaluation import EvaluationResult
from treaty.registry.validation.openlineage_emitter import SILENT, Emitter
from treaty.registry.validation.plan import ValidationPlan, ValidationTarget

log = logging.getLogger("treaty.worker")
NOTHING_CHANGED = "nothing changed"


@dataclass(frozen=True, kw_only=True)
class ValidationFinding:
    """What a validation found of each promise; those with nothing new to judge are left out.

    `covered_targets`: the promises beside the task's own that were dealt with. `measured` None: no data was read.
    `scan_started_at`: when the reading began. `samples_expire_at`: how long samples are kept; None: they are not.
    `give_up_reason`: why the validation was given up; None: it was done."""

    results: tuple[EvaluationResult, ...]
    covered_targets: tuple[ValidationTarget, ...] = ()
    measured: MeasureResult | None = None
    vanished: tuple[str, ...] = ()
    scan_started_at: datetime | None = None
    samples_expire_at: datetime | None = None
    give_up_reason: str | None = None


def unevaluated(order: ValidationPlan, reason: str, *, started: datetime, finished: datetime) -> ValidationFinding:
    """The finding that no check of the task's own could be evaluated, and why."""
    return ValidationFinding(
        results=(evaluation.unevaluated_result(order.primary, reason, started=started, finished=finished),)
    )


def store(
    session: Session,
    order: ValidationPlan,
    finding: ValidationFinding,
    *,
    emitter: Emitter = SILENT,
    now: datetime,
    ids: Ids,
) -> dict[str, Any]:
    """Stores states, and of each promise its run, results and measurements, with the event that tells of it. Returns
    the task's result.

    Raises states.Overtaken: another validation of the same data came first, so this one has to be done again."""
    dataset = _claim(session, order)
    checkpoints.drop(session, order.task_id)
    version = state_store.save(session, order.dataset_id, finding.measured, vanished=finding.vanished, now=now, ids=ids)
    dataset.last_arrival_at = arrival_time(session, order, finding) or dataset.last_arrival_at
    measured = finding.measured
    if finding.scan_started_at is not None and not (measured and measured.is_outdated):
        dataset.last_scanned_at = finding.scan_started_at
        if measured is not None:
            suspect_partitions.clear(session, order.dataset_id, before=finding.scan_started_at)
    origin = _origin(session, order, measured, version)
    if measured is not None:
        dataset.read_version = str(measured.table_version) if measured.table_version else None
    record = partial(_record, session, origin=origin, until=finding.samples_expire_at or now, now=now, ids=ids)
    done = [
        (each, record(each) if each.target is order.primary else _store_other(session, each, record))
        for each in finding.results
    ]
    deadlines.arrived(session, dataset, task_id=order.task_id, emitter=emitter, now=now, ids=ids)
    if measured is not None and finding.scan_started_at is not None:
        presence.returned(session, dataset, seen=finding.scan_started_at, task_id=order.task_id, now=now, ids=ids)
    for each, run in done:
        if run is not None:
            openlineage_emitter.note(session, each, run, emitter, broke=finding.give_up_reason, now=now)
    # In the order of names: whoever folds events locks them so.
    for other in sorted(finding.covered_targets, key=lambda promise: promise.contract_object):
        coalescing.cover(session, *other.contract_object, other.covered_sequence)
    return _task_result(session, order, done)


def arrival_time(session: Session, order: ValidationPlan, finding: ValidationFinding) -> datetime | None:
    """When the data came that were found: when they were written, as far as somebody told of it since the last look,
    else when they were looked at. None where nothing new was found. To be asked before the finding is stored."""
    measured, seen = finding.measured, finding.scan_started_at
    if measured is None or seen is None or not measured.fingerprints.items() - order.stored_fingerprints.items():
        return None
    dataset = session.get_one(DatasetRow, order.dataset_id)
    written, scanned = dataset.last_written_at, dataset.last_scanned_at
    if written is None or (scanned is not None and written <= scanned):
        return seen
    return min(written, seen)


def _origin(session: Session, order: ValidationPlan, measured: MeasureResult | None, version: int) -> RunProvenance:
    """Of what data the runs are, how these were found and which version of them was read."""
    if measured is None:
        return RunProvenance(
            dataset_id=order.dataset_id,
            task_id=order.task_id,
            lineage_run_id=order.lineage_run_id,
            dataset_fingerprint=None,
            states_version=None,
        )
    marker = fingerprint(state_store.stored_fingerprints(session, order.dataset_id))
    whence = RunProvenance(
        dataset_id=order.dataset_id,
        task_id=order.task_id,
        lineage_run_id=order.lineage_run_id,
        dataset_fingerprint=marker,
        states_version=version,
    )
    return replace(whence, detection_method=measured.method, version=measured.version)


def _record(
    session: Session, found: EvaluationResult, *, origin: RunProvenance, until: datetime, now: datetime, ids: Ids
) -> RunRow:
    whose = replace(origin, reason=found.reason, subscription_id=found.target.subscription_id, cause=found.cause)
    if not found.evaluated:
        whose = replace(whose, dataset_fingerprint=None, states_version=None)
    run = recording.record(session, ids(), found.result, whose, now=now)
    run.superseded_reason = suspect_partitions.superseded(session, whose.lineage_run_id)
    samples.keep(session, run.id, found.result.samples, until=until, now=now)
    lifecycle.apply_run(session, run, found.result, now=now, ids=ids)
    return run


def _store_other(
    session: Session, found: EvaluationResult, record: Callable[[EvaluationResult], RunRow]
) -> RunRow | None:
    """The run of a promise beside the task's own; None where it cannot be stored, which stops nothing else."""
    try:
        with session.begin_nested():
            return record(found)
    except StatementError:
        log.exception("a run beside that of the task could not be stored")
        return None


def _task_result(
    session: Session, order: ValidationPlan, done: list[tuple[EvaluationResult, RunRow | None]]
) -> dict[str, Any]:
    """What people read of the task: its own run, and those of other contracts."""
    told = _covered(session, order)
    others = []
    for found, run in done:
        if run is not None and found.target is order.primary:
            told = {"run_id": str(run.id), "verdict": run.verdict.value, "partitions": len(run.partitions)}
        elif run is not None and run.subscription_id is None:
            others.append({"run_id": str(run.id), "contract": run.contract_id, "verdict": run.verdict.value})
    return {**told, "also": others} if others else told


def _covered(session: Session, order: ValidationPlan) -> dict[str, Any]:
    """What is told where nothing was judged: of a write, the run that judged the same data of the same version."""
    whose = recording.RunSeriesKey(*order.primary.contract_object, order.primary.contract.fingerprint)
    run = recording.last(session, whose, order.dataset_id) if order.lineage_run_id else None
    return {"note": NOTHING_CHANGED, **({"covered_by": str(run.id)} if run else {})}


def _claim(session: Session, order: ValidationPlan) -> DatasetRow:
    """Locks all that is written here, and makes sure that the dataset's states are still those that the judgement was
    built on.

    In the order in which whoever folds an event locks it, too: the dataset, what is waited for of it, the marks of its
    contracts' objects; incidents last."""
    dataset = session.get_one(DatasetRow, order.dataset_id, with_for_update=UNKEYED, populate_existing=True)
    deadlines.hold(session, dataset)
    coalescing.hold(session, (each.contract_object for each in order.promises))
    found = (
        state_store.stored_fingerprints(session, order.dataset_id),
        state_store.merged_names(session, order.dataset_id),
    )
    if found != (order.stored_fingerprints, order.merged):
        raise state_store.StateConflict
    return dataset
