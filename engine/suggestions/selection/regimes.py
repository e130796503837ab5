"""Find the present regime of a column: partitions before its unit or vocabulary changed are left out.

A change is a lasting step of a metric: values before and after it are far apart, and close to each other."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import isfinite, log

from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile

METRICS = ("completeness", "mean", "median", "maximum", "mean_length", "maximum_length", "approx_count_distinct")
# Set by hand: values on each side of a step are compared with up to NEIGHBORS neighbors, and at least LEAST_BEFORE and
# LEAST_AFTER are needed. A step is TIMES_AS_HIGH the spread of either side and LEAST_STEP of the values themselves.
NEIGHBORS, LEAST_BEFORE, LEAST_AFTER = 8, 3, 5
TIMES_AS_HIGH, LEAST_STEP = 3.0, 0.2


def since(column: ColumnProfile | None, part: HistorySlice, *, least: int = LEAST_BEFORE) -> int:
    """Return the position of the first partition of the present regime; 0 if it never changed.

    `column`: None means the table. Partitions before the column's first value are excluded: the column is newer.
    `least`: minimum number of partitions before a step."""
    if column is None:
        return step(part.rows, least) if all(part.rows) else 0
    first = next((at for at, share in enumerate(part.each(column, "completeness")) if share), 0)
    return max(first, *(_step_of(column, metric, part, first, least) for metric in METRICS))


def _step_of(column: ColumnProfile, metric: str, part: HistorySlice, first: int, least: int) -> int:
    values = [(at, value) for at, value in enumerate(part.each(column, metric)) if value is not None and at >= first]
    if not all(isinstance(value, int | float) and isfinite(value) for _, value in values):
        return 0
    at = step([float(value) for _, value in values], least)
    return values[at][0] if at else 0


def step(values: Sequence[float], least: int = LEAST_BEFORE) -> int:
    """Return the position of the first value after the last step; 0 without a step.

    Values and their logarithms are tested: a changed unit multiplies values, and large values spread more."""
    logs = [log(value) for value in values] if all(value > 0 for value in values) else []
    return max(_last(values, _of_size, least), _last(logs, lambda _: -log(1 - LEAST_STEP), least))


def _of_size(around: Sequence[float]) -> float:
    return LEAST_STEP * max(map(abs, around))


def _last(values: Sequence[float], height: Callable[[Sequence[float]], float], before: int) -> int:
    lowest, highest = (list(accumulate(reversed(values), of))[::-1] for of in (min, max))
    places = range(len(values) - LEAST_AFTER, before - 1, -1)
    # The value before it alone excludes nearly every position.
    candidates = (at for at in places if lowest[at] > values[at - 1] or highest[at] < values[at - 1])
    around = ((at, values[max(0, at - NEIGHBORS) : at], values[at : at + NEIGHBORS]) for at in candidates)
    return next((at for at, old, new in around if _is_step(old, new, lowest[at], highest[at], height)), 0)


def _is_step(
    old: Sequence[float],
    new: Sequence[float],
    lowest: float,
    highest: float,
    height: Callable[[Sequence[float]], float],
) -> bool:
    """Test one position. `lowest`, `highest`: of all values from there on."""
    wide = max(max(old) - min(old), max(new) - min(new))
    high = max(lowest - max(old), min(old) - highest)
    return high > TIMES_AS_HIGH * wide and high > height((*old, *new))
