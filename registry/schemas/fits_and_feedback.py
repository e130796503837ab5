"""Fits of programs, and what people say of single points, as the API takes and gives it."""

from datetime import datetime
from uuid import UUID

from pydantic import Field

from treaty.registry.core.enums import FeedbackKind, FitReason, RefitOutlook
from treaty.registry.schemas.base import ApiModel, ApiRequest, Reason


class FitsQuery(ApiModel):
    """Of which object fits are asked for, and of which check; None: of all."""

    contract_id: str
    object: str
    check_id: str | None = None
    limit: int = Field(default=100, ge=1, le=1000)


class FitOut(ApiModel):
    """Limits of a clause as newer history told them. `name` is what results of runs call them by, `clause` names the
    limits that were approved with that version.

    Learned from `points` partitions, from `first_partition` to `last_partition`, none of `excluded_partitions`; of
    `backtest_points` of them `backtest_alarms` names those that limits learned so would have alarmed on. `is_active`:
    they judge; else they were proposed."""

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
    """Of which object's data something was said."""

    contract_id: str
    object: str
    limit: int = Field(default=100, ge=1, le=1000)


class FeedbackIn(ApiRequest):
    """What to say of what a run judged: of a partition, None: of all together."""

    run_id: UUID
    partition: str | None = Field(default=None, max_length=1000)
    kind: FeedbackKind
    reason: Reason


class FeedbackOut(ApiModel):
    """What somebody said of what a run judged, and when. `incident_id`: they ended that incident so, or opened it
    again."""

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
    """A word that might be said of what a run judged, and the check of which is asked what that would change."""

    check_id: str = Field(max_length=1000)
    run_id: UUID
    partition: str | None = Field(default=None, max_length=1000)
    kind: FeedbackKind


Edges = tuple[float | None, float | None]


class PreviewPointOut(ApiModel):
    """A point: whether it is learned from, and what is admitted of it, each as it is and as it would be.

    `run_id` None: the next one, which is still to come. A band that is null: nothing is said of the point."""

    partition: str | None
    time: datetime
    value: float | None
    run_id: UUID | None
    is_training: tuple[bool, bool]
    bands: tuple[Edges | None, Edges | None]


class FeedbackPreviewOut(ApiModel):
    """What a word would change of a check. `limits`: of a program's clause, as they are and as they would be.

    `evaluated`: how many points would count as clean; `alarms`: how many of them lie outside, as it is and as it would
    be. `backtest`: of limits learned so, how many of how many alarmed."""

    outlook: RefitOutlook
    points: tuple[PreviewPointOut, ...]
    limits: tuple[Edges | None, Edges | None]
    evaluated: int
    alarms: tuple[int, int]
    backtest: tuple[int, int] | None
