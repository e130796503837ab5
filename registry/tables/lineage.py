"""Tables of lineage: events as they arrived, and the runs folded from them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from registry.tables.base import Table, big, data, moment, word
from registry.words import InboxState

REPEATED = text("duplicates > 0")


class InboxEvent(Table, table=True):
    """An accepted event; `key` is its content's hash, so the same event is kept once and its repeats are counted.

    `lineage_run_id`: the run that it was folded into."""

    __tablename__ = "inbox_event"
    # The few that came again are counted without reading the others.
    __table_args__ = (Index(None, "duplicates", sqlite_where=REPEATED, postgresql_where=REPEATED),)
    id: UUID = Field(primary_key=True)
    key: str = Field(unique=True)
    received: datetime = moment(index=True)
    body: bytes
    original_sha256: str
    original_size: int = big()
    producer: str
    state: InboxState = word(InboxState, default=InboxState.NEW, index=True)
    duplicates: int = 0
    attempts: int = 0
    error: str | None = None
    lineage_run_id: UUID | None = Field(default=None, index=True)


class RejectedEvent(Table, table=True):
    """A body that was refused, truncated, with the status and the reason given to its sender."""

    __tablename__ = "rejected_event"
    id: UUID = Field(primary_key=True)
    time: datetime = moment(index=True)
    producer: str
    status: int = Field(index=True)
    reason: str
    body: bytes


class LineageRun(Table, table=True):
    """A run of a job, folded from all its events in whatever order they came."""

    __tablename__ = "lineage_run"
    __table_args__ = (UniqueConstraint("job_namespace", "job_name", "run_id"),)
    id: UUID = Field(primary_key=True)
    job_namespace: str
    job_name: str
    run_id: str = Field(index=True)
    state: dict[str, Any] = data()
    failed: bool = False
    ended: bool = False
    started: datetime | None = moment(default=None)
    finished: datetime | None = moment(default=None)
    updated: datetime = moment()
