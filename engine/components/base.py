"""Base class and basic mergeable components of metrics, each a commutative monoid with typed SQL.

A component is declared on an analyzer over templates ('{column}'), bound to the columns' types, computed by Spark's
built-in aggregates, and merged here without Spark. `zero` is the state of no rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from enum import Enum
from functools import reduce
from math import isnan
from typing import Any, ClassVar

from treaty.engine.components import codec
from treaty.engine.components.exact_sums import RoundedSum, added, exact_of
from treaty.engine.components.operands import ANY, COUNTABLE, NUMERIC, ORDERED, TEMPORAL, Operand

COMPONENTS: "dict[str, type[Component]]" = {}
EXACT = Context(prec=76)
ALWAYS = "1"
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the zone is added by type: timestamp_ntz has none


class Retention(Enum):
    """The part of the rows' values that a state retains.

    NOTHING: only counts and sums; HASHES: hashes of values; VALUES: values themselves. For a classified column, a
    component that retains hashes uses keyed hashes, and the state of one that retains values is never stored."""

    NOTHING = "nothing"
    HASHES = "hashes"
    VALUES = "values"


@dataclass(frozen=True, init=False)
class Component:
    """A mergeable part of a metric over templates: `{column}` stands for an argument of the analyzer.

    A template may also be an expression over arguments. `type`: Spark type of such an expression; None means that of
    its first argument. `takes`: types that the arguments may have; None means `accepts`.

    Class attributes: `grouping`: the component needs its own GROUP BY; `needs_own_statement`: it needs its own SQL
    statement; `uses_sketch`: Spark keeps an object for it and updates it with every row; `is_variable`: two states of
    the same rows can differ, by random bits or by the order of the rows; `retention`: what a state retains of values,
    by default the values themselves; `plain`: the class uses the default `load` and `dump`."""

    templates: tuple[str, ...]
    type: str | None
    takes: frozenset[str] | None

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    accepts: ClassVar[frozenset[str]] = COUNTABLE
    grouping: ClassVar[bool] = False
    needs_own_statement: ClassVar[bool] = False
    uses_sketch: ClassVar[bool] = False
    is_variable: ClassVar[bool] = False
    retention: ClassVar[Retention] = Retention.VALUES
    zero: ClassVar[Any] = None

    plain: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        cls.plain = cls.load is Component.load and cls.dump is Component.dump
        if hasattr(cls, "kind") and COMPONENTS.setdefault(cls.kind, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"a component of kind {cls.kind!r} already exists")

    def __init__(self, *templates: str, type: str | None = None, takes: frozenset[str] | None = None) -> None:
        object.__setattr__(self, "templates", templates)
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "takes", takes)

    def keeps_of(self, operands: tuple[Operand, ...]) -> Retention:
        """Return the part of these operands' values that the state retains."""
        return self.retention

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Return the SQL aggregates of the state, without filter."""
        raise NotImplementedError

    def packed_digit(self, operands: tuple[Operand, ...]) -> str | None:
        """Return SQL of a code per row from which all aggregates can be counted.

        The code is an integer, never null; aggregate i counts exactly the rows whose code is i + 1. None means that
        the aggregates are no such counts. Components with a code can be packed into one aggregate (`count_packing`)."""
        return None

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        """Return the state from the values of the aggregates."""
        return row[0]

    def merge(self, left: Any, right: Any) -> Any:
        """Return the state of both sets of rows together, without changing either."""
        raise NotImplementedError

    def merge_all(self, states: Sequence[Any]) -> Any:
        """Return the state of all these sets of rows (at least one). Equals repeated `merge`."""
        return reduce(self.merge, states)

    def compacted(self, state: Any) -> Any:
        """Return the same state in a form that is cheap to merge repeatedly."""
        return state

    def dump(self, state: Any) -> bytes:
        return codec.dump(state)

    def load(self, data: bytes) -> Any:
        return codec.load(data)


class CountComponent(Component):
    """Number of rows, or of non-null values of a column of any type (nested too)."""

    kind = "count"
    accepts = ANY
    retention = Retention.NOTHING
    zero = 0

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"count({operands[0].sql if operands else 1})",)

    def packed_digit(self, operands: tuple[Operand, ...]) -> str | None:
        return f"CASE WHEN {operands[0].sql} IS NOT NULL THEN 1 ELSE 0 END" if operands else ALWAYS

    def merge(self, left: int, right: int) -> int:
        return left + right

    def merge_all(self, states: Sequence[int]) -> int:
        return sum(states)


class CountIfComponent(CountComponent):
    """Number of rows for which a boolean expression is true; null is not true."""

    kind = "count_if"
    accepts = frozenset({"boolean"})

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"count_if({operands[0].sql})",)

    def packed_digit(self, operands: tuple[Operand, ...]) -> str | None:
        return f"CASE WHEN {operands[0].sql} THEN 1 ELSE 0 END"


class SumComponent(Component):
    """Sum of the non-null values.

    An int for integral columns and a Decimal for decimals (both exact), a float for floats; None for no values."""

    kind = "sum"
    accepts = NUMERIC
    retention = Retention.NOTHING

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"sum({operands[0].exact()})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        whole = isinstance(row[0], Decimal) and operands[0].base_type != "decimal"
        return int(row[0]) if whole else row[0]

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        present = [state for state in states if state is not None]
        if len(present) < 2:
            return present[0] if present else None
        types = set(map(type, present))
        if types == {int}:
            return sum(present)
        if Decimal not in types:
            return RoundedSum.of(added(list(map(exact_of, present))))
        if float in types or RoundedSum in types:
            raise TypeError("sums of decimals and of doubles cannot be added exactly")
        return reduce(EXACT.add, present, Decimal(0))


class _Extreme(Component):
    """An extreme of the non-null values; NaN is larger than every number, as in Spark.

    The extreme of numbers or booleans does not count as a retained value; an extreme text, date or time does."""

    accepts = ORDERED
    pick: ClassVar[Callable[..., Any]]

    def keeps_of(self, operands: tuple[Operand, ...]) -> Retention:
        return Retention.NOTHING if operands[0].base_type in NUMERIC | {"boolean"} else Retention.VALUES

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"{self.kind}({operands[0].sortable()})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        base_type = operands[0].base_type
        if row[0] is None or base_type not in TEMPORAL - {"date"}:
            return row[0]
        moment = EPOCH + timedelta(microseconds=row[0])
        return moment.replace(tzinfo=UTC) if base_type == "timestamp" else moment

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        present = [value for value in states if value is not None]
        extreme = self.pick(present, key=_nan_is_largest) if present else None
        # 0.0 equals -0.0, and 1.0 equals 1.00: which of them is written must not depend on the order.
        equal = [value for value in present if value == extreme] if isinstance(extreme, float | Decimal) else ()
        return min(equal, key=str, default=extreme)


def _nan_is_largest(value: Any) -> tuple[bool, Any]:
    return (True, 0) if isinstance(value, float) and isnan(value) else (False, value)


class MinComponent(_Extreme):
    """The smallest non-null value."""

    kind = "min"
    pick = staticmethod(min)


class MaxComponent(_Extreme):
    """The largest non-null value."""

    kind = "max"
    pick = staticmethod(max)
