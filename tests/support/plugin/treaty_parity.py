"""A metric and an operator for contracts: the share of even numbers, and divisibility."""

from typing import Any

from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.components.base import CountComponent, CountIfComponent
from treaty.engine.components.operands import INTEGRAL


class EvenShare(Analyzer):
    """Share of the integers that are even, between 0 and 1. Nulls are ignored."""

    name = "even_share"
    unit = "share"
    value_template = "{value} of {counted} numbers in {column} are even"
    column: ColumnName
    even = CountIfComponent("{column} % 2 = 0", type="boolean", takes=INTEGRAL)
    present = CountComponent("{column}")

    def value(self, state: Any) -> float | None:
        return state.even / state.present if state.present else None

    def counted(self, state: Any) -> int:
        return int(state.present)


DIVISIBLE = (lambda value, limit: value % limit == 0, "be divisible by {}")
