"""Points of a metric's history: what was measured of it, as charts, detectors and the API read it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPoint:
    """One metric at one time, of one partition (None: the whole dataset), measured on `row_count` rows.

    `details` is the distribution behind the value. No model: a thousand of them are read, and written, at once."""

    run_id: UUID
    identity: str
    analyzer: str
    arguments: dict[str, Any]
    partition: str | None
    value: float | None
    exact: str | None
    reason: str | None
    measured_at: datetime
    row_count: int | None
    details: dict[str, Any] | None
