"""Since when a column has been what it is: what was before its unit or its words changed says nothing.

A change is a step of a metric that stays: values before it and after it are far apart, and close to each other."""

from collections.abc import Sequence
from itertools import accumulate
from math import isfinite, log

from engine.profile.measured import Part
from engine.profile.profile import ColumnProfile

METRICS = ("completeness", "mean", "median", "maximum", "mean_length", "maximum_length", "approx_count_distinct")
# By hand: values on either side of a step are held against so many next to it, of which there are so many at least; a
# step is so many times as high as either side is wide, and so large a share of the values themselves.
BESIDE, LEAST_BEFORE, LEAST_AFTER = 8, 3, 5
TIMES_AS_HIGH, LEAST_STEP = 3.0, 0.2


def since(column: ColumnProfile | None, part: Part) -> int:
    """The position of the first partition of the column's (None: the table's) present regime; 0 where it always was so.

    Partitions before the first that has a value are none of it: the column came later."""
    if column is None:
        return step([log(rows) for rows in part.rows]) if all(part.rows) else 0
    first = next((at for at, share in enumerate(part.each(column, "completeness")) if share), 0)
    return max(first, *(_step_of(column, metric, part, first) for metric in METRICS))


def _step_of(column: ColumnProfile, metric: str, part: Part, first: int) -> int:
    found = [(at, value) for at, value in enumerate(part.each(column, metric)) if value is not None and at >= first]
    if not all(isinstance(value, int | float) and isfinite(value) for _, value in found):
        return 0
    at = step([float(value) for _, value in found])
    return found[at][0] if at else 0


def step(values: Sequence[float]) -> int:
    """The position of the first value after the last step; 0 where there is none."""
    least, most = (list(accumulate(reversed(values), of))[::-1] for of in (min, max))
    places = range(len(values) - LEAST_AFTER, LEAST_BEFORE - 1, -1)
    around = ((at, values[max(0, at - BESIDE) : at], values[at : at + BESIDE]) for at in places)
    return next((at for at, before, after in around if _is_step(before, after, least[at], most[at])), 0)


def _is_step(before: Sequence[float], after: Sequence[float], least: float, most: float) -> bool:
    """`least`, `most`: of all values from there on."""
    wide = max(max(before) - min(before), max(after) - min(after))
    high = max(least - max(before), min(before) - most)
    return high > TIMES_AS_HIGH * wide and high > LEAST_STEP * max(map(abs, (*before, *after)))
