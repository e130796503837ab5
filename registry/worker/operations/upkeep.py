"""Daily upkeep of stored data.

Merges states of days by month if configured, deletes ended generations, unreferenced files, and expired events,
messages and samples, and reminds consumers whose pin is behind."""

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
# After this time, pending validations have their turn.
SPELL = timedelta(minutes=1)


def schedule_upkeep(session: Session, *, now: datetime, task_id: UUID, after: UUID | None = None) -> TaskRow | None:
    """Enqueue the upkeep task of the day; None if it exists already.

    `after`: id of an upkeep task that left work; the new task continues it."""
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
    """Return whether the upkeep task of the day exists."""
    return task_queue.find(session, _key(now)) is not None


def work(
    database: Database, settings: RegistrySettings, *, clock: Callable[[], datetime], ids: Callable[[], UUID]
) -> dict[str, Any]:
    """Run the upkeep, each part in its own transaction, and return the counts.

    May stop at any time. `more` is set if merging continues in another task, so that other tasks have their turn."""
    files, datasets = StateFiles(settings.states), _datasets(database)
    merged, more = 0, False
    if settings.compaction_delay_days:
        last_day = clock().date() - timedelta(days=settings.compaction_delay_days)
        months = (compaction.compact(database, files, each, over=last_day, clock=clock, ids=ids) for each in datasets)
        merged, more = _for_a_while(chain.from_iterable(months), clock)
    pruned = sum(_pruned(database, each, clock() - timedelta(days=settings.state_retention_days)) for each in datasets)
    _forget(database, settings, clock())
    _remind(database, clock())
    search.complete(database)
    freed = file_collection.collect(database, files, before=clock() - file_collection.grace(settings))
    counts = {"merged": merged, "generations": pruned, "files": freed.files, "bytes": freed.bytes}
    log.info("upkeep done: %(merged)d months merged, %(generations)d generations and %(files)d files deleted", counts)
    return {**counts, "more": True} if more else counts


def _key(now: datetime) -> str:
    return f"{TaskKind.UPKEEP}/{now.date()}"


def _for_a_while(counts: Iterator[int], clock: Callable[[], datetime]) -> tuple[int, bool]:
    """Return the sum over a limited time, and whether there may be more.

    There is no more if nothing was done in that time."""
    until, total = clock() + SPELL, 0
    for each in counts:
        total += each
        if clock() >= until:
            return total, total > 0
    return total, False


def _datasets(database: Database) -> list[UUID]:
    with read_session(database) as session:
        return list(session.exec(select(DatasetRow.id).order_by(col(DatasetRow.id))))


def _forget(database: Database, settings: RegistrySettings, now: datetime) -> None:
    """Delete data whose retention has ended; events and messages in batches, as there may be many."""
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
            cutoff = now - timedelta(days=settings.event_retention_days)
            more = event_store.forget(session, before=cutoff) + outbox.forget(session, before=cutoff) > 0
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
