"""Tables of the lineage graph: the jobs, and what the run that speaks for each reads and writes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import EdgeDirection
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class LineageJobRow(BaseRow, table=True):
    """A job that lineage events told of. `run_rank`, `run_at` and `run_id` are the rank of the run that speaks for it;
    `run_id` '': what it reads and writes was declared, without a run.

    `flow_hash`: the hash of what stands in its edges. `declared`: what a job event said last, and when. `is_own`: it is
    a validation of this registry. `owners`: whom it names as its owners."""

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
    """That a job reads a dataset, or writes it. Of what it writes: `feeds`, which columns feed which, as
    `treaty.registry.lineage.graph.flows` has them, and `sources`, what feeds it; None: whatever the job reads.

    `owners`: whom the dataset names as its owners."""

    __tablename__ = "lineage_edge"
    __table_args__ = (Index(None, "namespace", "name"),)
    job_id: UUID = foreign_key_column("lineage_job.id", primary_key=True)
    direction: EdgeDirection = enum_column(EdgeDirection, primary_key=True)
    namespace: str = Field(primary_key=True)
    name: str = Field(primary_key=True)
    feeds: list[list[Any]] = json_column(default_factory=list)
    sources: list[list[str]] | None = json_column(default=None)
    owners: list[str] = json_column(default_factory=list)
