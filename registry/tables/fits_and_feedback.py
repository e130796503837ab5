"""Tables of what is learned beside a version: fits of programs, and what people say of single points."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import Index
from sqlmodel import Field

from treaty.registry.core.enums import FeedbackKind, FitReason
from treaty.registry.tables.base import BaseRow, big, data, moment, reference, word


class FitRow(BaseRow, table=True):
    """Limits of a clause as newer history told them, beside the version that was in force.

    `clause` names the limits that were approved, `name` these. Learned from `points` partitions from `first` to `last`,
    not from those `without`, as the dataset's states were in version `states_version`; `training` is the fingerprint of
    their contents. Of the `judged` ones `alarms` names those that alarmed in the back-test. `admitted`: the recipe lets
    them judge; else they were proposed."""

    __tablename__ = "fit"
    __table_args__ = (Index(None, "contract_id", "object", "check_id", "created"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = reference("contract.id")
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
    without: list[str] = data()
    states_version: int = big()
    training: str
    judged: int
    alarms: list[str] = data()
    admitted: bool
    reason: FitReason = word(FitReason)
    created: datetime = moment()


class PointFeedbackRow(BaseRow, table=True):
    """What somebody said of the data that a run judged: of a partition, None: of all together. The newest one counts.

    It is about that content of the partition, which is there from version `since` of the dataset's states; None: about
    what that run judged alone. `incident_id`: it was said by resolving that incident, or by opening it again."""

    __tablename__ = "point_mark"
    __table_args__ = (Index(None, "contract_id", "object", "created"),)
    id: UUID = Field(primary_key=True)
    contract_id: str = reference("contract.id")
    object: str
    run_id: UUID = reference("run.id")
    partition: str | None = None
    since: int | None = big(default=None)
    mark: FeedbackKind = word(FeedbackKind)
    why: str
    author_id: UUID = reference("user.id")
    incident_id: UUID | None = reference("incident.id", default=None, index=True)
    created: datetime = moment()
