"""List the tasks that a principal may see, and count queued work."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, or_
from sqlmodel import Session, col, select

from treaty.engine.core.results import Verdict
from treaty.registry.access import visibility
from treaty.registry.access.authentication import Principal
from treaty.registry.core.enums import OutboxState, TaskKind, TaskState
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import OutboxMessageRow, RunRow, TaskRow

NEWEST = SortOrder((TaskRow.id,), newest_first=True)
OPEN = (TaskState.QUEUED, TaskState.RUNNING)


@dataclass(frozen=True)
class QueueDepth:
    """Number of tasks by state, and of open tasks by kind and state.

    `oldest_created_at`: creation time of the oldest queued task; None if none is queued."""

    states: Mapping[TaskState, int]
    open: Mapping[tuple[str, TaskState], int]
    oldest_created_at: datetime | None

    def age(self, now: datetime) -> float:
        """Return the age in seconds of the oldest queued task; 0 if none is queued."""
        return max(0.0, (now - self.oldest_created_at).total_seconds()) if self.oldest_created_at else 0.0


def tasks(
    session: Session,
    by: Principal,
    request: PageRequest,
    *,
    state: TaskState | None = None,
    kind: str | None = None,
    contract_id: str | None = None,
) -> RowPage[TaskRow]:
    """List the tasks that the principal may see, newest first.

    A replay task is visible to its author only."""
    payload: Any = col(TaskRow.payload)
    is_visible = or_(col(TaskRow.kind) != TaskKind.REPLAY, payload["author"].as_string() == str(by.user_id))
    query = NEWEST.of(select(TaskRow).where(visibility.tasks(by), is_visible), request)
    if state is not None:
        query = query.where(TaskRow.state == state)
    if kind is not None:
        query = query.where(TaskRow.kind == kind)
    if contract_id is not None:
        query = query.where(payload["contract_id"].as_string() == contract_id)
    return NEWEST.cut(session.exec(query).all(), request)


def depth(session: Session) -> QueueDepth:
    """Return the current number of queued and running tasks."""
    by_state = session.exec(select(TaskRow.state, func.count()).group_by(col(TaskRow.state))).all()
    open_tasks = select(TaskRow.kind, TaskRow.state, func.count()).where(col(TaskRow.state).in_(OPEN))
    by_kind = session.exec(open_tasks.group_by(TaskRow.kind, col(TaskRow.state))).all()
    oldest = session.exec(select(func.min(TaskRow.created_at)).where(TaskRow.state == TaskState.QUEUED)).one()
    states = {TaskState(state): count for state, count in by_state}
    by_kind_and_state = {(kind, TaskState(state)): count for kind, state, count in by_kind}
    return QueueDepth({**dict.fromkeys(TaskState, 0), **states}, by_kind_and_state, oldest)


def outgoing(session: Session) -> Mapping[OutboxState, int]:
    """Return the number of outbox messages by state."""
    counted = session.exec(select(OutboxMessageRow.state, func.count()).group_by(col(OutboxMessageRow.state))).all()
    return {**dict.fromkeys(OutboxState, 0), **{OutboxState(state): count for state, count in counted}}


def verdicts(session: Session) -> Mapping[Verdict, int]:
    """Return the number of runs by verdict."""
    counted = session.exec(select(RunRow.verdict, func.count()).group_by(col(RunRow.verdict))).all()
    return {**dict.fromkeys(Verdict, 0), **{Verdict(verdict): count for verdict, count in counted}}
