"""Determine whether an estimate and its threshold are closer than the error of the estimate."""

from treaty.contracts.assertions import ANOMALIES, FUNCTION, Assertion
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.checks.requirement_sentence import limits_of
from treaty.engine.core.number_format import is_number


def uncertain_bounds(assertion: Assertion, reading: MetricValue) -> tuple[float, float] | None:
    """Return the bounds of an estimate if values between them differ in outcome.

    None if the value is exact, if all values between its bounds have the same outcome, or if the threshold is learned:
    the values that a detector learns from have the same error."""
    if reading.bounds is None or assertion.operator in (ANOMALIES, FUNCTION):
        return None
    low, high = reading.bounds
    limits = limits_of(assertion)
    if not all(map(is_number, limits)):
        return None
    points = [low, high, reading.value, *(limit for limit in limits if low <= limit <= high)]
    return reading.bounds if len({assertion.holds(point) for point in points}) > 1 else None
