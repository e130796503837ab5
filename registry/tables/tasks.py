"""Tables of the task queue."""

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
    """A task, leased by one worker. `fence`: increases with every claim. `key`: idempotency key.

    `crashes`: number of attempts that ended the worker process or exceeded their time.

    `exclusive_key`: tasks with the same key never run concurrently; None excludes nothing. `queue_position`: position
    in the line of its `producer`, one line per priority."""

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
    crashes: int = 0
    fence: int = 0
    worker: str | None = None
    lease_expires_at: datetime | None = time_column(default=None)
    available_at: datetime = time_column()
    progress: str | None = None
    error: str | None = None
    result: dict[str, Any] | None = json_column(default=None)
    created_at: datetime = time_column()
    finished_at: datetime | None = time_column(default=None)


class PeriodicJobRow(BaseRow, table=True):
    """A periodic job whose first run in a process is in progress or ended it.

    `attempts`: such runs without success. `worker`: the last one; no other runs the job until `lease_expires_at`.
    `paused_until`: end of the pause after too many attempts, of which `error` is the reason. Deleted by a success."""

    __tablename__ = "periodic_job"
    name: str = Field(primary_key=True)
    attempts: int = 0
    worker: str | None = None
    lease_expires_at: datetime | None = time_column(default=None)
    paused_until: datetime | None = time_column(default=None)
    error: str | None = None


class ScheduleEntryRow(BaseRow, table=True):
    """The next deadline or file sweep of an object in a version in force.

    `due_at`: None means after the next arrival of data. `missed_at`: missed deadline, while the data has not
    arrived."""

    __tablename__ = "schedule_entry"
    version_id: UUID = foreign_key_column("contract_version.id", primary_key=True)
    object: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    due_at: datetime | None = time_column(default=None, index=True)
    missed_at: datetime | None = time_column(default=None)


class ReadCheckpointRow(BaseRow, table=True):
    """Packed states of a partition that a task has read. `fingerprint`: that of the scan.

    Deleted when the task ends."""

    __tablename__ = "read_checkpoint"
    task_id: UUID = foreign_key_column("task.id", primary_key=True)
    partition: str = Field(primary_key=True)
    fingerprint: str
    states: bytes


class PendingValidationRow(BaseRow, table=True):
    """Trigger and validation counters of a contract object.

    `trigger_sequence`: number of triggers; `validated_sequence`: number of them that a validation has covered.
    `pending_triggers`: payloads of the others. `task_id`: task for them, which may start at `not_before_at`; the next
    task may start at `quiet_ends_at`. `due_at`: earliest requested start of later triggers.
    `last_stream_validation_at`: latest validation of streamed data. `awaited_run`: run that must end before the task
    starts; None means no run."""

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
