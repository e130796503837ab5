"""What is looked after by the clock: of every object of a version in force, when its data must come next, and when its
files are looked at though no event told of them.

A version gets its appointments when somebody first looks for what is due: by then it is in force."""

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
# Names of no deadline: those are told by a time, a word of the standard or an id.
SWEEP, MADE = "*sweep", "*made"
WHY = "nothing told of it for {}"
AT_A_TIME = 100


def waiting(session: Session, *, now: datetime) -> bool:
    """Whether something is due, or a version in force has no appointments yet."""
    return any(session.exec(query.limit(1)).first() is not None for query in (_due(now), _without()))


def keep(session: Session, *, now: datetime, ids: Ids) -> int:
    """Makes appointments of versions that came into force, and tasks of what is due; how many of both there were.

    Any number of workers may ask at once: what one of them has, others leave."""
    versions = session.exec(_mine(_without())).all()
    for version in versions:
        _appoint(session, version, now)
    session.flush()
    found = session.exec(_mine(_due(now))).all()
    for each in found:
        _hold(session, each, now, ids)
    return len(versions) + len(found)


def _mine(query: SelectOfScalar[Any]) -> SelectOfScalar[Any]:
    return query.limit(AT_A_TIME).with_for_update(skip_locked=True)


def _due(now: datetime) -> SelectOfScalar[ScheduleEntryRow]:
    row, version = ScheduleEntryRow, ContractVersionRow
    in_force = select(version.id).where(col(version.state).in_(IN_FORCE))
    return select(row).where(col(row.due_at) <= now, col(row.version_id).in_(in_force)).order_by(col(row.due_at))


def _without() -> SelectOfScalar[ContractVersionRow]:
    row, mark = ContractVersionRow, ScheduleEntryRow
    made = select(mark.name).where(col(mark.version_id) == col(row.id), mark.object == "", mark.name == MADE)
    return select(row).where(col(row.state).in_(IN_FORCE), ~made.exists()).order_by(col(row.id))


def _appoint(session: Session, version: ContractVersionRow, now: datetime) -> None:
    session.add(ScheduleEntryRow(version_id=version.id, object="", name=MADE))
    contract = read(version.body)
    found = promises(contract)
    for fault in found.faults:
        log.warning("version %s of %s: %s", version.version, version.contract_id, fault)
    session.add_all(_sweeps(session, version, contract, now))
    session.add_all(_first(session, version, each, now) for each in found.watched)


def _sweeps(
    session: Session, version: ContractVersionRow, contract: Contract, now: datetime
) -> Iterator[ScheduleEntryRow]:
    every = _every(contract)
    for each in contract.objects if every else ():
        dataset = contract_datasets.dataset_of(session, contract.id, each.name)
        last = dataset.last_scanned_at if dataset and dataset.last_scanned_at else now
        yield ScheduleEntryRow(version_id=version.id, object=each.name, name=SWEEP, due_at=last + every)


def _first(session: Session, version: ContractVersionRow, promised: ParsedDeadline, now: datetime) -> ScheduleEntryRow:
    """The first of a promise; what an earlier version of the contract waits for is waited for on."""
    dataset = contract_datasets.dataset_of(session, version.contract_id, promised.object)
    due = promised.rhythm.following(now, dataset.last_arrival_at if dataset else None)
    missed = _missed(session, version, promised)
    waits = missed is not None and not promised.rhythm.goes_on
    return ScheduleEntryRow(
        version_id=version.id,
        object=promised.object,
        name=promised.name,
        due_at=None if waits else due,
        missed_at=missed,
    )


def _missed(session: Session, version: ContractVersionRow, promised: ParsedDeadline) -> datetime | None:
    row, other = ScheduleEntryRow, ContractVersionRow
    same = select(other.id).where(other.contract_id == version.contract_id, other.group == version.group)
    named = row.object == promised.object, row.name == promised.name, col(row.missed_at).is_not(None)
    earlier = session.exec(select(row).where(*named, col(row.version_id).in_(same)).with_for_update()).all()
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
    promised = promises(contract).of(each.object, each.name)
    each.due_at = _next(session, each, promised, dataset, now, ids) if promised and each.due_at else None


def _next(
    session: Session,
    each: ScheduleEntryRow,
    promised: ParsedDeadline,
    dataset: DatasetRow | None,
    now: datetime,
    ids: Ids,
) -> datetime | None:
    """Has what passed judged; when the next time is, None: once data come."""
    arrived, rhythm = dataset.last_arrival_at if dataset else None, promised.rhythm
    passed = rhythm.passed(now, arrived, each.due_at or now)
    if passed is not None:
        _judge(session, each, passed, now, ids)
    return rhythm.following(now, arrived) if passed is None or rhythm.goes_on else None


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
    """Has the files looked at, unless somebody did within the time. Of it and of triggers comes one task."""
    every = _every(contract)
    seen = dataset.last_scanned_at if dataset else None
    if seen is not None and seen + every > now:
        each.due_at = seen + every
        return
    subject = ValidationRequest(
        contract_id=contract.id,
        object=each.object,
        cause=f"sweep/{now.isoformat()}",
        extra={"why": WHY.format(duration_text(every))},
        priority=Priority.SWEEP,
    )
    if dataset is not None:
        coalescing.record_trigger(session, subject, now=now, task_id=ids())
    each.due_at = now + every


def _every(contract: Contract) -> timedelta:
    return timedelta(hours=contract.terms.lineage.sweep)
