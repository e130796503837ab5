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

    `exclusive_key`: what no two workers work on at once; None: it excludes nothing. `queue_position`: its place in the
    line of its `producer`, of which there is one for each priority."""

    __tablename__ = "task"
    __table_args__ = (
        Index(None, "state", "priority", "available_at"),
        Index(None, "state", "producer", "priority", "queue_position"),
    )
    id: UUID = Field(primary_key=True)
    kind: str
    payload: dict[str, Any] = json_column()
    key: str = Field(unique=True)
    state: TaskState = enum_column(TaskState, default=TaskState.QUEUED)
    priority: int = 5
    exclusive_key: str | None = Field(default=None, index=True)
    producer: str = ""
    queue_position: int = big_integer_column(default=0)
    attempts: int = 0
    fence: int = 0
    worker: str | None = None
    lease_expires_at: datetime | None = time_column(default=None)
    available_at: datetime = time_column()
    progress: str | None = None
    error: str | None = None
    result: dict[str, Any] | None = json_column(default=None)
    created_at: datetime = time_column()
    finished_at: datetime | None = time_column(default=None)


class ScheduleEntryRow(BaseRow, table=True):
    """When an object of a version in force is looked after by the clock: a promise of when data come, or a look at its
    files. `due_at` None: once data come. `missed_at`: the time that was not kept, while the data have still not
    come."""

    __tablename__ = "schedule_entry"
    version_id: UUID = foreign_key_column("contract_version.id", primary_key=True)
    object: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    due_at: datetime | None = time_column(default=None, index=True)
    missed_at: datetime | None = time_column(default=None)


class ReadCheckpointRow(BaseRow, table=True):
    """The packed states of a partition that a task has read, kept until the task ends; `fingerprint` as read."""

    __tablename__ = "read_checkpoint"
    task_id: UUID = foreign_key_column("task.id", primary_key=True)
    partition: str = Field(primary_key=True)
    fingerprint: str
    states: bytes


class PendingValidationRow(BaseRow, table=True):
    """How often a contract object was triggered, and up to which trigger it was validated.

    `pending_triggers`: what the triggers said that no validation has covered. `task_id`: the task that was made for
    them, which may begin at `not_before_at`; what comes after it begins at `quiet_ends_at`. `due_at`: when the first of
    those wants to be looked at that came since. `last_stream_validation_at`: when a stream was looked at last.
    `awaited_run`: the run whose end the task waits for."""

    __tablename__ = "pending_validation"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    trigger_sequence: int = 0
    validated_sequence: int = 0
    pending_triggers: list[dict[str, Any]] = json_column(default_factory=list)
    task_id: UUID | None = None
    priority: int = 5
    quiet_seconds: float = 0
    not_before_at: datetime | None = time_column(default=None)
    quiet_ends_at: datetime | None = time_column(default=None)
    due_at: datetime | None = time_column(default=None)
    last_stream_validation_at: datetime | None = time_column(default=None)
    awaited_run: str | None = Field(default=None, index=True)
