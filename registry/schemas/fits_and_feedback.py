"""Models of fits of programs and of feedback on data points."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import FeedbackKind, FitReason, RefitOutlook
from treaty.registry.schemas.base import ApiModel, ApiRequest, Reason


class FitsQuery(ApiModel):
    """Filter of fits."""

    contract_id: LookupText = Field(description="Id of the contract")
    object: LookupText = Field(description="Name of the object: a table of the contract")
    check_id: LookupText | None = Field(default=None, description="Only fits of this check; by default of all checks")
    limit: int = Field(default=100, ge=1, le=1000, description="Maximum number of fits")


class FitOut(ApiModel):
    """Bounds of a clause that were refitted to newer history.

    - `clause`: name of the bounds that were approved with `version`.
    - `name`: name of the fit in results of runs.
    - `points`: number of partitions used, from `first_partition` to `last_partition` without `excluded_partitions`.
    - `backtest_alarms`: partitions that bounds learned in this way would have alarmed on, among `backtest_points`.
    - `is_active`: the bounds are in use; otherwise they are only proposed.
    - `lower`: learned lower bound; null if there is none.
    - `upper`: learned upper bound; null if there is none.
    - `first_partition`: oldest partition that was used.
    - `last_partition`: newest partition that was used.
    - `excluded_partitions`: partitions between them that were not used, because of incidents or feedback.
    - `states_version`: version of the table's states that was read.
    - `training_fingerprint`: fingerprint of the values that were learned from.
    - `backtest_points`: number of partitions in the backtest."""

    id: UUID
    object: str
    check_id: str
    version: str
    clause: str
    name: str
    lower: float | None
    upper: float | None
    points: int
    first_partition: str
    last_partition: str
    excluded_partitions: tuple[str, ...]
    states_version: int
    training_fingerprint: str
    backtest_points: int
    backtest_alarms: tuple[str, ...]
    is_active: bool
    reason: FitReason
    created_at: datetime


class FeedbackQuery(ApiModel):
    """Filter of feedback: an object of a contract."""

    contract_id: LookupText = Field(description="Id of the contract")
    object: LookupText = Field(description="Name of the object: a table of the contract")
    limit: int = Field(default=100, ge=1, le=1000, description="Maximum number of entries")


class FeedbackIn(ApiRequest):
    """Feedback on data that a run validated.

    - `partition`: null means all partitions of the run together."""

    run_id: UUID
    partition: LookupText | None = Field(default=None, max_length=1000)
    kind: FeedbackKind
    reason: Reason


class FeedbackOut(ApiModel):
    """Feedback on data that a run validated.

    - `incident_id`: the incident that was resolved or reopened with this feedback; null if there is none."""

    id: UUID
    object: str
    run_id: UUID
    partition: str | None
    kind: FeedbackKind
    reason: str
    author: str
    created_at: datetime
    incident_id: UUID | None


class FeedbackPreviewIn(ApiRequest):
    """Possible feedback on data of a run, and the check to preview."""

    check_id: LookupText = Field(max_length=1000)
    run_id: UUID
    partition: LookupText | None = Field(default=None, max_length=1000)
    kind: FeedbackKind


Edges = tuple[float | None, float | None]


class PreviewPointOut(ApiModel):
    """A data point before and after the feedback.

    - `run_id`: null for the next point, which has not arrived yet.
    - `is_training`: whether the point is learned from, before and after.
    - `bands`: lower and upper bound, before and after; a null band means that the point is not evaluated.
    - `time`: time of the data in the partition, or of the run."""

    partition: str | None
    time: datetime
    value: float | None
    run_id: UUID | None
    is_training: tuple[bool, bool]
    bands: tuple[Edges | None, Edges | None]


class FeedbackPreviewOut(ApiModel):
    """The effect of feedback on a check.

    - `limits`: bounds of the program's clause, before and after.
    - `evaluated`: number of points considered clean.
    - `alarms`: number of these points outside the bounds, before and after.
    - `backtest`: number of alarms and of points in the backtest of the new bounds; null if there is none.
    - `outlook`: effect of the feedback on the limits of the check.
    - `points`: the data points, oldest first."""

    outlook: RefitOutlook
    points: tuple[PreviewPointOut, ...]
    limits: tuple[Edges | None, Edges | None]
    evaluated: int
    alarms: tuple[int, int]
    backtest: tuple[int, int] | None
