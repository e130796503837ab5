"""Build partition summaries from stored states, without reading a value.

Counts, moments and characters are exact; quantiles, distances of numbers and rare values are as exact as their
sketches. A statistic without a stored state has no value, and no clause uses it."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy

from treaty.engine.components.moments import Three
from treaty.engine.components.sketches import HeavyHitters
from treaty.engine.statistics.code_points import TerminatedCodePoints
from treaty.engine.statistics.hashed_counts import HashedCounts, hash_counts
from treaty.engine.statistics.step_functions import steps
from treaty.engine.statistics.summaries import NumberSummary, TextSummary

# Entries cached: those of a partition and the one before, because several distances of a column use them in turn.
CACHE_SIZE = 4


def numbers(rows: int, moments: Three, quantiles: bytes | None = None, distinct: float | None = None) -> NumberSummary:
    """Return the summary of numbers.

    `rows`: of the partition. `moments`: a `Moments` state. `quantiles`: a `Quantiles` state. `distinct`: the distinct
    count. None means unknown."""
    return NumberSummary(rows=rows, moments=moments, curve=steps(quantiles), distinct=distinct)


def texts(rows: int, present: int, distinct: float | None = None, **expected: Any) -> TextSummary:
    """Return the summary of texts.

    `rows`: of the partition. `present`: rows with a value. `distinct`: the distinct count. `expected`: other fields of
    `TextSummary` by name; `characters` are sums over all texts, `values` and `masks` counts."""
    return TextSummary(rows=rows, present=present, distinct=distinct, **expected)


def distance_parts(states: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs of distances, as parts of a summary, from states by component kind."""
    parts: dict[str, Any] = {"curve": steps(states["quantiles"])} if "quantiles" in states else {}
    if "heavy_hitters" in states:
        parts["values"] = frequent(states["heavy_hitters"])
    return {**parts, **(mask_counts(states["pattern_profile"]) if "pattern_profile" in states else {})}


@lru_cache(CACHE_SIZE)
def frequent(state: bytes | None) -> HashedCounts:
    """Return the minimum counts of a `HeavyHitters` state; empty without values."""
    return HashedCounts.of(*_lower_bounds(state))


@lru_cache(CACHE_SIZE)
def mask_counts(state: bytes | None) -> Mapping[str, HashedCounts]:
    """Return the counts of `masks` and their `shapes` of a `PatternProfile` state; empty without values."""
    counts, rows, error = _lower_bounds(state)
    masks, often = TerminatedCodePoints.of(list(counts)), numpy.array(list(counts.values()), dtype=numpy.int64)
    return {name: hash_counts(each, often, rows, error) for name, each in (("masks", masks), ("shapes", masks.shapes))}


def _lower_bounds(state: bytes | None) -> tuple[Mapping[str, int], int, int]:
    """Return the minimum count of each text, the number of rows and the count error."""
    values, error = HeavyHitters.values(state)
    return {value: count - error for value, count in values.items()}, HeavyHitters.rows(state), error
