"""Components: the few mergeable parts that every metric is made of, each a commutative monoid with typed SQL.

A component is declared on an analyzer over templates ('{column}'), bound to the columns' types, computed by Spark's own
aggregates, and merged here, without Spark. `zero` is the state of no rows at all.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Context, Decimal
from math import isnan
from typing import Any, ClassVar

from engine.analyzers import codec
from engine.analyzers.quoting import ANY, COUNTABLE, NUMERIC, ORDERED, TEMPORAL, TEXT, Operand

COMPONENTS: "dict[str, type[Component]]" = {}
EXACT = Context(prec=76)
EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - the zone is added by type: timestamp_ntz has none


@dataclass(frozen=True, init=False)
class Component:
    """One mergeable part over templates: `{column}` stands for an argument of the analyzer, as do expressions over it.

    `type` is the type of such an expression, `takes` the types that its arguments may have (None: those it accepts).
    `grouping` says that it needs a GROUP BY of its own."""

    templates: tuple[str, ...]
    type: str | None
    takes: frozenset[str] | None

    kind: ClassVar[str]
    version: ClassVar[int] = 1
    accepts: ClassVar[frozenset[str]] = COUNTABLE
    grouping: ClassVar[bool] = False
    zero: ClassVar[Any] = None

    def __init_subclass__(cls) -> None:
        if hasattr(cls, "kind") and COMPONENTS.setdefault(cls.kind, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"a component of kind {cls.kind!r} exists already")

    def __init__(self, *templates: str, type: str | None = None, takes: frozenset[str] | None = None) -> None:
        object.__setattr__(self, "templates", templates)
        object.__setattr__(self, "type", type)
        object.__setattr__(self, "takes", takes)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """The SQL aggregates (without filter) of the state."""
        raise NotImplementedError

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        """The state from the aggregates' values."""
        return row[0]

    def merge(self, left: Any, right: Any) -> Any:
        """The state of both sets of rows together. Changes neither."""
        raise NotImplementedError

    def dump(self, state: Any) -> bytes:
        return codec.dump(state)

    def load(self, data: bytes) -> Any:
        return codec.load(data)


class Count(Component):
    """How many rows, or how many non-null values of a column of any type, nested ones included."""

    kind = "count"
    accepts = ANY
    zero = 0

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"count({operands[0].sql if operands else 1})",)

    def merge(self, left: int, right: int) -> int:
        return left + right


class CountIf(Count):
    """How many rows make a boolean expression true; null is not true."""

    kind = "count_if"
    accepts = frozenset({"boolean"})

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"count_if({operands[0].sql})",)


class Sum(Component):
    """Sum of the non-null values: int for integral columns, Decimal for decimals (both exact), float for floats."""

    kind = "sum"
    accepts = NUMERIC

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"sum({operands[0].exact()})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        whole = isinstance(row[0], Decimal) and operands[0].base_type != "decimal"
        return int(row[0]) if whole else row[0]

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return left if right is None else right
        return EXACT.add(left, right) if isinstance(left, Decimal) else left + right


class _Extreme(Component):
    """An extreme of the non-null values; NaN is larger than every number, as in Spark."""

    accepts = ORDERED
    pick: ClassVar[Callable[..., Any]]

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"{self.kind}({operands[0].sortable()})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        base_type = operands[0].base_type
        if row[0] is None or base_type not in TEMPORAL - {"date"}:
            return row[0]
        moment = EPOCH + timedelta(microseconds=row[0])
        return moment.replace(tzinfo=UTC) if base_type == "timestamp" else moment

    def merge(self, left: Any, right: Any) -> Any:
        present = [value for value in (left, right) if value is not None]
        return self.pick(present, key=_nan_is_largest) if present else None


def _nan_is_largest(value: Any) -> tuple[bool, Any]:
    return (True, 0) if isinstance(value, float) and isnan(value) else (False, value)


class Min(_Extreme):
    """The smallest non-null value."""

    kind = "min"
    pick = staticmethod(min)


class Max(_Extreme):
    """The largest non-null value."""

    kind = "max"
    pick = staticmethod(max)


class Moments(Component):
    """Count, mean and sum of squared deviations of the non-null values: (n, mean, m2), merged by Chan et al. (1979)."""

    kind = "moments"
    accepts = NUMERIC
    zero = (0, 0.0, 0.0)

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        value = operands[0].real()
        return f"count({value})", f"avg({value})", f"var_pop({value})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> tuple[int, float, float]:
        count, mean, variance = row
        return (count, mean, variance * count) if count else self.zero

    def merge(self, left: tuple[int, float, float], right: tuple[int, float, float]) -> tuple[int, float, float]:
        (n1, mean1, m1), (n2, mean2, m2) = left, right
        if not (n1 and n2):
            return left if n1 else right
        count, delta = n1 + n2, mean2 - mean1
        # Weighted, not mean1 + delta * n2 / count: this form is symmetric, so the order of merging does not matter.
        mean = (mean1 * n1 + mean2 * n2) / count
        return count, mean, m1 + m2 + delta * delta * (n1 * n2 / count)


@dataclass(frozen=True)
class Parameter:
    """What a sketch was built with."""

    hll_lg_k: int = 12
    kll_k: int = 400
    heavy_items: int = 1024


PARAMETER = Parameter()


class _Sketch(Component):
    """A DataSketches sketch, kept as the bytes that Spark's aggregate wrote. None: no rows seen."""

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        return None if row[0] is None else bytes(row[0])

    def merge(self, left: bytes | None, right: bytes | None) -> bytes | None:
        if left is None or right is None:
            return left if right is None else right
        return self.union(left, right)

    def union(self, left: bytes, right: bytes) -> bytes:
        raise NotImplementedError

    def dump(self, state: bytes | None) -> bytes:
        return state or b""

    def load(self, data: bytes) -> bytes | None:
        return data or None


class Distinct(_Sketch):
    """Number of distinct non-null values, by HyperLogLog (lgK 12: standard error 1.6 %, exact to a few hundred)."""

    kind = "distinct"

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"hll_sketch_agg({operands[0].canonical()}, {PARAMETER.hll_lg_k})",)

    def union(self, left: bytes, right: bytes) -> bytes:
        return bytes(_hll(left, right).serialize_compact())

    @staticmethod
    def estimate(state: bytes | None) -> float:
        """The estimate, always after a union: a sketch of one stream has another estimator than a merged one."""
        return float(_hll(state).get_estimate()) if state else 0.0


def _hll(*states: bytes) -> Any:
    import datasketches

    union = datasketches.hll_union(PARAMETER.hll_lg_k)
    for state in states:
        union.update(datasketches.hll_sketch.deserialize(state))
    return union.get_result(datasketches.tgt_hll_type.HLL_8)


class Quantiles(_Sketch):
    """Quantiles of the non-null, non-NaN values as doubles, by KLL (k 400: rank error about 0.7 %)."""

    kind = "quantiles"
    accepts = NUMERIC | TEMPORAL

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"kll_sketch_agg_double({operands[0].real()}, {PARAMETER.kll_k})",)

    def union(self, left: bytes, right: bytes) -> bytes:
        merged = self.sketch(left)
        merged.merge(self.sketch(right))
        return bytes(merged.serialize())

    @staticmethod
    def sketch(state: bytes) -> Any:
        """The KLL sketch of the bytes."""
        import datasketches

        return datasketches.kll_doubles_sketch.deserialize(state)


class HeavyHitters(_Sketch):
    """The frequent values of a string column with their counts; complete while the column has few distinct values."""

    kind = "heavy_hitters"
    accepts = TEXT

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"approx_top_k_accumulate({operands[0].sql}, {PARAMETER.heavy_items})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        return None if row[0] is None else bytes(row[0][0])

    def union(self, left: bytes, right: bytes) -> bytes:
        merged = self.sketch(left)
        merged.merge(self.sketch(right))
        return bytes(merged.serialize())

    @staticmethod
    def sketch(state: bytes) -> Any:
        """The frequent-items sketch of the bytes."""
        import datasketches

        return datasketches.frequent_strings_sketch.deserialize(state)

    @classmethod
    def values(cls, state: bytes | None) -> tuple[Mapping[str, int], int]:
        """(value -> estimated count, greatest error of a count): error 0 means that all values are there, exactly."""
        import datasketches

        if state is None:
            return {}, 0
        sketch = cls.sketch(state)
        found = sketch.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)
        error = sketch.get_upper_bound("") - sketch.get_lower_bound("")
        return {item: estimate for item, estimate, _, _ in found}, int(error)
