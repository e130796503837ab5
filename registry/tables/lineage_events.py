"""Tables of lineage: events as they arrived, and the runs folded from them."""

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
    """An accepted event; `key` is its content's hash, so the same event is kept once and its repeats are counted.

    `lineage_run_id`: the run that it was folded into. `diagnostics`: what of it was read otherwise than it was sent, in
    words."""

    __tablename__ = "inbox_event"
    # The few that came again are counted without reading the others.
    __table_args__ = (Index(None, "duplicates", sqlite_where=REPEATED, postgresql_where=REPEATED),)
    id: UUID = Field(primary_key=True)
    key: str = Field(unique=True)
    received: datetime = time_column(index=True)
    body: bytes
    original_sha256: str
    original_size: int = big_integer_column()
    producer: str
    state: LineageEventState = enum_column(LineageEventState, default=LineageEventState.NEW, index=True)
    duplicates: int = 0
    attempts: int = 0
    error: str | None = None
    lineage_run_id: UUID | None = Field(default=None, index=True)
    diagnostics: list[str] = json_column(default_factory=list)


class RejectedLineageEventRow(BaseRow, table=True):
    """A body that was refused, truncated, with the status and the reason given to its sender."""

    __tablename__ = "rejected_event"
    id: UUID = Field(primary_key=True)
    time: datetime = time_column(index=True)
    producer: str
    status: int = Field(index=True)
    reason: str
    body: bytes


class LineageRunRow(BaseRow, table=True):
    """A run of a job, folded from all its events in whatever order they came.

    `parent_id`, `root_id`: the runs that it is a part of, as producers name them. `awaited`: it writes and has told no
    end yet, and nobody has looked at what it wrote."""

    __tablename__ = "lineage_run"
    __table_args__ = (UniqueConstraint("job_namespace", "job_name", "run_id"), Index(None, "awaited", "updated"))
    id: UUID = Field(primary_key=True)
    job_namespace: str
    job_name: str
    run_id: str = Field(index=True)
    state: dict[str, Any] = json_column()
    failed: bool = False
    ended: bool = False
    started: datetime | None = time_column(default=None)
    finished: datetime | None = time_column(default=None)
    updated: datetime = time_column()
    parent_id: str | None = Field(default=None, index=True)
    root_id: str | None = None
    awaited: bool = False


class DatasetAliasRow(BaseRow, table=True):
    """That two names mean one dataset, as some event told: the smaller name first.

    `refused`: why they are not taken for one; None: they are."""

    __tablename__ = "name_link"
    __table_args__ = (Index(None, "other_namespace", "other_name"), Index(None, "last_seen"))
    one_namespace: str = Field(primary_key=True)
    one_name: str = Field(primary_key=True)
    other_namespace: str = Field(primary_key=True)
    other_name: str = Field(primary_key=True)
    first_seen: datetime = time_column()
    last_seen: datetime = time_column()
    refused: str | None = None


class DatasetAliasPatternRow(BaseRow, table=True):
    """Names that mean an object of a contract, as a version of it in force says: with `*`, or a regular expression."""

    __tablename__ = "name_pattern"
    contract_id: str = foreign_key_column("contract.id", primary_key=True)
    object: str = Field(primary_key=True)
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    regex: bool = False


class UnmatchedDatasetRow(BaseRow, table=True):
    """A dataset that runs write and no contract in force is about; `told` is what the last run said of it."""

    __tablename__ = "unmatched_dataset"
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    first_seen: datetime = time_column()
    last_seen: datetime = time_column(index=True)
    times: int = 1
    lineage_run_id: UUID | None = foreign_key_column("lineage_run.id", default=None)
    told: dict[str, Any] = json_column(default_factory=dict)


class SuspectPartitionRow(BaseRow, table=True):
    """That a run which wrote to a partition failed, and nobody has judged it since; partition "": nobody knows which.

    `since`: when that became known; `why` says it for people."""

    __tablename__ = "suspect_mark"
    dataset_id: UUID = foreign_key_column("dataset.id", primary_key=True)
    partition: str = Field(primary_key=True)
    lineage_run_id: UUID = foreign_key_column("lineage_run.id", primary_key=True)
    since: datetime = time_column()
    why: str
