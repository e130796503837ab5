"""What a suggestion is before it is judged: a promise, how it is measured, and the table of all kinds of them.

A kind is one function: from a column, some partitions and a margin to a `SuggestionCandidate`, or None. Adding one is
that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import isnan
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.engine.core.results import Value
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.column_samples import METRICS_OF_VALUES, ColumnSample


@dataclass(frozen=True)
class SuggestionMetric:
    """How a promise is measured: in each partition from its states, and in a sample of rows (None: it cannot be)."""

    of_part: Callable[[HistorySlice], Sequence[Value]]
    of_sample: Callable[[ColumnSample], Value] | None = None


def metric(column: ColumnProfile, name: str) -> SuggestionMetric:
    """The measure that is one of the column's metrics."""
    return SuggestionMetric(lambda part: part.each(column, name), METRICS_OF_VALUES.get(name))


WITHOUT_GAPS = frozenset(
    {"mustBe", "mustBeBetween"}
    | {f"mustBe{side}{equal}" for side in ("Greater", "Less") for equal in ("Than", "OrEqualTo")}
)


@dataclass(frozen=True, kw_only=True)
class SuggestionCandidate:
    """A promise and how to measure whether a partition keeps it. `patch` is what it adds to the contract.

    `counter`: texts that break it, masked; `drops`: on its own it is worth nothing once others catch what it does.
    `confirmed`: it was counted, where False only a sketch admits it; `likely`: the chance that it is meant, by names
    alone, where those were asked; `by_chance`: that it held so far says little."""

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
    by_chance: bool = False

    def failed(self, part: HistorySlice) -> list[bool | None]:
        """Whether each partition breaks it; None where there is nothing to measure."""
        values, whole = self.measure.of_part(part), self.holds(part)
        return [None if value is None else not (whole or self.assertion.holds(value)) for value in values]

    def holds(self, part: HistorySlice) -> bool:
        """Whether no partition breaks it."""
        values = [value for value in self.measure.of_part(part) if value is not None]
        return all(map(self.assertion.holds, self._extremes(values) or values))

    def _extremes(self, values: Sequence[Any]) -> Sequence[Any]:
        """The least and the greatest, where all numbers between them keep the promise if they do; () otherwise."""
        numbers = {type(value) for value in values} <= {int, float} and not any(map(isnan, values))
        usable = len(values) > 2 and numbers and self.assertion.operator in WITHOUT_GAPS
        return (min(values), max(values)) if usable else ()


ProposeColumn = Callable[[ColumnProfile, HistorySlice, float], SuggestionCandidate | None]
ProposeTable = Callable[[HistorySlice, float], SuggestionCandidate | None]
EXACT = (0.0,)


@dataclass(frozen=True, kw_only=True)
class SuggestionKind:
    """A kind of suggestion. The first of `margins` with which it held is taken, `safety` times as wide.

    `over_time`: it says how partitions differ, so that other splits of the rows tell nothing of it."""

    name: str
    propose: Callable[..., SuggestionCandidate | None]
    margins: tuple[float, ...] = EXACT
    safety: float = 1.0
    over_time: bool = False


COLUMN_SUGGESTIONS: dict[str, SuggestionKind] = {}
TABLE_SUGGESTIONS: dict[str, SuggestionKind] = {}


def of_column(
    *, margins: tuple[float, ...] = EXACT, safety: float = 1.0, over_time: bool = False
) -> Callable[[ProposeColumn], ProposeColumn]:
    """Registers a suggestion that each column is asked for, by the function's name."""

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
    """Registers a suggestion about the table itself, by the function's name."""

    def register(propose: ProposeTable) -> ProposeTable:
        add(
            TABLE_SUGGESTIONS,
            SuggestionKind(name=propose.__name__, propose=propose, margins=margins, safety=safety, over_time=over_time),
        )
        return propose

    return register


def add(table: dict[str, SuggestionKind], kind: SuggestionKind) -> None:
    """Adds a kind to one of the tables. Raises ValueError for a name that is taken."""
    if kind.name in table:
        raise ValueError(f"two kinds of suggestions are named '{kind.name}'")
    table[kind.name] = kind


def compliance(predicate: str, *, at_least: float) -> dict[str, Any]:
    """The implementation of a check that so large a share of the rows keeps the predicate."""
    return {"analyzer": "compliance", "predicate": predicate, "mustBeGreaterOrEqualTo": at_least}


def number(value: float) -> str:
    """The number as SQL has it, without an exponent."""
    return str(int(value)) if value == int(value) else format(Decimal(repr(value)), "f")
