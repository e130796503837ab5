"""What is done once a day to what is stored: states of days are merged by month where that is asked for, generations
that ended long ago are deleted, and files that none names."""

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Engine as Database
from sqlmodel import Session, col, select

from engine.files import StateFiles
from registry import collecting, compacting, states, tasks
from registry.config import Settings
from registry.database import reading, transaction
from registry.tables import Dataset, Task

log = logging.getLogger("treaty.worker")
UPKEEP = "upkeep"
LEAST_URGENT = 9


def order(session: Session, *, now: datetime, task_id: UUID) -> Task | None:
    """The task of the day; None where another worker ordered it."""
    key = f"{UPKEEP}/{now.date()}"
    return tasks.enqueue(
        session, kind=UPKEEP, payload={}, key=key, now=now, task_id=task_id, priority=LEAST_URGENT
    )  # fmt: skip


def work(
    database: Database, settings: Settings, *, clock: Callable[[], datetime], ids: Callable[[], UUID]
) -> dict[str, Any]:
    """Does it, each part of it in a transaction of its own, and tells what was done. May end at any moment."""
    files, datasets = StateFiles(settings.states), _datasets(database)
    merged = 0
    if settings.compact_days:
        over = clock().date() - timedelta(days=settings.compact_days)
        merged = sum(compacting.compact(database, files, each, over=over, clock=clock, ids=ids) for each in datasets)
    pruned = sum(_pruned(database, each, clock() - timedelta(days=settings.state_days)) for each in datasets)
    freed = collecting.collect(database, files, before=clock() - collecting.grace(settings))
    told = {"merged": merged, "generations": pruned, "files": freed.files, "bytes": freed.bytes}
    log.info("merged the states of %(merged)d months; removed %(generations)d generations and %(files)d files", told)
    return told


def _datasets(database: Database) -> list[UUID]:
    with reading(database) as session:
        return list(session.exec(select(Dataset.id).order_by(col(Dataset.id))))


def _pruned(database: Database, dataset_id: UUID, before: datetime) -> int:
    with transaction(database) as session:
        pruned = states.prune(session, dataset_id, before=before)
        session.commit()
    return pruned
