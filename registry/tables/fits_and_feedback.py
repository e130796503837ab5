"""Tables of what is learned beside a version: fits of programs, and what people say of single points."""

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
    """Limits of a clause as newer history told them, beside the version that was in force.

    `clause` names the limits that were approved, `name` these. Learned from `points` partitions from `first_partition`
    to `last_partition`, not from those `excluded_partitions`, as the dataset's states were in version `states_version`;
    `training_fingerprint` is the fingerprint of their contents. Of the `backtest_points` ones `backtest_alarms` names
    those that alarmed in the back-test. `is_active`: the recipe lets them judge; else they were proposed."""

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
    """What somebody said of the data that a run judged: of a partition, None: of all together. The newest one counts.

    It is about that content of the partition, which is there from version `from_version` of the dataset's states; None:
    about what that run judged alone. `incident_id`: it was said by resolving that incident, or by opening it again."""

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
