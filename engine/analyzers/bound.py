"""Bind analyzers and their components to the columns of a table."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.exact import ExactMetric
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import Component
from treaty.engine.components.operands import Operand
from treaty.engine.core.results import Value

if TYPE_CHECKING:
    from treaty.engine.analyzers.base import Analyzer

Operands = Mapping[str, tuple[Operand, ...]]


@dataclass(frozen=True)
class BoundComponent:
    """A component with its typed SQL.

    Components with equal `key` are computed once and stored once. `where`: SQL filter of the rows; None means all
    rows. `is_transient`: the state contains values of classified columns and is never stored."""

    component: Component
    operands: tuple[Operand, ...]
    where: str | None = None
    is_transient: bool = False

    @property
    def keyed(self) -> bool:
        """Return whether values are counted by keyed hashes, which need the dataset's key."""
        return any(each.is_hashed for each in self.operands)

    @cached_property
    def aggregates(self) -> tuple[str, ...]:
        """Return the SQL aggregates with the filter applied.

        For a grouping these are its keys, for a component with its own statement a description; both without the
        filter."""
        plain = self.component.aggregates(self.operands)
        filtered = self.where and not (self.component.grouping or self.component.needs_own_statement)
        return tuple(f"{sql} FILTER (WHERE {self.where})" for sql in plain) if filtered else plain

    @cached_property
    def digit(self) -> str | None:
        """Return the filtered SQL code of a row for packed counts (`Component.packed_digit`); None if there is none."""
        plain = self.component.packed_digit(self.operands)
        return f"CASE WHEN {self.where} THEN {plain} ELSE 0 END" if plain and self.where else plain

    @cached_property
    def key(self) -> str:
        """Return kind, version, SQL and filter: a readable key that is the same on every machine."""
        return f"{self.component.kind}/{self.component.version} {self.described}"

    @property
    def described(self) -> str:
        """Return the SQL and the filter of the rows that are read."""
        sql = ", ".join(self.component.aggregates(self.operands))
        return f"{sql} where {self.where}" if self.where else sql

    def read(self, row: tuple[Any, ...]) -> Any:
        return self.component.read(row, self.operands)


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricValue:
    """The value of an analyzer, computed from its states.

    `value`: the metric; None means there was nothing to measure. `rows`: rows that match the filter. `counted`: rows
    that the value was measured on. `broken`: rows that violate a check for a share of 1; None means that violations
    cannot be attributed to rows. `unevaluated`: rows for which one of the analyzer's conditions cannot be evaluated.
    `unfiltered`: rows for which the filter cannot be evaluated. `details`: the distribution behind the value.
    `bounds`: numbers between which the exact metric lies; None for an exact value. `estimate_bounds`: the bounds of the
    estimate in place of which `value` was computed exactly; None if it was not."""

    value: Value
    rows: int
    counted: int | None = None
    broken: int | None = None
    unevaluated: int = 0
    unfiltered: int = 0
    details: Mapping[str, Any] | None = None
    bounds: tuple[float, float] | None = None
    estimate_bounds: tuple[float, float] | None = None

    def computed(self, value: Value) -> "MetricValue":
        """Return the reading with an exact value in place of the estimate."""
        return replace(self, value=value, bounds=None, estimate_bounds=self.bounds)


@dataclass(frozen=True, kw_only=True)
class BoundAnalyzer:
    """An analyzer bound to a schema, with its components by their names on the class."""

    analyzer: "Analyzer"
    parts: Mapping[str, BoundComponent]
    schema: Schema = field(default=Schema(()), compare=False, repr=False)
    operands: Operands = field(default_factory=dict, compare=False, repr=False)
    where: Operand | None = None

    def read(
        self,
        states: Mapping[str, Any],
        *,
        now: datetime | None = None,
        before: Mapping[str, Any] | None = None,
        bounded: bool = True,
    ) -> MetricValue:
        """Compute the metric from states by component key.

        `now`: evaluation time, for metrics of age. `before`: states of the previous partition, for metrics that
        compare; without them those metrics have no value. `bounded`: also compute the bounds. Raises KeyError with
        the component key if a state is missing."""
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
            bounds=self.analyzer.bounds(state) if bounded and not empty else None,
        )

    def _state(self, states: Mapping[str, Any], now: datetime | None) -> SimpleNamespace:
        values: dict[str, Any] = {"unevaluated": 0, "unfiltered": 0, "now": now, "schema": self.schema, "before": None}
        for name, key in self._keys:
            values[name] = states[key]
        return SimpleNamespace(**values)

    def _is_empty(self, state: SimpleNamespace) -> bool:
        return state.rows == 0 and self.where is not None and not self.analyzer.defined_on_empty

    @cached_property
    def _keys(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, part.key) for name, part in self.parts.items())

    def value(self, states: Mapping[str, Any], *, now: datetime | None = None) -> Value:
        """Compute the value alone. Raises KeyError with the component key if a state is missing."""
        state = self._state(states, now)
        return None if self._is_empty(state) else self.analyzer.value(state)

    def counted(self, states: Mapping[str, Any]) -> int:
        """Return the number of rows that the value is measured on; 0 if a state is missing."""
        try:
            return self.analyzer.counted(self._state(states, None)) or 0
        except KeyError:
            return 0

    def comparable(self, assertion: Assertion) -> Assertion:
        """Return the assertion with its bounds in the form of the metric's values.

        For a column of dates or times these are ISO 8601 texts. Raises ValueError for a text that is no valid date
        or time."""
        column = self.operands.get("column", ())
        return violation_bounds.displayed_assertion(column[0], assertion) if len(column) == 1 else assertion

    @property
    def exact(self) -> ExactMetric | None:
        """Return how one statement computes an estimate exactly; None if the analyzer has no such way."""
        exact = self.analyzer.exact(self.operands)
        return exact.within(self.where.sql) if exact and self.where else exact

    def breaking(self, assertion: Assertion) -> ViolatingRows | None:
        """Return the rows within `where` that violate a check with this assertion.

        None means that violations cannot be attributed to single rows."""
        violating = self.analyzer.breaking(self.operands, assertion)
        return violating.within(self.where.sql) if violating and self.where else violating
