"""Models of the history of metrics and checks."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from treaty.registry.core.bounded_values import LookupText, Timestamp
from treaty.registry.schemas.base import ApiModel
from treaty.registry.schemas.contracts import CheckResultOut


class MetricHistoryQuery(ApiModel):
    """Filter of measurements."""

    contract_id: LookupText = Field(description="Id of the contract")
    object: LookupText = Field(description="Name of the object: a table of the contract")
    metric: LookupText | None = Field(
        default=None, description="Name of an analyzer or identity of a metric; by default all metrics"
    )
    since: Timestamp | None = Field(default=None, description="Only data from this time on")
    until: Timestamp | None = Field(default=None, description="Only data before this time")
    segment: LookupText | None = Field(default=None, description="Only this segment, such as `country=DE`")
    tag: LookupText | None = Field(default=None, description="Only if the contract or the object has this tag")
    limit: int = Field(default=1000, ge=1, le=10_000, description="Maximum number of measurements, newest first")


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
    """Filter of check results."""

    contract_id: LookupText = Field(description="Id of the contract")
    object: LookupText = Field(description="Name of the object: a table of the contract")
    check_id: LookupText = Field(description="Id of the check")
    since: Timestamp | None = Field(default=None, description="Only runs that ended at or after this time")
    limit: int = Field(default=500, ge=1, le=5000, description="Maximum number of results, newest first")


class CheckHistoryItemOut(CheckResultOut):
    """A result of a check with the version and the end of its run."""

    run_id: UUID
    version: str
    finished_at: datetime
