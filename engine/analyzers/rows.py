"""Metrics of rows: how many there are, and which share keeps a predicate."""

from typing import Any

from contracts.assertions import Assertion
from engine.analyzers.arguments import Predicate
from engine.analyzers.base import Analyzer
from engine.analyzers.bound import Operands
from engine.analyzers.breaking import Breaking
from engine.analyzers.components import Count, CountIf


class Size(Analyzer):
    """Number of rows. 0 for an empty table."""

    name = "size"
    unit = "rows"
    of_nothing = True
    told = "{value} rows"
    rows = Count()

    def value(self, state: Any) -> int:
        return int(state.rows)


class Compliance(Analyzer):
    """Share of the rows for which the predicate is true, between 0 and 1 (Deequ, VLDB 2018, Table 2: |{d: p(d)}| / N).

    A row for which the predicate is null does not comply. No value for a table without rows."""

    name = "compliance"
    unit = "share"
    told = "{value} of {counted} rows keep {predicate}"
    fault = "rows do not keep it"
    predicate: Predicate
    matches = CountIf("{predicate}")
    rows = Count()

    def value(self, state: Any) -> float | None:
        return state.matches / state.rows if state.rows else None

    def broken(self, state: Any) -> int:
        return int(state.rows - state.matches)

    def breaking(self, operands: Operands, assertion: Assertion) -> Breaking:
        return Breaking(f"NOT coalesce({operands['predicate'][0].sql}, false)")
