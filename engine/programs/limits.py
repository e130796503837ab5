"""Derive the limits of clauses from the past of a statistic."""

from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.engine.programs.clause_selection import ConstraintChoice
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.program import Clause
from treaty.engine.programs.recipe import GUARD_ROWS, GUARD_WIDTH, GUARDS
from treaty.engine.programs.stationarity import LEVEL, LagTransform
from treaty.engine.statistics.statistics import STATISTICS, Statistic

Array = NDArray[Any]


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
    return None if open_below else lower, None if open_above else upper


def guard(name: str, history: ColumnHistory) -> Clause | None:
    """Build the guard of a statistic, with the largest of its three possible widths.

    For completeness only the lower side is limited, because returning values are no issue. None if the past has no
    value, or if the guard would admit every possible value."""
    values = history.series[name]
    values = values[numpy.isfinite(values)]
    if not len(values):
        return None
    middle, deviation = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0
    half = max(GUARD_WIDTH * deviation, GUARD_ROWS * history.floor(name), GUARDS[name] * middle)
    alarms = int((numpy.abs(values - middle) > half).sum())
    lower, upper = limits(STATISTICS[name], LEVEL, middle, half)
    upper = upper if STATISTICS[name].most is None else None
    if lower is None and upper is None:
        return None
    return Clause(
        statistic=name,
        change=LEVEL,
        lower=lower,
        upper=upper,
        middle=middle,
        width=GUARD_WIDTH,
        rate=0.0,
        points=len(values),
        alarms=alarms,
        guard=True,
    )
