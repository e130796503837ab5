"""The queue as people look at it: tasks in lists, as far as they may see them, and how much waits."""

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
    """How many tasks there are of each state, of those that are open of each kind, and since when the oldest waits."""

    states: Mapping[TaskState, int]
    open: Mapping[tuple[str, TaskState], int]
    oldest_created_at: datetime | None

    def age(self, now: datetime) -> float:
        """The age in seconds of the task that waits longest; 0 where none waits."""
        return max(0.0, (now - self.oldest_created_at).total_seconds()) if self.oldest_created_at else 0.0


def tasks(
    session: Session,
    by: Principal,
    asked: PageRequest,
    *,
    state: TaskState | None = None,
    kind: str | None = None,
    contract_id: str | None = None,
) -> RowPage[TaskRow]:
    """Tasks that the principal may see, newest first. What a replay finds is its author's alone, and so is its task."""
    payload: Any = col(TaskRow.payload)
    theirs = or_(col(TaskRow.kind) != TaskKind.REPLAY, payload["author"].as_string() == str(by.user_id))
    query = NEWEST.of(select(TaskRow).where(visibility.tasks(by), theirs), asked)
    if state is not None:
        query = query.where(TaskRow.state == state)
    if kind is not None:
        query = query.where(TaskRow.kind == kind)
    if contract_id is not None:
        query = query.where(payload["contract_id"].as_string() == contract_id)
    return NEWEST.cut(session.exec(query).all(), asked)


def depth(session: Session) -> QueueDepth:
    """How much waits and runs now."""
    by_state = session.exec(select(TaskRow.state, func.count()).group_by(col(TaskRow.state))).all()
    opened = select(TaskRow.kind, TaskRow.state, func.count()).where(col(TaskRow.state).in_(OPEN))
    by_kind = session.exec(opened.group_by(TaskRow.kind, col(TaskRow.state))).all()
    oldest = session.exec(select(func.min(TaskRow.created_at)).where(TaskRow.state == TaskState.QUEUED)).one()
    states = {TaskState(state): count for state, count in by_state}
    found = {(kind, TaskState(state)): count for kind, state, count in by_kind}
    return QueueDepth({**dict.fromkeys(TaskState, 0), **states}, found, oldest)


def outgoing(session: Session) -> Mapping[OutboxState, int]:
    """How many messages that go out wait, were delivered, and could not be."""
    counted = session.exec(select(OutboxMessageRow.state, func.count()).group_by(col(OutboxMessageRow.state))).all()
    return {**dict.fromkeys(OutboxState, 0), **{OutboxState(state): count for state, count in counted}}


def verdicts(session: Session) -> Mapping[Verdict, int]:
    """How many runs ended with each verdict."""
    counted = session.exec(select(RunRow.verdict, func.count()).group_by(col(RunRow.verdict))).all()
    return {**dict.fromkeys(Verdict, 0), **{Verdict(verdict): count for verdict, count in counted}}
