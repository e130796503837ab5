"""The history of metrics, and of the results of one check, as the API gives it."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, Field

from treaty.registry.schemas.base import ApiModel
from treaty.registry.schemas.contracts import CheckResultOut


class MetricHistoryQuery(ApiModel):
    """Which measurements are asked for. `metric`: an analyzer's name, or a metric's identity. `since`, `until`: of the
    data, the latter without its own moment."""

    contract_id: str
    object: str
    metric: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    segment: str | None = None
    tag: str | None = None
    limit: int = Field(default=1000, ge=1, le=10_000)


class MetricHistoryItemOut(ApiModel):
    """A metric as measured once. `data_at`: of what time the data are, by their partition's name, else when they were
    measured. `segment`: what else that name says. `value` None: a gap, for the `reason`. `version`: of the contract."""

    identity: str
    analyzer: str
    arguments: dict[str, Any]
    data_at: datetime
    partition: str | None
    segment: str | None
    value: float | None
    exact: str | None
    reason: str | None
    row_count: int | None
    measured_at: datetime
    run_id: UUID
    version: str
    dataset: str | None
    tags: tuple[str, ...]


class CheckHistoryQuery(ApiModel):
    """Which check is asked for, by its id. `since`: of runs that ended then or later."""

    contract_id: str
    object: str
    check_id: str
    since: AwareDatetime | None = None
    limit: int = Field(default=500, ge=1, le=5000)


class CheckHistoryItemOut(CheckResultOut):
    """A result of a check, and the run that it is of: its contract's version, and when it ended."""

    run_id: UUID
    version: str
    finished_at: datetime
