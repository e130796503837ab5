"""Determine whether an estimate and its threshold are closer than the error of the estimate."""

from collections.abc import Iterator
from typing import Any

from treaty.contracts.assertions import ANOMALIES, FUNCTION, Assertion
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.requirement_sentence import limits_of
from treaty.engine.core.number_format import is_number

Bounds = tuple[float, float]


def uncertain_bounds(assertion: Assertion, reading: MetricValue) -> Bounds | None:
    """Return the bounds of an estimate if values between them differ in outcome.

    None if the value is exact or if all values between its bounds have the same outcome. A function is called with
    the value and with both bounds; one that evaluates a distribution is not called."""
    if reading.bounds is None or assertion.operator == ANOMALIES:
        return None
    points = list(_points(assertion, reading, reading.bounds))
    try:
        outcomes = {bool(assertion.holds(point)) for point in points}
    except Exception:
        # The evaluation of the value itself reports a function that raises, and a limit that cannot be compared.
        return None
    return reading.bounds if len(outcomes) > 1 else None


def _points(assertion: Assertion, reading: MetricValue, bounds: Bounds) -> Iterator[Any]:
    """Yield values that have every outcome between the bounds."""
    if assertion.operator == FUNCTION and reading.details is not None:
        return
    low, high = bounds
    yield from (low, reading.value, high)
    if assertion.operator != FUNCTION:
        yield from (limit for limit in limits_of(assertion) if is_number(limit) and low <= limit <= high)


def border_bounds(check: BoundCheck, reading: MetricValue, *, has_rows: bool) -> Bounds | None:
    """Return the bounds of an estimate that cannot decide the check; None if it can."""
    if isinstance(check.promise, str) or is_decided_by_estimate(check, has_rows=has_rows):
        return None
    return uncertain_bounds(check.promise, reading)


def is_decided_by_estimate(check: BoundCheck, *, has_rows: bool) -> bool:
    """Return whether the estimate decides the check whatever its error: then bounds are not needed.

    It decides about learned thresholds, which were learned from values with the same error. With rows at hand
    (`has_rows`) it does not, if two scans of the same rows might differ and Spark can compute the metric exactly."""
    return check.detector is not None and not (has_rows and is_variable(check) and check.exact)


def is_variable(check: BoundCheck) -> bool:
    """Return whether two scans of the same rows can give the check's metric different values."""
    return check.bound is not None and any(part.component.is_variable for part in check.bound.parts.values())
