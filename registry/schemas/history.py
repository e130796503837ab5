"""Models of the history of metrics and checks."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import AwareDatetime, Field

from treaty.registry.schemas.base import ApiModel
from treaty.registry.schemas.contracts import CheckResultOut


class MetricHistoryQuery(ApiModel):
    """Filter of measurements.

    - `metric`: name of an analyzer or identity of a metric; null means all.
    - `since`, `until`: time of the data, including `since` and excluding `until`."""

    contract_id: str
    object: str
    metric: str | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    segment: str | None = None
    tag: str | None = None
    limit: int = Field(default=1000, ge=1, le=10_000)


class MetricHistoryItemOut(ApiModel):
    """One measurement of a metric.

    - `data_at`: time of the data from the name of its partition, otherwise the time of measurement.
    - `segment`: the rest of the partition's name.
    - `value`: null if there is no value; `reason` explains why.
    - `exact`: value as text, with all digits.
    - `version`: version of the contract."""

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
    """Filter of check results.

    - `since`: earliest end of the run; null means no limit."""

    contract_id: str
    object: str
    check_id: str
    since: AwareDatetime | None = None
    limit: int = Field(default=500, ge=1, le=5000)


class CheckHistoryItemOut(CheckResultOut):
    """A result of a check with the version and the end of its run."""

    run_id: UUID
    version: str
    finished_at: datetime
