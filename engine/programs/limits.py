"""Derive the limits of clauses from the past of a statistic."""

from decimal import Decimal

from treaty.engine.programs.clause_selection import ConstraintChoice
from treaty.engine.programs.program import Clause
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.statistics.statistics import Statistic

# Number of digits of limits, rounded outwards.
DIGITS = 6
ROUNDING = 1e-6


def clause_of(choice: ConstraintChoice) -> Clause:
    """Build the clause of a candidate, with its limits and its alarms in the past."""
    summary = choice.past
    half = choice.width * summary.deviation
    alarms = int((summary.away(summary.values) > choice.width).sum())
    lower, upper = limits(summary.statistic, summary.change, summary.middle, half)
    return Clause(
        statistic=summary.statistic.name,
        change=summary.change,
        lower=lower,
        upper=upper,
        middle=summary.middle,
        width=choice.width,
        rate=choice.rate,
        points=summary.points,
        alarms=alarms,
    )


def limits(
    statistic: Statistic, change: LagTransform, middle: float, half: float
) -> tuple[float | None, float | None]:  # fmt: skip
    """Return the limits at that distance from the middle; None where the statistic cannot go further."""
    lower, upper = middle - half, middle + half
    if change.lag:
        return lower, upper
    open_below = statistic.is_distance or (statistic.least is not None and lower <= statistic.least)
    open_above = statistic.most is not None and upper >= statistic.most
    return None if open_below else _rounded(lower, statistic.most), None if open_above else _rounded(
        upper, statistic.least
    )


def _rounded(limit: float, extreme: float | None) -> float:
    """Return the statistic's extreme in place of a limit that only rounding separates from it."""
    return extreme if extreme is not None and abs(limit - extreme) < ROUNDING else limit


def outward(value: float | None, rounding: str, digits: int = DIGITS) -> float | None:
    """Round the number to that many digits in that direction; None stays None."""
    if value is None or value == 0:
        return value
    exact = Decimal(repr(float(value)))
    return float(exact.quantize(Decimal(1).scaleb(exact.adjusted() - digits + 1), rounding=rounding))
