"""Derive bounds for a metric from its past values: their range, widened by a multiple of it."""

import math
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

LEAST_PARTITIONS = 5
LEAST_PARTITIONS_FOR_TREND = 8
# Set by hand: rank correlation with time above which no fixed range lasts.
STEADY = 0.8
# Multiples of the range added to it; the narrowest that holds on newer partitions is used.
MARGINS = (1.0, 2.0, 4.0)
# Set by hand: a drift of at most a tenth of the values gets the widest margin, which lasts many times as long.
SLOW = 0.1
# The margin is multiplied by this: future years outlast the tested partitions.
SAFETY = 3.0

Limits = tuple[float | None, float | None]


def limits(values: Sequence[float], margin: float, floor: float) -> Limits | None:
    """Return the lowest and highest expected value; None on the side towards which values drift.

    `floor`: least distance from the observed range. None for too few or infinite values."""
    if len(values) < LEAST_PARTITIONS or not all(math.isfinite(value) for value in (*values, floor)):
        return None
    numbers = tuple(map(float, values))
    newest = numbers[len(numbers) // 2 :]
    drift = _drifts(numbers) or _drifts(newest)
    if drift and max(numbers) - min(numbers) <= SLOW * max(map(abs, numbers)):
        drift, margin = 0, max(margin, MARGINS[-1])
    recent = newest if drift else numbers
    width = max(margin * (max(recent) - min(recent)), floor)
    low = None if drift < 0 else round_outwards(min(recent) - width, width, up=False)
    high = None if drift > 0 else round_outwards(max(recent) + width, width, up=True)
    return low, high


def drifts(values: Sequence[float]) -> int:
    """Return 1 for steadily rising values, -1 for falling ones, else 0.

    Steady means a rank correlation with time beyond `STEADY`."""
    return _drifts(tuple(values))


# Called with the same values for every margin, before those of the next metric.
@lru_cache(maxsize=16)
def _drifts(values: tuple[float, ...]) -> int:
    import numpy

    if len(values) < LEAST_PARTITIONS_FOR_TREND or len(set(values)) < 2:
        return 0
    correlation = numpy.corrcoef(numpy.arange(len(values)), _ranks(values))[0, 1]
    return 0 if abs(correlation) <= STEADY else 1 if correlation > 0 else -1


def _ranks(values: Sequence[float]) -> Any:
    """Return the ranks of the values in ascending order; ties get their mean rank."""
    import numpy

    ordered = numpy.sort(values)
    return (numpy.searchsorted(ordered, values, "left") + numpy.searchsorted(ordered, values, "right") - 1) / 2


def round_outwards(value: float, width: float, *, up: bool) -> float:
    """Round the value outwards, to a tenth of the width's order of magnitude."""
    if not math.isfinite(value) or not width > 0:
        return value
    step = 10.0 ** (math.floor(math.log10(width)) - 1)
    steps = math.ceil(value / step) if up else math.floor(value / step)
    return float(Decimal(steps) * Decimal(str(step)))
