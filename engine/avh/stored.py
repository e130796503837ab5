"""Summaries of partitions from the states that are kept of them: no value is read again.

Counts, moments and characters are exact; quantiles, distances of numbers and rare values are as near as their sketches
are. What no state was kept of has no value, and no clause is made of it."""

from collections.abc import Mapping
from typing import Any

from engine.analyzers.frequencies import Counts
from engine.analyzers.moments import Three
from engine.analyzers.sketches import HeavyHitters
from engine.avh.steps import steps
from engine.avh.summaries import Numbers, Tally, Texts

# Beyond so many distinct values a tally is not worth its memory: the frequent ones of a sketch tell as much.
MOST_LISTED = 10_000


def numbers(rows: int, moments: Three, quantiles: bytes | None = None, distinct: float | None = None) -> Numbers:
    """The summary of numbers: `rows` of the partition, a `Moments` state, a `Quantiles` state, the distinct count."""
    return Numbers(rows, moments, steps(quantiles), distinct)


def texts(rows: int, present: int, distinct: float | None = None, **known: Any) -> Texts:
    """The summary of texts: `rows`, those `present`, the distinct count, and by name whatever else of `Texts` is known.

    `characters` are sums over all texts, `values` and `masks` tallies."""
    return Texts(rows, present, distinct, **known)


def frequent(state: bytes | None) -> Tally:
    """The tally of a `HeavyHitters` or `PatternProfile` state: at least so often; empty for no values."""
    values, error = HeavyHitters.values(state)
    counts: Mapping[str, int] = {value: count - error for value, count in values.items()}
    return Tally(counts, HeavyHitters.rows(state), error)


def counted(state: Counts | None) -> Tally | None:
    """The tally of a `Frequencies` state of one text column, exact; None beyond 10,000 distinct values.

    Empty for no state."""
    found = None if state is None else state.complete()
    if found is None:
        return Tally({}, 0)
    table = found.table
    if table.num_rows > MOST_LISTED:
        return None
    counts = dict(zip(table["k0"].to_pylist(), table["n"].to_pylist(), strict=True))
    return Tally(counts, sum(counts.values()))
