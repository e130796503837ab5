"""Tables of lineage: events as received, and the runs folded from them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field

from treaty.registry.core.enums import LineageEventState
from treaty.registry.tables.base import (
    BaseRow,
    big_integer_column,
    enum_column,
    foreign_key_column,
    json_column,
    time_column,
)

REPEATED = text("duplicates > 0")


class LineageEventRow(BaseRow, table=True):
    """An accepted event, stored once per `content_hash`; `duplicates` counts its repeats.

    `attempts`: counted before each attempt. `worker`: the last one; it has the event until `lease_expires_at`.
    `lineage_run_id`: run that it was folded into. `diagnostics`: sentences about parts that were ignored or interpreted
    differently."""

    __tablename__ = "lineage_event"
    # Allows counting the few repeated events without reading the others.
    __table_args__ = (Index(None, "duplicates", sqlite_where=REPEATED, postgresql_where=REPEATED),)
    id: UUID = Field(primary_key=True)
    content_hash: str = Field(unique=True)
    received_at: datetime = time_column(index=True)
    body: bytes
    original_sha256: str
    original_size: int = big_integer_column()
    producer: str
    state: LineageEventState = enum_column(LineageEventState, default=LineageEventState.NEW, index=True)
    duplicates: int = 0
    attempts: int = 0
    worker: str | None = None
    lease_expires_at: datetime | None = time_column(default=None)
    error: str | None = None
    lineage_run_id: UUID | None = Field(default=None, index=True)
    diagnostics: list[str] = json_column(default_factory=list)


class RejectedLineageEventRow(BaseRow, table=True):
    """A rejected body, truncated, with the status and the reason in the response."""

    __tablename__ = "rejected_lineage_event"
    id: UUID = Field(primary_key=True)
    received_at: datetime = time_column(index=True)
    producer: str
    status: int = Field(index=True)
    reason: str
    body: bytes


class LineageRunRow(BaseRow, table=True):
    """A run of a job, folded from its events independent of their order.

    `parent_id`, `root_id`: run ids of parent and root, as reported by producers. `is_awaited`: the run has outputs, has
    not reported its end, and its data has not been inspected."""

    __tablename__ = "lineage_run"
    __table_args__ = (UniqueConstraint("job_namespace", "job_name", "run_id"), Index(None, "is_awaited", "updated_at"))
    id: UUID = Field(primary_key=True)
    job_namespace: str
    job_name: str
    run_id: str = Field(index=True)
    state: dict[str, Any] = json_column()
    is_failed: bool = False
    is_ended: bool = False
    started_at: datetime | None = time_column(default=None)
    finished_at: datetime | None = time_column(default=None)
    updated_at: datetime = time_column()
    parent_id: str | None = Field(default=None, index=True)
    root_id: str | None = None
    is_awaited: bool = False


class DatasetAliasRow(BaseRow, table=True):
    """A reported link between two names of one dataset, the smaller name first.

    `conflict`: reason why the link is not followed; None if it is."""

    __tablename__ = "dataset_alias"
    __table_args__ = (Index(None, "other_namespace", "other_name"), Index(None, "last_seen_at"))
    one_namespace: str = Field(primary_key=True)
    one_name: str = Field(primary_key=True)
    other_namespace: str = Field(primary_key=True)
    other_name: str = Field(primary_key=True)
    first_seen_at: datetime = time_column()
    last_seen_at: datetime = time_column()
    conflict: str | None = None


class DatasetAliasPatternRow(BaseRow, table=True):
    """Alias pattern of an object, from a contract version in force: a glob with `*`, or a regex."""

    __tablename__ = "dataset_alias_pattern"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    is_regex: bool = False


class UnmatchedDatasetRow(BaseRow, table=True):
    """A dataset that runs write and no contract in force covers. `details`: from the last run."""

    __tablename__ = "unmatched_dataset"
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    first_seen_at: datetime = time_column()
    last_seen_at: datetime = time_column(index=True)
    write_count: int = 1
    lineage_run_id: UUID | None = foreign_key_column("lineage_run.id", default=None)
    details: dict[str, Any] = json_column(default_factory=dict)


class SuspectPartitionRow(BaseRow, table=True):
    """A partition that a failed run wrote and that was not validated since.

    `partition`: '' means the whole dataset. `suspected_at`: time at which the failure was detected. `reason`:
    explanation for people."""

    __tablename__ = "suspect_partition"
    dataset_id: UUID = foreign_key_column("dataset.id", primary_key=True)
    partition: str = Field(primary_key=True)
    lineage_run_id: UUID = foreign_key_column("lineage_run.id", primary_key=True)
    suspected_at: datetime = time_column()
    reason: str
