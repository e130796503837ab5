"""Tables of fits and feedback, which supplement an approved version."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.core.enums import FeedbackKind, FitReason
from treaty.registry.tables.base import (
    BaseRow,
    big_integer_column,
    enum_column,
    foreign_key_column,
    json_column,
    time_column,
)


class FitRow(BaseRow, table=True):
    """Bounds of a clause, learned from newer history than those of the version.

    `clause`: name of the approved bounds; `name`: name of these. `points`: number of partitions learned from, from
    `first_partition` to `last_partition` without `excluded_partitions`, at states version `states_version`.
    `training_fingerprint`: fingerprint of their content. `backtest_points`: number of points in the backtest;
    `backtest_alarms`: those that would have alarmed. `is_active`: used in evaluations; False means it was only
    proposed."""

    __tablename__ = "fit"
    __table_args__ = (Index(None, "contract_id", "object", "check_id", "created_at"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    object: str
    check_id: str
    version: str
    clause: str
    name: str
    lower: float | None = None
    upper: float | None = None
    points: int
    first_partition: str
    last_partition: str
    excluded_partitions: list[str] = json_column()
    states_version: int = big_integer_column()
    training_fingerprint: str
    backtest_points: int
    backtest_alarms: list[str] = json_column()
    is_active: bool
    reason: FitReason = enum_column(FitReason)
    created_at: datetime = time_column()


class PointFeedbackRow(BaseRow, table=True):
    """A user's feedback on the data of a run. The latest row takes precedence.

    `partition`: None means all partitions together. `from_version`: states version that introduced the content, to
    which the feedback applies; None means that it applies to this run only. `incident_id`: incident whose resolution or
    reopening implied the feedback."""

    __tablename__ = "point_feedback"
    __table_args__ = (Index(None, "contract_id", "object", "created_at"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    object: str
    run_id: UUID = foreign_key_column("run.id")
    partition: str | None = None
    from_version: int | None = big_integer_column(default=None)
    kind: FeedbackKind = enum_column(FeedbackKind)
    reason: str
    author_id: UUID = foreign_key_column("user.id")
    incident_id: UUID | None = foreign_key_column("incident.id", default=None, index=True)
    created_at: datetime = time_column()
