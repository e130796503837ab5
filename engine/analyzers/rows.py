"""Metrics of rows: how many there are, and which share keeps a predicate."""

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
    """Number of rows. 0 for an empty table."""

    name = "size"
    unit = "rows"
    defined_on_empty = True
    value_template = "{value} rows"
    rows = CountComponent()

    def value(self, state: Any) -> int:
        return int(state.rows)


class Compliance(Analyzer):
    """Share of the rows for which the predicate is true, between 0 and 1 (Deequ, VLDB 2018, Table 2: |{d: p(d)}| / N).

    A row for which the predicate is null does not comply. No value for an empty table, nor for a filter that admits no
    row."""

    name = "compliance"
    unit = "share"
    value_template = "{value} of {counted} rows keep {predicate}"
    violation_phrase = "rows do not keep it"
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
    """Share of the rows for which the predicate is true, among those for which the condition is true.

    Rows whose condition is false or null are not judged; a judged row for which the predicate is null does not keep it.
    No value where no row is judged."""

    name = "implication"
    unit = "share"
    value_template = "{value} of {counted} rows with {condition} keep {predicate}"
    violation_phrase = "rows do not keep it"
    condition: Predicate
    predicate: Predicate
    judged = CountIfComponent("{condition}")
    kept = CountIfComponent("({condition}) AND ({predicate})")

    @property
    def phrase(self) -> str:
        where = f" where {self.where}" if self.where else ""
        return f"implication of {self.predicate} by {self.condition}{where}"

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        condition, predicate = named["condition"][0], named["predicate"][0]
        if predicate.errs is None:
            return named
        # What cannot be evaluated is of no account where the condition does not hold.
        errs = f"coalesce({condition.sql}, false) AND ({predicate.errs})"
        return {**named, "predicate": (replace(predicate, errs=errs),)}

    def value(self, state: Any) -> float | None:
        return state.kept / state.judged if state.judged else None

    def counted(self, state: Any) -> int:
        return int(state.judged)

    def broken(self, state: Any) -> int:
        return int(state.judged - state.kept)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        condition, predicate = operands["condition"][0].sql, operands["predicate"][0].sql
        return violation_bounds.violating_rows(f"NOT coalesce({condition}, false) OR ({predicate})", assertion)
