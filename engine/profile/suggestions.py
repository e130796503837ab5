"""Suggestions: what a table's history promises, found on its older part, kept only where the newer part keeps it too.

A suggestion is one function below: from a history (and a column) to a `Candidate`, or None. Adding one is one function.
"""

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any

from contracts.assertions import Assertion
from contracts.fingerprint import fingerprint
from contracts.predicates import PredicateError, literal, parse, quote
from engine.analyzers.quoting import INTEGRAL, NUMERIC, TEXT
from engine.profile import ranges
from engine.profile.profile import ColumnProfile, History
from engine.results import Value
from engine.states import States

MOST_CATEGORIES = 50
LEAST_ROWS_FOR_CATEGORIES = 100
LEAST_PARTITIONS_FOR_BANDS = 5
BAND_SIGMAS = 4
BAND_MARGIN = 0.1
LEAST_SHARE = 0.5
NOT_NEGATIVE = {"analyzer": "minimum", "mustBeGreaterOrEqualTo": 0}


@dataclass(frozen=True)
class Candidate:
    """A promise and how to measure whether a partition keeps it. `patch` is what it adds to the contract."""

    kind: str
    sentence: str
    expression: str
    patch: Mapping[str, Any]
    metric: Callable[[States], Value]
    assertion: Assertion
    severity: str = "error"
    limits: tuple[float | None, float | None] = (None, None)
    details: Mapping[str, Any] = field(default_factory=dict)


OfHistory = Callable[[History], Candidate | None]
Propose = Callable[[ColumnProfile, History], Candidate | None]
COLUMN_SUGGESTIONS: dict[str, Propose] = {}
TABLE_SUGGESTIONS: dict[str, OfHistory] = {}


def of_column(propose: Propose) -> Propose:
    """Registers a suggestion that each column is asked for."""
    COLUMN_SUGGESTIONS[propose.__name__] = propose
    return propose


def of_table(propose: OfHistory) -> OfHistory:
    """Registers a suggestion about the table itself."""
    TABLE_SUGGESTIONS[propose.__name__] = propose
    return propose


def candidates(history: History) -> Iterator[tuple[str, ColumnProfile | None, OfHistory]]:
    """(kind, column, the function that proposes from a history) of every suggestion that could be made."""
    for kind, of_history in TABLE_SUGGESTIONS.items():
        yield kind, None, of_history
    for column in history.columns:
        for kind, propose in COLUMN_SUGGESTIONS.items():
            yield kind, column, partial(propose, column)


@of_column
def complete(column: ColumnProfile, history: History) -> Candidate | None:
    """No value is missing."""
    if not history.rows or min(history.series(column, "completeness"), default=0) < 1:
        return None
    return Candidate(
        kind="complete",
        sentence=f"{column.column.name} is always present",
        expression=f"completeness of {column.column.name} is 1",
        patch={"required": True},
        metric=lambda bag: column.value("completeness", bag),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )


@of_column
def non_negative(column: ColumnProfile, history: History) -> Candidate | None:
    """No number is below zero."""
    lowest = history.series(column, "minimum")
    if column.column.base_type not in NUMERIC or not lowest or not all(value >= 0 for value in lowest):
        return None
    name = column.column.name
    return Candidate(
        kind="non_negative",
        sentence=f"{name} is never negative",
        expression=f"minimum of {name} is at least 0",
        patch={"quality": _check(f"{name}-not-negative", f"{name} is never negative", "conformity", NOT_NEGATIVE)},
        metric=lambda bag: column.value("minimum", bag),
        assertion=Assertion("mustBeGreaterOrEqualTo", 0),
        limits=(0, None),
    )


@of_column
def value_range(column: ColumnProfile, history: History) -> Candidate | None:
    """Nearly all numbers lie within the extreme percentiles seen in any partition, widened by their own distance."""
    bounds, share = ranges.bounds(column, history), ranges.share(min(filter(None, history.rows), default=0))
    if bounds is None or share < LEAST_SHARE:
        return None
    name, (lower, upper) = column.column.name, bounds
    predicate = f"{quote(name)} IS NULL OR {quote(name)} BETWEEN {_number(lower)} AND {_number(upper)}"
    if not _is_admitted(predicate):
        return None
    words = f"{name} lies between {lower:,g} and {upper:,g} in at least {share:.0%} of the rows"
    return Candidate(
        kind="value_range",
        sentence=words,
        expression=f"{_number(lower)} <= {name} <= {_number(upper)} for {share:.0%}",
        patch={"quality": _check(f"{name}-range", words, "conformity", _compliance(predicate, at_least=share))},
        metric=lambda bag: ranges.share_within(column, bag, lower, upper),
        assertion=Assertion("mustBeGreaterOrEqualTo", share),
        severity="warning",
        limits=(share, None),
        details={"lower": lower, "upper": upper},
    )


@of_column
def categorical(column: ColumnProfile, history: History) -> Candidate | None:
    """A text column takes only the few values that it took so far."""
    counts, error = column.values(history.whole)
    if column.column.base_type not in TEXT or error or not 0 < len(counts) <= MOST_CATEGORIES:
        return None
    if sum(counts.values()) < max(LEAST_ROWS_FOR_CATEGORIES, 10 * len(counts)):
        return None
    name, values = column.column.name, sorted(counts)
    predicate = f"{quote(name)} IS NULL OR {quote(name)} IN ({', '.join(literal(value) for value in values)})"
    if not _is_admitted(predicate):
        return None
    words = f"{name} is one of {len(values)} known values"
    return Candidate(
        kind="categorical",
        sentence=words,
        expression=f"{name} in ({', '.join(values)})",
        patch={"quality": _check(f"{name}-values", words, "conformity", _compliance(predicate, at_least=1))},
        metric=lambda bag: _share_known(column, bag, frozenset(values)),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
        details={"values": values, "counts": [counts[value] for value in values]},
    )


def _share_known(column: ColumnProfile, bag: States, known: frozenset[str]) -> float | None:
    counts, _ = column.values(bag)
    total = sum(counts.values())
    return sum(count for value, count in counts.items() if value in known) / total if total else None


@of_column
def unique(column: ColumnProfile, history: History) -> Candidate | None:
    """No value occurs twice, in the whole table."""
    if column.unique is None or not _is_unique(column, history.whole):
        return None
    name = column.column.name
    return Candidate(
        kind="unique",
        sentence=f"{name} is unique in the whole table",
        expression=f"uniqueness of {name} is 1",
        patch={"unique": True},
        metric=lambda bag: _uniqueness(column, bag),
        assertion=Assertion("mustBe", 1),
        limits=(1, None),
    )


def _is_unique(column: ColumnProfile, bag: States) -> bool:
    return _uniqueness(column, bag) == 1 and bag.rows >= 10


def _uniqueness(column: ColumnProfile, bag: States) -> Value:
    try:
        return column.unique.value(bag.values) if column.unique else None
    except KeyError:
        return None


def worth_counting(history: History, *, most: int = 8) -> list[ColumnProfile]:
    """The columns that may be unique: complete, and nearly as many distinct values as rows; the likeliest first."""
    scored = [
        (_distinct_share(column, history), column)
        for column in history.columns
        if column.column.base_type in INTEGRAL | TEXT
    ]
    likely = [
        (share, column) for share, column in scored if share >= 0.9 and column.value("completeness", history.whole) == 1
    ]
    return [column for _, column in sorted(likely, key=lambda pair: -pair[0])[:most]]


def _distinct_share(column: ColumnProfile, history: History) -> float:
    rows = sum(history.rows)
    return float(column.value("approx_count_distinct", history.whole) or 0) / rows if rows else 0.0


@of_table
def row_count_band(history: History) -> Candidate | None:
    """As many rows as usual: mean and four standard deviations of the logarithm of past counts, and a tenth more."""
    logs = [math.log(rows) for rows in history.rows if rows]
    if len(logs) < LEAST_PARTITIONS_FOR_BANDS or len(logs) < len(history.rows):
        return None
    centre, spread = statistics.fmean(logs), BAND_SIGMAS * statistics.pstdev(logs)
    lower = math.floor(math.exp(centre - spread) * (1 - BAND_MARGIN))
    upper = math.ceil(math.exp(centre + spread) * (1 + BAND_MARGIN))
    words = f"a partition has between {lower:,} and {upper:,} rows"
    return Candidate(
        kind="row_count_band",
        sentence=words,
        expression=f"{lower} <= size <= {upper}",
        patch={
            "quality": _check("row-count", words, "coverage", {"analyzer": "size", "mustBeBetween": [lower, upper]})
        },
        metric=lambda bag: bag.rows,
        assertion=Assertion("mustBeBetween", (lower, upper)),
        limits=(lower, upper),
    )


def _is_admitted(predicate: str) -> bool:
    """Whether a contract may hold the predicate: names that Spark would replace and very long lists are refused."""
    try:
        parse(predicate, None)
    except PredicateError:
        return False
    return True


def _compliance(predicate: str, *, at_least: float) -> dict[str, Any]:
    return {"analyzer": "compliance", "predicate": predicate, "mustBeGreaterOrEqualTo": at_least}


def _check(check_id: str, name: str, dimension: str, implementation: Mapping[str, Any]) -> dict[str, Any]:
    words = {"id": _slug(check_id), "name": name, "type": "custom", "engine": "treaty", "dimension": dimension}
    return {**words, "implementation": {**implementation, "scope": "delta"}}


def _slug(text: str) -> str:
    """Letters, digits and dashes; what had other characters is told apart by a few digits of its fingerprint."""
    slug = re.sub(r"[^A-Za-z0-9_-]", "-", text)
    return slug if slug == text else f"{slug}-{fingerprint(text)[:6]}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
