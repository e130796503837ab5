"""Metrics of rows: their number and the share that satisfies a predicate."""

from dataclasses import replace
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import Predicate
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import CountComponent, CountIfComponent


class Size(Analyzer):
    """Number of rows; 0 for an empty table."""

    name = "size"
    unit = "rows"
    defined_on_empty = True
    value_template = "{value} rows"
    rows = CountComponent()

    def value(self, state: Any) -> int:
        return int(state.rows)


class Compliance(Analyzer):
    """Share of the rows for which the predicate is true, |{d: p(d)}| / N.

    After Deequ, VLDB 2018, Table 2. Between 0 and 1. A row for which the predicate is null does not comply. No value
    for an empty table, or if no row matches `where`."""

    name = "compliance"
    unit = "share"
    value_template = "{value} of {counted} rows satisfy {predicate}"
    violation_phrase = "rows do not satisfy it"
    predicate: Predicate
    matches = CountIfComponent("{predicate}")
    rows = CountComponent()

    def value(self, state: Any) -> float | None:
        return state.matches / state.rows if state.rows else None

    def broken(self, state: Any) -> int:
        return int(state.rows - state.matches)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.violating_rows(operands["predicate"][0].sql, assertion)


class Implication(Analyzer):
    """Share of the rows that satisfy the predicate, among those that satisfy the condition.

    Rows whose condition is false or null are excluded. A row that satisfies the condition and for which the
    predicate is null is a violation. No value if no row satisfies the condition."""

    name = "implication"
    unit = "share"
    value_template = "{value} of {counted} rows with {condition} satisfy {predicate}"
    violation_phrase = "rows do not satisfy it"
    condition: Predicate
    predicate: Predicate
    evaluated = CountIfComponent("{condition}")
    satisfying = CountIfComponent("({condition}) AND ({predicate})")

    @property
    def phrase(self) -> str:
        suffix = f" where {self.where}" if self.where else ""
        return f"implication of {self.predicate} by {self.condition}{suffix}"

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        condition, predicate = named["condition"][0], named["predicate"][0]
        if predicate.errs is None:
            return named
        # A predicate that cannot be evaluated does not matter unless the condition is true.
        errs = f"coalesce({condition.sql}, false) AND ({predicate.errs})"
        return {**named, "predicate": (replace(predicate, errs=errs),)}

    def value(self, state: Any) -> float | None:
        return state.satisfying / state.evaluated if state.evaluated else None

    def counted(self, state: Any) -> int:
        return int(state.evaluated)

    def broken(self, state: Any) -> int:
        return int(state.evaluated - state.satisfying)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        condition, predicate = operands["condition"][0].sql, operands["predicate"][0].sql
        return violation_bounds.violating_rows(f"NOT coalesce({condition}, false) OR ({predicate})", assertion)
