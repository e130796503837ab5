"""What is done once a day to what is stored: states of days are merged by month where that is asked for, generations
that ended long ago are deleted, and files that none names, and what is kept for a time only, as events and samples;
who builds on what is behind is told."""

import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from typing import Any
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session, col, select

from treaty.engine.states.state_files import StateFiles
from treaty.registry.access import idempotency, sign_in_throttle
from treaty.registry.browse import search
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import TaskKind
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.lineage import aliases
from treaty.registry.lineage.events import event_store
from treaty.registry.measurements.runs import samples
from treaty.registry.measurements.states import compaction, file_collection, state_store
from treaty.registry.notifications import outbox
from treaty.registry.queue import task_queue
from treaty.registry.review.consumers import lag_reminders
from treaty.registry.tables import DatasetRow, TaskRow
from treaty.registry.worker.intake import unmatched

log = logging.getLogger("treaty.worker")
# Then validations that wait have their turn.
SPELL = timedelta(minutes=1)


def schedule_upkeep(session: Session, *, now: datetime, task_id: UUID, after: UUID | None = None) -> TaskRow | None:
    """The task of the day, or the one `after` another; None where somebody ordered it."""
    key = f"{TaskKind.UPKEEP}/after/{after}" if after else _key(now)
    return task_queue.enqueue(
        session,
        kind=TaskKind.UPKEEP,
        payload={},
        key=key,
        now=now,
        task_id=task_id,
        priority=task_queue.Priority.UPKEEP,
    )


def ordered(session: Session, *, now: datetime) -> bool:
    """Whether somebody ordered the task of the day."""
    return task_queue.find(session, _key(now)) is not None


def work(
    database: Database, settings: RegistrySettings, *, clock: Callable[[], datetime], ids: Callable[[], UUID]
) -> dict[str, Any]:
    """Does it, each part of it in a transaction of its own, and tells what was done. May end at any moment.

    `more` is there where merging was left for another task, so that others have their turn."""
    files, datasets = StateFiles(settings.states), _datasets(database)
    merged, more = 0, False
    if settings.compaction_delay_days:
        over = clock().date() - timedelta(days=settings.compaction_delay_days)
        months = (compaction.compact(database, files, each, over=over, clock=clock, ids=ids) for each in datasets)
        merged, more = _for_a_while(chain.from_iterable(months), clock)
    pruned = sum(_pruned(database, each, clock() - timedelta(days=settings.state_retention_days)) for each in datasets)
    _forget(database, settings, clock())
    _remind(database, clock())
    search.complete(database)
    freed = file_collection.collect(database, files, before=clock() - file_collection.grace(settings))
    told = {"merged": merged, "generations": pruned, "files": freed.files, "bytes": freed.bytes}
    log.info("merged the states of %(merged)d months; removed %(generations)d generations and %(files)d files", told)
    return {**told, "more": True} if more else told


def _key(now: datetime) -> str:
    return f"{TaskKind.UPKEEP}/{now.date()}"


def _for_a_while(made: Iterator[int], clock: Callable[[], datetime]) -> tuple[int, bool]:
    """The sum of what is made in a while, and whether there may be more: not where nothing could be made."""
    until, total = clock() + SPELL, 0
    for each in made:
        total += each
        if clock() >= until:
            return total, total > 0
    return total, False


def _datasets(database: Database) -> list[UUID]:
    with read_session(database) as session:
        return list(session.exec(select(DatasetRow.id).order_by(col(DatasetRow.id))))


def _forget(database: Database, settings: RegistrySettings, now: datetime) -> None:
    """Deletes what is kept for a time only; of the events, which may be many, a portion at a time."""
    with transaction(database) as session:
        idempotency.forget(session, now=now)
        sign_in_throttle.forget(session, before=now - timedelta(minutes=settings.sign_in_window_minutes))
        samples.forget(session, now=now)
        aliases.forget(session, now=now)
        unmatched.forget(session, now=now)
        session.commit()
    more = True
    while more:
        with transaction(database) as session:
            over = now - timedelta(days=settings.event_retention_days)
            more = event_store.forget(session, before=over) + outbox.forget(session, before=over) > 0
            session.commit()


def _remind(database: Database, now: datetime) -> None:
    with transaction(database) as session:
        lag_reminders.tell_lagging(session, now=now)
        session.commit()


def _pruned(database: Database, dataset_id: UUID, before: datetime) -> int:
    with transaction(database) as session:
        pruned = state_store.prune(session, dataset_id, before=before)
        session.commit()
    return pruned
