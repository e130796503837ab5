"""Read a catalog as a task: its facts are stored meanwhile, its health at the end.

A catalog that cannot be read is no failure of the task: the connection states the reason and the time of its next read,
and other work goes on."""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session

from treaty.registry.catalogs import health, reading
from treaty.registry.catalogs.errors import CatalogError, CatalogUnavailable
from treaty.registry.catalogs.reading import CatalogReadResult, ConnectionChanged, ReadContext
from treaty.registry.core.database import read_session
from treaty.registry.core.errors import InvalidRequest
from treaty.registry.queue import task_queue
from treaty.registry.tables import TaskRow
from treaty.registry.worker.context import WorkerContext

# More people may read tasks than connections, whose health has the reason.
UNREADABLE = "The catalog could not be read. An administrator finds the reason with: treaty catalogs status"
Effect = Callable[[Session, datetime], dict[str, Any]]


def work(means: WorkerContext, task: TaskRow) -> Effect:
    """Read the catalog of the task and return the effect that stores its health."""
    try:
        with read_session(means.database) as session:
            source = reading.load_source(session, _connection_id(task))
        result = reading.read(_context(means, task), source, after=str(task.payload.get("after", "")))
        result.problems[:0] = task.payload.get("problems", ())
    except ConnectionChanged as error:
        note = error.message
        return lambda *_: {"note": note}
    except (CatalogError, InvalidRequest) as error:
        return _failure(means, task, error)
    return lambda session, now: _finish(means, session, task, result, now)


def give_up(means: WorkerContext, session: Session, task: TaskRow, reason: str, *, now: datetime) -> None:
    """Store the failure of a read that ended without a result."""
    health.fail(session, _connection_id(task), reason, now=now, jitter=means.jitter())


def _finish(
    means: WorkerContext, session: Session, task: TaskRow, result: CatalogReadResult, now: datetime
) -> dict[str, Any]:
    health.succeed(session, _connection_id(task), result, now=now)
    if result.after is not None:
        health.continue_read(session, task, result, now=now, ids=means.ids)
    return result.summary()


def _failure(means: WorkerContext, task: TaskRow, error: CatalogError | InvalidRequest) -> Effect:
    reason = "; ".join((error.message, *(each.message for each in error.faults)))
    seconds = error.seconds if isinstance(error, CatalogUnavailable) else 0.0

    def effect(session: Session, now: datetime) -> dict[str, Any]:
        health.fail(session, _connection_id(task), reason, now=now, jitter=means.jitter(), seconds=seconds)
        return {"note": UNREADABLE}

    return effect


def _connection_id(task: TaskRow) -> UUID:
    return UUID(task.payload["connection_id"])


def _context(means: WorkerContext, task: TaskRow) -> ReadContext:
    return ReadContext(
        database=means.database,
        settings=means.settings,
        clock=means.clock,
        ids=means.ids,
        check_lease=lambda session: task_queue.check_lease(session, task.id, task.fence),
        report=lambda done, of: means.report_progress(task, done, of, unit="tables"),
    )
