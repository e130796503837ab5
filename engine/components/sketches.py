"""Sketches: small states of many values with a known error. Spark writes them, this process merges them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.estimate import Estimate
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT, Operand
from treaty.engine.components.unions import frequent_union, rank_union
from treaty.engine.components.unions.frequent_union import FrequentUnion, packed_sketch
from treaty.engine.components.unions.rank_union import RankUnion
from treaty.engine.components.unions.ranks import Ranks


@dataclass(frozen=True)
class SketchParameter:
    """Sizes of the sketches."""

    hll_lg_k: int = 12
    kll_k: int = 400
    heavy_items: int = 1024
    theta_lg_k: int = 12


PARAMETER = SketchParameter()


class Sketch(Component):
    """A DataSketches sketch, stored as the bytes from Spark's aggregate. None means no rows.

    What a merged sketch answers depends on the merged sketches only, not on the order or the grouping of merging."""

    uses_sketch = True

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        return None if row[0] is None else bytes(row[0])

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        present = [each for each in states if each is not None]
        return self.union(*present) if len(present) > 1 else next(iter(present), None)

    def union(self, *states: Any) -> Any:
        """Return the merged state of at least two sketches."""
        raise NotImplementedError

    def dump(self, state: Any) -> bytes:
        return state or b""

    def load(self, data: bytes) -> bytes | None:
        return data or None


class DistinctSketch(Sketch):
    """Number of distinct non-null values, by HyperLogLog (lgK 12).

    Standard error 1.6 %, exact up to a few hundred values. Spark's sketch ignores '', so '' is counted as the text
    of the character with code 0."""

    kind = "distinct"
    retention = Retention.HASHES

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        counted = operands[0].canonical()
        if operands[0].base_type in TEXT | {"binary"} and not operands[0].is_hashed:
            counted = f"CASE WHEN {counted} = '' THEN char(0) ELSE {counted} END"
        return (f"hll_sketch_agg({counted}, {PARAMETER.hll_lg_k})",)

    def union(self, *states: bytes) -> bytes:
        return bytes(_hll(*states).serialize_compact())

    @staticmethod
    def estimate(state: bytes | None) -> float:
        """Return the estimated number, 0 for no rows.

        The estimate is always taken after a union, because a sketch of one stream has another estimator than a
        merged one."""
        return float(_hll(state).get_estimate()) if state else 0.0

    @staticmethod
    def deviation(values: float) -> float:
        """Return the standard error of a count of that many values (Flajolet et al. 2007)."""
        return 1.04 / sqrt(2**PARAMETER.hll_lg_k) * values

    @staticmethod
    def bounded(state: bytes | None) -> Estimate:
        """Return the estimate with the sketch's own bounds.

        The bounds are valid 99.7 % of the time (three standard deviations)."""
        if state is None:
            return Estimate.exact(0.0)
        sketch = _hll(state)
        return Estimate(sketch.get_estimate(), sketch.get_lower_bound(3), sketch.get_upper_bound(3))


def _hll(*states: bytes) -> Any:
    import datasketches

    union = datasketches.hll_union(PARAMETER.hll_lg_k)
    for state in states:
        union.update(datasketches.hll_sketch.deserialize(state))
    return union.get_result(datasketches.tgt_hll_type.HLL_8)


class QuantileSketch(Sketch):
    """Quantiles of the non-null, non-NaN values as doubles, by KLL (k 400: rank error about 0.7 %).

    The state is the bytes of a sketch, or a `RankUnion` of several."""

    kind = "quantiles"
    is_variable = True
    accepts = NUMERIC | TEMPORAL

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"kll_sketch_agg_double({operands[0].real()}, {PARAMETER.kll_k})",)

    def union(self, *states: Any) -> RankUnion:
        return rank_union.union(states)

    def dump(self, state: Any) -> bytes:
        return state.dump() if isinstance(state, RankUnion) else super().dump(state)

    @staticmethod
    def ranks(state: Any) -> Ranks | None:
        """Return the ranks of the values; None for no values."""
        ranks = Ranks(rank_union.union([state]).entries) if state else None
        return ranks if ranks and ranks.rows else None

    @classmethod
    def count(cls, state: Any) -> int:
        """Return the number of values."""
        ranks = cls.ranks(state)
        return ranks.rows if ranks else 0

    @classmethod
    def at(cls, state: Any, share: float) -> float | None:
        """Return the quantile (nearest rank, inclusive); None for no values."""
        ranks = cls.ranks(state)
        return ranks.quantile(share) if ranks else None


class HeavyHitters(Sketch):
    """The frequent values of a string column with their counts; complete while it has few distinct values.

    The state is the bytes of a sketch with the number of its values, or a `FrequentUnion` of several: a sketch that
    discarded all values does not show that it had any."""

    kind = "heavy_hitters"
    version = 2
    is_variable = True
    accepts = TEXT

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return self.counted(operands[0].sql, operands[0].sql)

    @staticmethod
    def counted(text: str, present: str) -> tuple[str, ...]:
        """Return the aggregates of a text. `present`: SQL that is null if the text is."""
        return f"approx_top_k_accumulate({text}, {PARAMETER.heavy_items})", f"count({present})"

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        sketch, rows = row
        return packed_sketch(bytes(sketch[0]), rows) if sketch and rows else None

    def union(self, *states: Any) -> FrequentUnion:
        return frequent_union.union(states)

    def dump(self, state: Any) -> bytes:
        return state.dump() if isinstance(state, FrequentUnion) else super().dump(state)

    @classmethod
    def rows(cls, state: Any) -> int:
        """Return the number of counted values, frequent or not."""
        return frequent_union.union([state]).rows if state else 0

    @classmethod
    def values(cls, state: Any) -> tuple[Mapping[str, int], int]:
        """Return the maximum count by value, and the maximum error of a count.

        The most frequent value is the first. An error of 0 means that all values are included with exact counts;
        otherwise an unlisted value may occur as often as the error."""
        if not state:
            return {}, 0
        union = frequent_union.union([state])
        return {value: count + union.error for value, count in union.counts.items()}, union.error
