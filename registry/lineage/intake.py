"""From the inbox to the queue: an event is folded into its run, and what the run newly triggers becomes tasks."""

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import and_, or_
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, col, select

from registry.lifecycle import IN_FORCE
from registry.lineage import debounce, events
from registry.lineage.debounce import Subject
from registry.lineage.fold import FoldedRun, RunKey, folded, join
from registry.lineage.triggers import Reads, Trigger, triggers
from registry.tables import ContractVersion, Dataset, DatasetContract, InboxEvent, LineageRun
from registry.words import InboxState

Ids = Callable[[], UUID]
VALIDATED = frozenset({Reads.DATA, Reads.SCHEMA, Reads.ORPHAN})


def take_in(session: Session, row: InboxEvent, *, now: datetime, ids: Ids) -> None:
    """Folds the event into its run and counts what it newly triggers, in the caller's transaction.

    Events of jobs and datasets tell of no run: they are only marked as seen."""
    row.state, row.error = InboxState.FOLDED, None
    event = events.of(json.loads(row.body))
    if event.run is None:
        return
    told = folded(event)
    stored = _locked(session, told.key, now=now, ids=ids)
    row.lineage_run_id = stored.id
    before = FoldedRun.model_validate(stored.state) if stored.state else None
    after = join(before, told) if before else told
    _store(stored, after, now)
    for trigger in _fresh(before, after):
        _trigger(session, trigger, stored, now=now, ids=ids)


def subjects(session: Session, trigger: Trigger) -> list[tuple[str, str]]:
    """(contract, object) of every contract in force about the dataset, whichever of its names the contract knows."""
    known = [and_(col(Dataset.namespace) == each.namespace, col(Dataset.name) == each.name) for each in trigger.names]
    link, version = DatasetContract, ContractVersion
    about = select(link.contract_id, link.object).join(Dataset, col(Dataset.id) == col(link.dataset_id))
    promised = about.join(version, col(version.contract_id) == col(link.contract_id))
    found = session.exec(promised.where(or_(*known), col(version.state).in_(IN_FORCE)).distinct())
    return sorted((contract, name) for contract, name in found)


def _fresh(before: FoldedRun | None, after: FoldedRun) -> list[Trigger]:
    """What the run triggers now and did not trigger before: a repeated or late event adds nothing."""
    seen = {(each.dataset, each.reads) for each in triggers(before)} if before else set()
    return [each for each in triggers(after) if (each.dataset, each.reads) not in seen and each.reads in VALIDATED]


def _trigger(session: Session, trigger: Trigger, run: LineageRun, *, now: datetime, ids: Ids) -> None:
    extra: dict[str, Any] = {
        "lineage_run_id": str(run.id),
        "dataset": {"namespace": trigger.dataset.namespace, "name": trigger.dataset.name},
        "partitions": [dict(partition) for partition in trigger.partitions],
        "reads": trigger.reads.value,
        "why": trigger.why,
    }
    cause = f"{run.run_id}/{trigger.dataset.namespace}/{trigger.dataset.name}"
    for contract, name in subjects(session, trigger):
        debounce.touch(session, Subject(contract, name, cause, extra), now=now, task_id=ids())


def _locked(session: Session, key: RunKey, *, now: datetime, ids: Ids) -> LineageRun:
    """The run's row, new if need be, locked until the transaction ends."""
    query = select(LineageRun).filter_by(**key._asdict()).with_for_update()
    if found := session.exec(query).first():
        return found
    with suppress(IntegrityError), session.begin_nested():
        session.add(LineageRun(id=ids(), state={}, updated=now, **key._asdict()))
    return session.exec(query).one()


def _store(row: LineageRun, run: FoldedRun, now: datetime) -> None:
    row.state = run.model_dump(mode="json")
    row.failed, row.ended = run.failed, run.ended is not None
    row.started, row.finished, row.updated = run.started, run.ended, now
