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

    `clause` names the limits that were approved, `name` these. Learned from `points` partitions from `first` to `last`,
    not from those `without`, as the dataset's states were in version `states_version`; `training` is the fingerprint of
    their contents. Of the `judged` ones `alarms` names those that alarmed in the back-test. `admitted`: the recipe lets
    them judge; else they were proposed."""

    __tablename__ = "fit"
    __table_args__ = (Index(None, "contract_id", "object", "check_id", "created"),)
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
    first: str
    last: str
    without: list[str] = json_column()
    states_version: int = big_integer_column()
    training: str
    judged: int
    alarms: list[str] = json_column()
    admitted: bool
    reason: FitReason = enum_column(FitReason)
    created: datetime = time_column()


class PointFeedbackRow(BaseRow, table=True):
    """What somebody said of the data that a run judged: of a partition, None: of all together. The newest one counts.

    It is about that content of the partition, which is there from version `since` of the dataset's states; None: about
    what that run judged alone. `incident_id`: it was said by resolving that incident, or by opening it again."""

    __tablename__ = "point_mark"
    __table_args__ = (Index(None, "contract_id", "object", "created"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = foreign_key_column("contract.id")
    object: str
    run_id: UUID = foreign_key_column("run.id")
    partition: str | None = None
    since: int | None = big_integer_column(default=None)
    mark: FeedbackKind = enum_column(FeedbackKind)
    why: str
    author_id: UUID = foreign_key_column("user.id")
    incident_id: UUID | None = foreign_key_column("incident.id", default=None, index=True)
    created: datetime = time_column()
