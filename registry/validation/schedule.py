"""Schedule deadlines and sweeps for every object of a version in force.

A sweep scans the files although no lineage event reported a write. A version gets its schedule entries when a worker
first checks for due ones after activation."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, select
from sqlmodel.sql.expression import SelectOfScalar

from treaty.contracts.document.deadlines import ParsedDeadline, duration_text, promises
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.registry.core.enums import TaskKind
from treaty.registry.core.ids import Ids
from treaty.registry.core.state_machines import IN_FORCE
from treaty.registry.datasets import contract_datasets
from treaty.registry.queue import coalescing, task_queue
from treaty.registry.queue.coalescing import ValidationRequest
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import ContractVersionRow, DatasetRow, ScheduleEntryRow

log = logging.getLogger("treaty.worker")
# Cannot collide with deadline names, which are times, ODCS service-level properties or ids.
SWEEP, STORED = "*sweep", "*made"
WHY = "not scanned for {}"
AT_A_TIME = 100


def waiting(session: Session, *, now: datetime) -> bool:
    """Return whether an entry is due, or a version in force has no entries yet."""
    return any(session.exec(query.limit(1)).first() is not None for query in (_due(now), _without()))


def keep(session: Session, *, now: datetime, ids: Ids) -> int:
    """Create entries for new versions in force and enqueue tasks for due entries; return the count.

    Safe to run in several workers at once: rows locked by one are skipped by the others."""
    versions = session.exec(_mine(_without())).all()
    for version in versions:
        _appoint(session, version, now)
    session.flush()
    due_entries = session.exec(_mine(_due(now))).all()
    for each in due_entries:
        _hold(session, each, now, ids)
    return len(versions) + len(due_entries)


def _mine(query: SelectOfScalar[Any]) -> SelectOfScalar[Any]:
    return query.limit(AT_A_TIME).with_for_update(skip_locked=True)


def _due(now: datetime) -> SelectOfScalar[ScheduleEntryRow]:
    row, version = ScheduleEntryRow, ContractVersionRow
    in_force = select(version.id).where(col(version.state).in_(IN_FORCE))
    return select(row).where(col(row.due_at) <= now, col(row.version_id).in_(in_force)).order_by(col(row.due_at))


def _without() -> SelectOfScalar[ContractVersionRow]:
    row, entry = ContractVersionRow, ScheduleEntryRow
    scheduled = select(entry.name).where(col(entry.version_id) == col(row.id), entry.object == "", entry.name == STORED)
    return select(row).where(col(row.state).in_(IN_FORCE), ~scheduled.exists()).order_by(col(row.id))


def _appoint(session: Session, version: ContractVersionRow, now: datetime) -> None:
    session.add(ScheduleEntryRow(version_id=version.id, object="", name=STORED))
    contract = read(version.body)
    parsed = promises(contract)
    for fault in parsed.faults:
        log.warning("version %s of %s: %s", version.version, version.contract_id, fault)
    session.add_all(_sweeps(session, version, contract, now))
    session.add_all(_first(session, version, each, now) for each in parsed.watched)


def _sweeps(
    session: Session, version: ContractVersionRow, contract: Contract, now: datetime
) -> Iterator[ScheduleEntryRow]:
    interval = _every(contract)
    for each in contract.objects if interval else ():
        dataset = contract_datasets.dataset_of(session, contract.id, each.name)
        last = dataset.last_scanned_at if dataset and dataset.last_scanned_at else now
        yield ScheduleEntryRow(version_id=version.id, object=each.name, name=SWEEP, due_at=last + interval)


def _first(session: Session, version: ContractVersionRow, promised: ParsedDeadline, now: datetime) -> ScheduleEntryRow:
    """Return the first entry of a deadline; a deadline missed under an earlier version stays missed."""
    dataset = contract_datasets.dataset_of(session, version.contract_id, promised.object)
    due = promised.rhythm.following(now, dataset.last_arrival_at if dataset else None)
    missed = _missed(session, version, promised)
    waits_for_arrival = missed is not None and not promised.rhythm.goes_on
    return ScheduleEntryRow(
        version_id=version.id,
        object=promised.object,
        name=promised.name,
        due_at=None if waits_for_arrival else due,
        missed_at=missed,
    )


def _missed(session: Session, version: ContractVersionRow, promised: ParsedDeadline) -> datetime | None:
    row, other = ScheduleEntryRow, ContractVersionRow
    versions = select(other.id).where(other.contract_id == version.contract_id, other.group == version.group)
    conditions = row.object == promised.object, row.name == promised.name, col(row.missed_at).is_not(None)
    earlier = session.exec(select(row).where(*conditions, col(row.version_id).in_(versions)).with_for_update()).all()
    times = [each.missed_at for each in earlier if each.missed_at]
    for each in earlier:
        each.missed_at = None
    return max(times, default=None)


def _hold(session: Session, each: ScheduleEntryRow, now: datetime, ids: Ids) -> None:
    version = session.get_one(ContractVersionRow, each.version_id)
    contract = read(version.body)
    dataset = contract_datasets.dataset_of(session, contract.id, each.object)
    if each.name == SWEEP:
        _sweep(session, each, contract, dataset, now, ids)
        return
    deadline = promises(contract).of(each.object, each.name)
    each.due_at = _next(session, each, deadline, dataset, now, ids) if deadline and each.due_at else None


def _next(
    session: Session,
    each: ScheduleEntryRow,
    promised: ParsedDeadline,
    dataset: DatasetRow | None,
    now: datetime,
    ids: Ids,
) -> datetime | None:
    """Enqueue the evaluation of a passed deadline and return the next one.

    None means the next deadline depends on the next arrival."""
    arrived, rhythm = dataset.last_arrival_at if dataset else None, promised.rhythm
    passed_due = rhythm.passed(now, arrived, each.due_at or now)
    if passed_due is not None:
        _judge(session, each, passed_due, now, ids)
    return rhythm.following(now, arrived) if passed_due is None or rhythm.goes_on else None


def _judge(session: Session, each: ScheduleEntryRow, due: datetime, now: datetime, ids: Ids) -> None:
    version = session.get_one(ContractVersionRow, each.version_id)
    payload = {
        "contract_id": version.contract_id, "object": each.object, "version_id": str(version.id),
        "version": version.version, "name": each.name, "due": due.isoformat(),
    }  # fmt: skip
    key = f"{TaskKind.DEADLINE}/{version.id}/{each.object}/{each.name}/{due.isoformat()}"
    task_queue.enqueue(
        session, kind=TaskKind.DEADLINE, payload=payload, key=key, now=now, task_id=ids(), priority=Priority.BLOCKING
    )  # fmt: skip


def _sweep(
    session: Session, each: ScheduleEntryRow, contract: Contract, dataset: DatasetRow | None, now: datetime, ids: Ids
) -> None:
    """Enqueue a sweep unless the files were scanned within the interval.

    Coalesced with triggers: both result in one task."""
    interval = _every(contract)
    scanned_at = dataset.last_scanned_at if dataset else None
    if scanned_at is not None and scanned_at + interval > now:
        each.due_at = scanned_at + interval
        return
    subject = ValidationRequest(
        contract_id=contract.id,
        object=each.object,
        cause=f"sweep/{now.isoformat()}",
        extra={"why": WHY.format(duration_text(interval))},
        priority=Priority.SWEEP,
    )
    if dataset is not None:
        coalescing.record_trigger(session, subject, now=now, task_id=ids())
    each.due_at = now + interval


def _every(contract: Contract) -> timedelta:
    return timedelta(hours=contract.terms.lineage.sweep)
