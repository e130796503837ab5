"""Define candidates for suggestions, their metrics, and the tables of all kinds.

A kind is one function that takes a column, some partitions and a margin and returns a `SuggestionCandidate` or None.
To add a kind, add such a function."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isnan
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.engine.core.number_format import percentage
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.column_samples import METRICS_OF_VALUES, ColumnSample


@dataclass(frozen=True)
class SuggestionMetric:
    """The metric of a candidate: per partition from states, and for a sample of rows; None if impossible."""

    of_part: Callable[[HistorySlice], Sequence[Value]]
    of_sample: Callable[[ColumnSample], Value] | None = None


def metric(column: ColumnProfile, name: str) -> SuggestionMetric:
    """Return the metric of that name of the column."""
    return SuggestionMetric(lambda part: part.each(column, name), METRICS_OF_VALUES.get(name))


WITHOUT_GAPS = frozenset(
    {"mustBe", "mustBeBetween"}
    | {f"mustBe{side}{equal}" for side in ("Greater", "Less") for equal in ("Than", "OrEqualTo")}
)


@dataclass(frozen=True, kw_only=True)
class SuggestionCandidate:
    """A suggested check with its metric, before selection.

    `patch`: what it adds to the contract. `limits`: lower and upper threshold; None means none. `counter`: returns
    texts that violate it, masked. `drops`: dropped if other suggestions catch the same issues. `confirmed`: counted
    exactly; False if only a sketch supports it. `likely`: probability by names alone that it is intended; None if
    not computed; `likely_by`: the model that computed it. `by_chance`: that it held so far may be chance. `relaxed`:
    returns the check about at least a share of the rows; None if it cannot be about a share. `implied_by`: kinds of
    the same column that say as much about the data that it was learned on, though not about all data."""

    kind: str
    sentence: str
    expression: str
    patch: Mapping[str, Any]
    measure: SuggestionMetric
    assertion: Assertion
    severity: str = "error"
    limits: tuple[float | None, float | None] = (None, None)
    details: Mapping[str, Any] = field(default_factory=dict)
    counter: Callable[[HistorySlice], Sequence[str]] | None = None
    drops: bool = False
    confirmed: bool = True
    likely: float | None = None
    likely_by: str = ""
    by_chance: bool = False
    relaxed: "Callable[[float], SuggestionCandidate] | None" = None
    implied_by: frozenset[str] = frozenset()

    def failed(self, part: HistorySlice) -> list[bool | None]:
        """Return for each partition whether it violates the check; None if there is no value."""
        values, whole = self.measure.of_part(part), self.holds(part)
        return [None if value is None else not (whole or self.assertion.holds(value)) for value in values]

    def holds(self, part: HistorySlice) -> bool:
        """Return True if no partition violates the check."""
        values = [value for value in self.measure.of_part(part) if value is not None]
        return all(map(self.assertion.holds, self._extremes(values) or values))

    def _extremes(self, values: Sequence[Any]) -> Sequence[Any]:
        """Return minimum and maximum if they decide for all numbers between them; else ()."""
        numbers = {type(value) for value in values} <= {int, float} and not any(map(isnan, values))
        usable = len(values) > 2 and numbers and self.assertion.operator in WITHOUT_GAPS
        return (min(values), max(values)) if usable else ()


ProposeColumn = Callable[[ColumnProfile, HistorySlice, float], SuggestionCandidate | None]
ProposeTable = Callable[[HistorySlice, float], SuggestionCandidate | None]
EXACT = (0.0,)


@dataclass(frozen=True, kw_only=True)
class SuggestionKind:
    """A kind of suggestion.

    `summary`: the suggested check in words; by default the first line of the docstring of `propose`. `margins`: tried
    in order; the first that holds is used, times `safety`. `over_time`: compares partitions in time, so that it does
    not apply to other splits of the rows."""

    name: str
    propose: Callable[..., SuggestionCandidate | None]
    margins: tuple[float, ...] = EXACT
    safety: float = 1.0
    over_time: bool = False
    summary: str = ""

    def __post_init__(self) -> None:
        if not self.summary:
            first_line = " ".join((self.propose.__doc__ or "").split("\n\n")[0].split())
            object.__setattr__(self, "summary", first_line.removeprefix("Suggest that ").removeprefix("Suggest "))


COLUMN_SUGGESTIONS: dict[str, SuggestionKind] = {}
TABLE_SUGGESTIONS: dict[str, SuggestionKind] = {}
# Kinds that are not derived from a profile alone, with the suggested check in words.
OTHER_SUGGESTIONS: Mapping[str, str] = {
    "pattern": "Texts match a pattern that was learned from the columns of all tables",
    "pattern_drift": "The share of texts that do not match the learned pattern does not rise significantly",
    "refers": "All values exist in the key of another dataset",
    "arrives_by": "Data arrives by a time of day, as a service level",
    "arrives_every": "Data arrives at least every so many hours, as a service level",
    "volume": "The number of rows is as earlier partitions predict: level, trend, season",
    "program": "A metric, or its difference from an earlier partition, stays within learned limits"
    " (Auto-Validate-by-History)",
}


def of_column(
    *, margins: tuple[float, ...] = EXACT, safety: float = 1.0, over_time: bool = False
) -> Callable[[ProposeColumn], ProposeColumn]:
    """Register a suggestion for columns under the function's name."""

    def register(propose: ProposeColumn) -> ProposeColumn:
        add(
            COLUMN_SUGGESTIONS,
            SuggestionKind(name=propose.__name__, propose=propose, margins=margins, safety=safety, over_time=over_time),
        )
        return propose

    return register


def of_table(
    *, margins: tuple[float, ...] = EXACT, safety: float = 1.0, over_time: bool = False
) -> Callable[[ProposeTable], ProposeTable]:
    """Register a suggestion for the table under the function's name."""

    def register(propose: ProposeTable) -> ProposeTable:
        add(
            TABLE_SUGGESTIONS,
            SuggestionKind(name=propose.__name__, propose=propose, margins=margins, safety=safety, over_time=over_time),
        )
        return propose

    return register


def add(table: dict[str, SuggestionKind], kind: SuggestionKind) -> None:
    """Add a kind to one of the tables. Raises ValueError if the name is in use."""
    if kind.name in table:
        raise ValueError(f"a kind of suggestion named '{kind.name}' already exists")
    table[kind.name] = kind


def compliance(predicate: str, *, at_least: float) -> dict[str, Any]:
    """Return the implementation of a check that a share of the rows satisfies the predicate.

    `at_least`: the share, between 0 and 1."""
    return {"analyzer": "compliance", "predicate": predicate, "mustBeGreaterOrEqualTo": at_least}


def of_rows(words: str, least: float) -> str:
    """Return the sentence about all rows, or about at least a share of them."""
    return words if least == 1 else f"{words} in at least {percentage(least)} of the rows"


def plainly(value: float) -> float | int:
    """Return a whole number as an integer."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def number(value: float) -> str:
    """Return the number as SQL, without an exponent."""
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
