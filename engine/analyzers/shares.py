"""Base classes of the shares of valid values and of the counts of invalid rows."""

from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import violation_bounds
from treaty.engine.analyzers.arguments import CountIn, Nulls
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.components.base import CountComponent, CountIfComponent
from treaty.engine.components.operands import Operand


class ValueShare(Analyzer):
    """Base class: share of the values that satisfy a condition.

    Of the non-null values, or of all rows with `nulls: break`. A value whose condition cannot be evaluated does not
    satisfy it. No value if nothing is left to evaluate."""

    unit = "share"
    value_template = "{value} of {counted} values of {subject} are valid"
    violation_phrase = "rows do not satisfy it"
    nulls: Nulls = "ignore"
    present = CountComponent("{column}")
    valid = CountIfComponent("{valid}")

    def condition(self, named: Operands) -> Operand:
        """Return the condition on one value as a boolean operand."""
        raise NotImplementedError

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, "valid": (self.condition(named),)}

    def value(self, state: Any) -> float | None:
        counted = self.counted(state)
        return state.valid / counted if counted else None

    def counted(self, state: Any) -> int:
        return int(state.rows if self.nulls == "break" else state.present)

    def broken(self, state: Any) -> int:
        return self.counted(state) - int(state.valid)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        condition_sql = operands["valid"][0].sql
        is_null = [f"{each.sql} IS NULL" for name in self._columns for each in operands[name]]
        return violation_bounds.violating_rows(
            condition_sql if self.nulls == "break" else " OR ".join([*is_null, f"({condition_sql})"]), assertion
        )

    @property
    def _columns(self) -> tuple[str, ...]:
        return tuple(name for name in ("column", "other") if name in type(self).model_fields)


class InvalidRowCount(Analyzer):
    """Base class: number of invalid rows, 0 for an empty table.

    `count_in: percent` gives their share times 100, with no value for a table without rows."""

    unit = "rows"
    value_template = "{value} {count_in} of {counted} rows"
    count_in: CountIn = "rows"
    bad = CountIfComponent("{bad}")

    def condition(self, named: Operands) -> Operand:
        """Return a boolean operand that is true for an invalid row."""
        raise NotImplementedError

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, "bad": (self.condition(named),)}

    def value(self, state: Any) -> int | float | None:
        if self.count_in == "rows":
            return int(state.bad)
        return 100 * state.bad / state.rows if state.rows else None

    def broken(self, state: Any) -> int:
        return int(state.bad)

    def breaking(self, operands: Operands, assertion: Assertion) -> ViolatingRows | None:
        return violation_bounds.counted_rows(operands["bad"][0].sql, assertion)
