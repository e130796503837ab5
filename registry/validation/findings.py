"""Store the findings of a validation in one transaction: states, runs, results and their effects."""

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
NOTHING_CHANGED = "no changes"


@dataclass(frozen=True, kw_only=True)
class ValidationFinding:
    """Results of a validation, one per target with something new.

    `covered_targets`: other targets whose triggers are settled. `measured`: None means no data was read. `vanished`:
    partitions that no longer exist. `scan_started_at`: start of the scan. `samples_expire_at`: end of the samples'
    retention; None stores none. `give_up_reason`: why the validation was given up; None means it was completed."""

    results: tuple[EvaluationResult, ...]
    covered_targets: tuple[ValidationTarget, ...] = ()
    measured: MeasureResult | None = None
    vanished: tuple[str, ...] = ()
    scan_started_at: datetime | None = None
    samples_expire_at: datetime | None = None
    give_up_reason: str | None = None


def unevaluated(order: ValidationPlan, reason: str, *, started: datetime, finished: datetime) -> ValidationFinding:
    """Return a finding in which none of the task's checks was evaluated.

    `reason`: shown as the reason of each check."""
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
    """Store states, runs, results, measurements and lineage events; return the task's result.

    Raises StateConflict if another validation of the same data was stored first; this one must then be repeated."""
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
        presence.returned(session, dataset, found_at=finding.scan_started_at, task_id=order.task_id, now=now, ids=ids)
    for each, run in done:
        if run is not None:
            openlineage_emitter.note(session, each, run, emitter, broke=finding.give_up_reason, now=now)
    # Sorted by name, the order in which event processing locks the same rows.
    for other in sorted(finding.covered_targets, key=lambda promise: promise.contract_object):
        coalescing.cover(session, *other.contract_object, other.covered_sequence)
    return _task_result(session, order, done)


def arrival_time(session: Session, order: ValidationPlan, finding: ValidationFinding) -> datetime | None:
    """Return the arrival time of the data found; None if nothing new was found.

    It is the time of the last reported write since the previous scan, else the start of this scan. Call this before
    the finding is stored."""
    measured, scan_started = finding.measured, finding.scan_started_at
    if (
        measured is None
        or scan_started is None
        or not measured.fingerprints.items() - order.stored_fingerprints.items()
    ):
        return None
    dataset = session.get_one(DatasetRow, order.dataset_id)
    written, scanned = dataset.last_written_at, dataset.last_scanned_at
    if written is None or (scanned is not None and written <= scanned):
        return scan_started
    return min(written, scan_started)


def _origin(session: Session, order: ValidationPlan, measured: MeasureResult | None, version: int) -> RunProvenance:
    """Return the provenance of the runs: dataset, detection method and version read."""
    if measured is None:
        return RunProvenance(
            dataset_id=order.dataset_id,
            task_id=order.task_id,
            lineage_run_id=order.lineage_run_id,
            dataset_fingerprint=None,
            states_version=None,
        )
    dataset_fingerprint = fingerprint(state_store.stored_fingerprints(session, order.dataset_id))
    provenance = RunProvenance(
        dataset_id=order.dataset_id,
        task_id=order.task_id,
        lineage_run_id=order.lineage_run_id,
        dataset_fingerprint=dataset_fingerprint,
        states_version=version,
    )
    return replace(provenance, detection_method=measured.method, version=measured.version)


def _record(
    session: Session, result: EvaluationResult, *, origin: RunProvenance, until: datetime, now: datetime, ids: Ids
) -> RunRow:
    provenance = replace(
        origin, reason=result.reason, subscription_id=result.target.subscription_id, cause=result.cause
    )
    if not result.evaluated:
        provenance = replace(provenance, dataset_fingerprint=None, states_version=None)
    run = recording.record(session, ids(), result.result, provenance, now=now)
    run.superseded_reason = suspect_partitions.superseded(session, provenance.lineage_run_id)
    samples.keep(session, run.id, result.result.samples, until=until, now=now)
    lifecycle.apply_run(session, run, result.result, now=now, ids=ids)
    return run


def _store_other(
    session: Session, result: EvaluationResult, record: Callable[[EvaluationResult], RunRow]
) -> RunRow | None:
    """Store the run of another target; None if that fails, which is logged."""
    try:
        with session.begin_nested():
            return record(result)
    except StatementError:
        log.exception("the run of another contract or consumer of the dataset could not be stored")
        return None


def _task_result(
    session: Session, order: ValidationPlan, done: list[tuple[EvaluationResult, RunRow | None]]
) -> dict[str, Any]:
    """Return the task's result for display: its own run and those of other contracts."""
    summary = _covered(session, order)
    other_runs = []
    for result, run in done:
        if run is not None and result.target is order.primary:
            summary = {"run_id": str(run.id), "verdict": run.verdict.value, "partitions": len(run.partitions)}
        elif run is not None and run.subscription_id is None:
            other_runs.append({"run_id": str(run.id), "contract": run.contract_id, "verdict": run.verdict.value})
    return {**summary, "also": other_runs} if other_runs else summary


def _covered(session: Session, order: ValidationPlan) -> dict[str, Any]:
    """Return the result of a task without a new run; names the run that evaluated the same data."""
    run_key = recording.RunSeriesKey(*order.primary.contract_object, order.primary.contract.fingerprint)
    run = recording.last(session, run_key, order.dataset_id) if order.lineage_run_id else None
    return {"note": NOTHING_CHANGED, **({"covered_by": str(run.id)} if run else {})}


def _claim(session: Session, order: ValidationPlan) -> DatasetRow:
    """Lock all rows written here, and check that the plan's stored states are current.

    Locks in the order of event processing: the dataset, its missed deadlines, the pending validations of its
    contracts' objects; incidents last. Raises StateConflict."""
    dataset = session.get_one(DatasetRow, order.dataset_id, with_for_update=UNKEYED, populate_existing=True)
    deadlines.hold(session, dataset)
    coalescing.hold(session, (each.contract_object for each in order.promises))
    stored = (
        state_store.stored_fingerprints(session, order.dataset_id),
        state_store.merged_names(session, order.dataset_id),
    )
    if stored != (order.stored_fingerprints, order.merged):
        raise state_store.StateConflict
    return dataset
