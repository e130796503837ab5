"""How far a number may go that was measured of many partitions: as far as it went, and some of its own spread more."""

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

LEAST_PARTITIONS = 5
LEAST_PARTITIONS_FOR_TREND = 8
# By hand: a rank correlation with time beyond which no fixed range will last.
STEADY = 0.8
# Spreads beyond what was seen, the narrowest first that held on newer partitions.
MARGINS = (1.0, 2.0, 4.0)
# By hand: what drifts by no more than a tenth of itself is given the widest margin, which lasts for many times as long.
SLOW = 0.1
# What held is promised twice as wide: the next years are longer than those that it was judged on.
SAFETY = 3.0

Limits = tuple[float | None, float | None]


def limits(values: Sequence[float], margin: float, floor: float) -> Limits | None:
    """The lowest and the highest value to come; None on the side towards which they drift.

    `floor`: the least that must be left beyond what was seen. None for too few values, and for infinite ones."""
    if len(values) < LEAST_PARTITIONS or not all(math.isfinite(value) for value in (*values, floor)):
        return None
    numbers = tuple(map(float, values))
    newest = numbers[len(numbers) // 2 :]
    drift = _drifts(numbers) or _drifts(newest)
    if drift and max(numbers) - min(numbers) <= SLOW * max(map(abs, numbers)):
        drift, margin = 0, max(margin, MARGINS[-1])
    seen = newest if drift else numbers
    width = max(margin * (max(seen) - min(seen)), floor)
    low = None if drift < 0 else round_outwards(min(seen) - width, width, up=False)
    high = None if drift > 0 else round_outwards(max(seen) + width, width, up=True)
    return low, high


def drifts(values: Sequence[float]) -> int:
    """1 for values that rise steadily, -1 for those that fall (rank correlation with time beyond `STEADY`), else 0."""
    return _drifts(tuple(values))


# Asked of the same values for every margin, before those of the next metric.
@lru_cache(maxsize=16)
def _drifts(values: tuple[float, ...]) -> int:
    import numpy

    if len(values) < LEAST_PARTITIONS_FOR_TREND or len(set(values)) < 2:
        return 0
    correlation = numpy.corrcoef(numpy.arange(len(values)), _ranks(values))[0, 1]
    return 0 if abs(correlation) <= STEADY else 1 if correlation > 0 else -1


def _ranks(values: Sequence[float]) -> Any:
    """The places of the values in ascending order; of equal ones the mean of their places."""
    import numpy

    ordered = numpy.sort(values)
    return (numpy.searchsorted(ordered, values, "left") + numpy.searchsorted(ordered, values, "right") - 1) / 2


def round_outwards(value: float, width: float, *, up: bool) -> float:
    """The value at a tenth of the width's order, outwards: no more digits than mean something."""
    if not math.isfinite(value) or not width > 0:
        return value
    step = 10.0 ** (math.floor(math.log10(width)) - 1)
    steps = math.ceil(value / step) if up else math.floor(value / step)
    return float(Decimal(steps) * Decimal(str(step)))
