"""Summaries of partitions from the states that are kept of them: no value is read again.

Counts, moments and characters are exact; quantiles, distances of numbers and rare values are as near as their sketches
are. What no state was kept of has no value, and no clause is made of it."""

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

# Beyond so many distinct values a tally is not worth its memory: the frequent ones of a sketch tell as much.
# Of a partition and the one before; several distances of a column are told one after the other.
CACHE_SIZE = 4


def numbers(rows: int, moments: Three, quantiles: bytes | None = None, distinct: float | None = None) -> NumberSummary:
    """The summary of numbers: `rows` of the partition, a `Moments` state, a `Quantiles` state, the distinct count."""
    return NumberSummary(rows=rows, moments=moments, curve=steps(quantiles), distinct=distinct)


def texts(rows: int, present: int, distinct: float | None = None, **known: Any) -> TextSummary:
    """The summary of texts: `rows`, those `present`, the distinct count, and by name whatever else of `TextSummary` is
    known.

    `characters` are sums over all texts, `values` and `masks` tallies."""
    return TextSummary(rows=rows, present=present, distinct=distinct, **known)


def distance_parts(states: Mapping[str, Any]) -> dict[str, Any]:
    """What distances are told from, as parts of a summary, from states by their component's kind."""
    parts: dict[str, Any] = {"curve": steps(states["quantiles"])} if "quantiles" in states else {}
    if "heavy_hitters" in states:
        parts["values"] = frequent(states["heavy_hitters"])
    return {**parts, **(mask_counts(states["pattern_profile"]) if "pattern_profile" in states else {})}


@lru_cache(CACHE_SIZE)
def frequent(state: bytes | None) -> HashedCounts:
    """The tally of a `HeavyHitters` state: at least so often; empty for no values."""
    return HashedCounts.of(*_lower_bounds(state))


@lru_cache(CACHE_SIZE)
def mask_counts(state: bytes | None) -> Mapping[str, HashedCounts]:
    """The tallies of `masks` and of their `shapes` of a `PatternProfile` state; empty for no values."""
    counts, rows, error = _lower_bounds(state)
    masks, often = TerminatedCodePoints.of(list(counts)), numpy.array(list(counts.values()), dtype=numpy.int64)
    return {name: hash_counts(each, often, rows, error) for name, each in (("masks", masks), ("shapes", masks.shapes))}


def _lower_bounds(state: bytes | None) -> tuple[Mapping[str, int], int, int]:
    """At least how often each text occurs, of how many rows, and how much more often."""
    values, error = HeavyHitters.values(state)
    return {value: count - error for value, count in values.items()}, HeavyHitters.rows(state), error
