"""Analyzers and their components bound to the columns of a table: SQL to ask, states to read, rows that break."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component
from treaty.engine.components.operands import Operand
from treaty.engine.core.results import Value

if TYPE_CHECKING:
    from treaty.engine.analyzers.base import Analyzer

Operands = Mapping[str, tuple[Operand, ...]]


@dataclass(frozen=True)
class BoundComponent:
    """A component with its typed SQL. `key` identifies it: equal keys are computed once and stored once.

    `is_transient`: its state has values of classified columns, and is never stored."""

    component: Component
    operands: tuple[Operand, ...]
    where: str | None = None
    is_transient: bool = False

    @property
    def keyed(self) -> bool:
        """Whether values are counted by hashes, which need the dataset's key."""
        return any(each.is_hashed for each in self.operands)

    @cached_property
    def aggregates(self) -> tuple[str, ...]:
        """The SQL aggregates, filtered; for a grouping its keys, for what is read apart its description."""
        plain = self.component.aggregates(self.operands)
        filtered = self.where and not (self.component.grouping or self.component.needs_own_statement)
        return tuple(f"{sql} FILTER (WHERE {self.where})" for sql in plain) if filtered else plain

    @cached_property
    def digit(self) -> str | None:
        """What a row adds to the aggregates as one number, filtered (`Component.digit`); None where nobody says."""
        plain = self.component.packed_digit(self.operands)
        return f"CASE WHEN {self.where} THEN {plain} ELSE 0 END" if plain and self.where else plain

    @cached_property
    def key(self) -> str:
        """Kind, version, SQL and filter: readable, and the same on every machine."""
        return f"{self.component.kind}/{self.component.version} {self.described}"

    @property
    def described(self) -> str:
        """What is read, and of which rows."""
        sql = ", ".join(self.component.aggregates(self.operands))
        return f"{sql} where {self.where}" if self.where else sql

    def read(self, row: tuple[Any, ...]) -> Any:
        return self.component.read(row, self.operands)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """What an analyzer reads from its states.

    `value`: the metric; None: there was nothing to measure. `rows`: how many the filter admits. `counted`: those that
    the value was measured on. `broken`: those that break a promise of wholeness; None where single rows do not.
    `unevaluated`: those that the analyzer's conditions leave open. `unfiltered`: those of which the filter cannot say
    whether they count. `details`: the distribution behind the value."""

    value: Value
    rows: int
    counted: int | None = None
    broken: int | None = None
    unevaluated: int = 0
    unfiltered: int = 0
    details: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class BoundAnalyzer:
    """An analyzer on a table of a known schema: its components by their names on the class."""

    analyzer: "Analyzer"
    parts: Mapping[str, BoundComponent]
    schema: Schema = field(default=Schema(()), compare=False, repr=False)
    operands: Operands = field(default_factory=dict, compare=False, repr=False)
    where: Operand | None = None

    def read(
        self, states: Mapping[str, Any], *, now: datetime | None = None, before: Mapping[str, Any] | None = None
    ) -> MetricValue:
        """The reading from the states by component key. Raises KeyError (the key) where a state is missing.

        `now` is the moment of judgement, for metrics of age, `before` the states of the partition before, for those
        that compare; they have no value without it."""
        state = self._state(states, now)
        state.before = None if before is None else self._state(before, now)
        empty = self._is_empty(state)
        return MetricValue(
            value=None if empty else self.analyzer.value(state),
            rows=state.rows,
            counted=self.analyzer.counted(state),
            broken=self.analyzer.broken(state),
            unevaluated=state.unevaluated,
            unfiltered=state.unfiltered,
            details=None if empty else self.analyzer.details(state),
        )

    def _state(self, states: Mapping[str, Any], now: datetime | None) -> SimpleNamespace:
        given: dict[str, Any] = {"unevaluated": 0, "unfiltered": 0, "now": now, "schema": self.schema, "before": None}
        for name, key in self._keys:
            given[name] = states[key]
        return SimpleNamespace(**given)

    def _is_empty(self, state: SimpleNamespace) -> bool:
        return state.rows == 0 and self.where is not None and not self.analyzer.defined_on_empty

    @cached_property
    def _keys(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, part.key) for name, part in self.parts.items())

    def value(self, states: Mapping[str, Any], *, now: datetime | None = None) -> Value:
        """The metric alone. Raises KeyError (the key) where a state is missing."""
        state = self._state(states, now)
        return None if self._is_empty(state) else self.analyzer.value(state)

    def counted(self, states: Mapping[str, Any]) -> int:
        """How many rows have what is measured; 0 where a state is missing."""
        try:
            return self.analyzer.counted(self._state(states, None)) or 0
        except KeyError:
            return 0

    def comparable(self, assertion: Assertion) -> Assertion:
        """The assertion with limits that compare with the value: of dates and times, ISO 8601 texts as it has them.

        Raises ValueError for a text that is no date (time) where the column holds them."""
        column = self.operands.get("column", ())
        return violation_bounds.displayed_assertion(column[0], assertion) if len(column) == 1 else assertion

    def breaking(self, assertion: Assertion) -> ViolatingRows | None:
        """Which rows break a check with that assertion, within `where`; None where no single row does."""
        found = self.analyzer.breaking(self.operands, assertion)
        return found.within(self.where.sql) if found and self.where else found
