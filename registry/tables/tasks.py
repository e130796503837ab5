"""Tables of the durable queue."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.core.enums import TaskState
from treaty.registry.tables.base import (
    BaseRow,
    big_integer_column,
    enum_column,
    foreign_key_column,
    json_column,
    time_column,
)


class TaskRow(BaseRow, table=True):
    """A piece of work, done by whoever holds its lease. `fence` grows with every claim; `key` makes it unique.

    `subject`: what no two workers work on at once; None: it excludes nothing. `turn`: its place in the line of its
    `producer`, of which there is one for each priority."""

    __tablename__ = "task"
    __table_args__ = (
        Index(None, "state", "priority", "available_at"),
        Index(None, "state", "producer", "priority", "turn"),
    )
    id: UUID = Field(primary_key=True)
    kind: str
    payload: dict[str, Any] = json_column()
    key: str = Field(unique=True)
    state: TaskState = enum_column(TaskState, default=TaskState.QUEUED)
    priority: int = 5
    subject: str | None = Field(default=None, index=True)
    producer: str = ""
    turn: int = big_integer_column(default=0)
    attempts: int = 0
    fence: int = 0
    worker: str | None = None
    lease_until: datetime | None = time_column(default=None)
    available_at: datetime = time_column()
    progress: str | None = None
    error: str | None = None
    result: dict[str, Any] | None = json_column(default=None)
    created: datetime = time_column()
    finished: datetime | None = time_column(default=None)


class ScheduleEntryRow(BaseRow, table=True):
    """When an object of a version in force is looked after by the clock: a promise of when data come, or a look at its
    files. `due` None: once data come. `missed`: the time that was not kept, while the data have still not come."""

    __tablename__ = "appointment"
    version_id: UUID = foreign_key_column("contract_version.id", primary_key=True)
    object: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    due: datetime | None = time_column(default=None, index=True)
    missed: datetime | None = time_column(default=None)


class ReadCheckpointRow(BaseRow, table=True):
    """The packed states of a partition that a task has read, kept until the task ends; `fingerprint` as read."""

    __tablename__ = "part_read"
    task_id: UUID = foreign_key_column("task.id", primary_key=True)
    partition: str = Field(primary_key=True)
    fingerprint: str
    states: bytes


class PendingValidationRow(BaseRow, table=True):
    """How often a contract object was triggered, and up to which trigger it was validated.

    `told`: what the triggers said that no validation has covered. `task_id`: the task that was made for them, which may
    begin at `floor`; what comes after it begins at `quiet_until`. `due`: when the first of those wants to be looked at
    that came since. `streamed`: when a stream was looked at last. `waits_for`: the run whose end the task waits for."""

    __tablename__ = "dirty_mark"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    dirty_seq: int = 0
    done_seq: int = 0
    told: list[dict[str, Any]] = json_column(default_factory=list)
    task_id: UUID | None = None
    priority: int = 5
    quiet_seconds: float = 0
    floor: datetime | None = time_column(default=None)
    quiet_until: datetime | None = time_column(default=None)
    due: datetime | None = time_column(default=None)
    streamed: datetime | None = time_column(default=None)
    waits_for: str | None = Field(default=None, index=True)
