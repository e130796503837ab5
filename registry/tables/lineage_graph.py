"""Tables of the lineage graph: jobs, and the datasets their representative runs read and write."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import EdgeDirection
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class LineageJobRow(BaseRow, table=True):
    """A job from lineage events.

    `run_rank`, `run_at`, `run_id`: rank of the run that represents the job; `run_id` is '' if a job event declared its
    datasets without a run. `flow_hash`: hash of its edges. `declared`: content of the latest job event. `is_own`: a
    validation of this registry. `owners`: reported owners."""

    __tablename__ = "lineage_job"
    __table_args__ = (UniqueConstraint("namespace", "name"),)
    id: UUID = Field(primary_key=True)
    namespace: str
    name: str
    run_rank: int
    run_at: datetime = time_column()
    run_id: str
    flow_hash: str = ""
    declared: dict[str, Any] | None = json_column(default=None)
    is_own: bool = False
    owners: list[str] = json_column(default_factory=list)


class LineageEdgeRow(BaseRow, table=True):
    """A dataset that a job reads or writes.

    For outputs: `feeds`: column lineage, see `treaty.registry.lineage.graph.flows`; `sources`: all sources of the
    dataset, None means any input of the job. `owners`: reported owners of the dataset."""

    __tablename__ = "lineage_edge"
    __table_args__ = (Index(None, "namespace", "name"),)
    job_id: UUID = foreign_key_column("lineage_job.id", primary_key=True)
    direction: EdgeDirection = enum_column(EdgeDirection, primary_key=True)
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    feeds: list[list[Any]] = json_column(default_factory=list)
    sources: list[list[str]] | None = json_column(default=None)
    owners: list[str] = json_column(default_factory=list)
