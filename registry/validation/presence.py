"""Report missing datasets: a job that drops or renames one fails its contracts until it is read again.

Presence has runs of its own, of cause `presence` and without a dataset, so that readiness queries return the run
that evaluated the data."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.document.model import Contract
from treaty.engine.core.results import CheckResult, Outcome, RunResult, Verdict
from treaty.registry.contracts import in_force
from treaty.registry.core.enums import RunKind
from treaty.registry.core.ids import Ids
from treaty.registry.datasets import contract_datasets
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.incidents import lifecycle
from treaty.registry.measurements.runs import recording
from treaty.registry.measurements.runs.recording import RunProvenance
from treaty.registry.tables import DatasetRow, RunRow

PROMISE = "the dataset exists"
GONE = "a job dropped or renamed the dataset"
BACK = "the dataset was read again"


def notice(session: Session, *, now: datetime, ids: Ids) -> list[RunRow]:
    """Store a failed run for each contract object whose dataset is gone, and update incidents.

    Once per removal, and only for contracts in force. Returns the new runs."""
    gone = select(DatasetRow).where(col(DatasetRow.dropped_at).is_not(None)).order_by(col(DatasetRow.id))
    pairs = [
        (each, about) for each in session.exec(gone).all() for about in contract_datasets.objects_of(session, each.id)
    ]
    runs = [_record_missing(session, each, about, now, ids) for each, about in pairs]
    return [each for each in runs if each is not None]


def _record_missing(
    session: Session, dataset: DatasetRow, about: ContractObject, now: datetime, ids: Ids
) -> RunRow | None:
    at = dataset.dropped_at or now
    existing = session.exec(_missed(about).where(col(RunRow.started_at) >= at).limit(1)).first()
    contract = None if existing else next(iter(in_force.versions(session, about.contract_id)), None)
    if contract is None or (dataset.last_written_at is not None and dataset.last_written_at > at):
        return None
    result = _run(contract, about, Outcome.FAILED, GONE, at=at, now=now)
    return _record(session, result, RunProvenance(reason=GONE, cause=RunKind.PRESENCE), now=now, ids=ids)


def returned(
    session: Session, dataset: DatasetRow, *, found_at: datetime, task_id: UUID | None, now: datetime, ids: Ids
) -> list[RunRow]:  # fmt: skip
    """Store a passed run for each contract object whose missing dataset was read again.

    `found_at`: start of that scan; a scan that began before the removal is ignored. Returns the new runs."""
    if dataset.dropped_at is None or dataset.dropped_at >= found_at:
        return []
    dataset.dropped_at = None
    runs = [_back(session, about, task_id, now, ids) for about in _gone(session, dataset.id)]
    return [each for each in runs if each is not None]


def _gone(session: Session, dataset_id: UUID) -> list[ContractObject]:
    """Return the contract objects with a failed presence run of the dataset."""
    return [
        each
        for each in contract_datasets.objects_of(session, dataset_id)
        if session.exec(_missed(each).limit(1)).first()
    ]


def _missed(about: ContractObject) -> Any:
    conditions = RunRow.contract_id == about.contract_id, RunRow.object == about.object, RunRow.kind == RunKind.PRESENCE
    return select(RunRow).where(*conditions, RunRow.verdict == Verdict.FAILED, col(RunRow.superseded_reason).is_(None))


def _back(session: Session, about: ContractObject, task_id: UUID | None, now: datetime, ids: Ids) -> RunRow | None:
    for each in session.exec(_missed(about)).all():
        each.superseded_reason = BACK
    contract = next(iter(in_force.versions(session, about.contract_id)), None)
    if contract is None:
        return None
    origin = RunProvenance(task_id=task_id, reason=BACK, cause=RunKind.PRESENCE)
    result = _run(contract, about, Outcome.PASSED, BACK, at=now, now=now)
    return _record(session, result, origin, now=now, ids=ids)


def _run(
    contract: Contract, about: ContractObject, outcome: Outcome, why: str, *, at: datetime, now: datetime
) -> RunResult:
    check_result = CheckResult(
        check_id="presence",
        name=PROMISE,
        outcome=outcome,
        severity="error",
        scope="dataset",
        partition=None,
        sentence=PROMISE,
        dimension="completeness",
        finding=why,
    )
    return RunResult(
        contract_id=contract.id,
        contract_version=contract.version,
        contract_fingerprint=contract.fingerprint,
        object=about.object,
        partitions=(),
        rows=None,
        started_at=at,
        finished_at=now,
        results=(check_result,),
        measurements=(),
    )


def _record(session: Session, result: RunResult, origin: RunProvenance, *, now: datetime, ids: Ids) -> RunRow:
    run = recording.record(session, ids(), result, origin, now=now)
    lifecycle.apply_run(session, run, result, now=now, ids=ids)
    return run
