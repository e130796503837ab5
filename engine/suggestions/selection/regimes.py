"""Since when a column has been what it is: what was before its unit or its words changed says nothing.

A change is a step of a metric that stays: values before it and after it are far apart, and close to each other."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import isfinite, log

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile

METRICS = ("completeness", "mean", "median", "maximum", "mean_length", "maximum_length", "approx_count_distinct")
# By hand: values on either side of a step are held against so many next to it, of which there are so many at least; a
# step is so many times as high as either side is wide, and so large a share of the values themselves.
BESIDE, LEAST_BEFORE, LEAST_AFTER = 8, 3, 5
TIMES_AS_HIGH, LEAST_STEP = 3.0, 0.2


def since(column: ColumnProfile | None, part: HistorySlice, *, least: int = LEAST_BEFORE) -> int:
    """The position of the first partition of the column's (None: the table's) present regime; 0 where it always was so.

    Partitions before the first that has a value are none of it: the column came later. `least`: so many partitions at
    least must have been otherwise."""
    if column is None:
        return step(part.rows, least) if all(part.rows) else 0
    first = next((at for at, share in enumerate(part.each(column, "completeness")) if share), 0)
    return max(first, *(_step_of(column, metric, part, first, least) for metric in METRICS))


def _step_of(column: ColumnProfile, metric: str, part: HistorySlice, first: int, least: int) -> int:
    found = [(at, value) for at, value in enumerate(part.each(column, metric)) if value is not None and at >= first]
    if not all(isinstance(value, int | float) and isfinite(value) for _, value in found):
        return 0
    at = step([float(value) for _, value in found], least)
    return found[at][0] if at else 0


def step(values: Sequence[float], least: int = LEAST_BEFORE) -> int:
    """The position of the first value after the last step, of the values or of their logarithms: a unit that changed
    multiplies, and what is large then spreads more. 0 where there is none."""
    logs = [log(value) for value in values] if all(value > 0 for value in values) else []
    return max(_last(values, _of_size, least), _last(logs, lambda _: -log(1 - LEAST_STEP), least))


def _of_size(around: Sequence[float]) -> float:
    return LEAST_STEP * max(map(abs, around))


def _last(values: Sequence[float], height: Callable[[Sequence[float]], float], before: int) -> int:
    lowest, highest = (list(accumulate(reversed(values), of))[::-1] for of in (min, max))
    places = range(len(values) - LEAST_AFTER, before - 1, -1)
    # Nearly every place is out of the question by the value before it alone.
    apart = (at for at in places if lowest[at] > values[at - 1] or highest[at] < values[at - 1])
    around = ((at, values[max(0, at - BESIDE) : at], values[at : at + BESIDE]) for at in apart)
    return next((at for at, old, new in around if _is_step(old, new, lowest[at], highest[at], height)), 0)


def _is_step(
    old: Sequence[float],
    new: Sequence[float],
    lowest: float,
    highest: float,
    height: Callable[[Sequence[float]], float],
) -> bool:
    """`lowest`, `highest`: of all values from there on."""
    wide = max(max(old) - min(old), max(new) - min(new))
    high = max(lowest - max(old), min(old) - highest)
    return high > TIMES_AS_HIGH * wide and high > height((*old, *new))
