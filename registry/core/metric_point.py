"""Represent points of a metric's history, for charts, detectors and the API."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricPoint:
    """One value of a metric at one time.

    A plain dataclass instead of a pydantic model, because thousands of points are read and written at once.

    `partition`: None means the whole dataset.
    `value`: None if the metric could not be computed; `reason` explains why.
    `exact`: the value with every digit.
    `row_count`: number of rows measured.
    `details`: distribution behind the value."""

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
