"""Sketches: small states of many values with a known error. Spark writes them, this process merges them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, sqrt
from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.estimate import Estimate
from treaty.engine.components.operands import NUMERIC, TEMPORAL, TEXT, Operand


@dataclass(frozen=True)
class SketchParameter:
    """Sizes of the sketches."""

    hll_lg_k: int = 12
    kll_k: int = 400
    heavy_items: int = 1024
    theta_lg_k: int = 12


PARAMETER = SketchParameter()


class Sketch(Component):
    """A DataSketches sketch, stored as the bytes from Spark's aggregate. None means no rows."""

    uses_sketch = True

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        return None if row[0] is None else bytes(row[0])

    def merge(self, left: bytes | None, right: bytes | None) -> bytes | None:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[bytes | None]) -> bytes | None:
        present = [each for each in states if each is not None]
        return self.union(*present) if len(present) > 1 else next(iter(present), None)

    def union(self, *states: bytes) -> bytes:
        """Return the bytes of the merged sketch of at least two sketches."""
        raise NotImplementedError

    def dump(self, state: bytes | None) -> bytes:
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
    """Quantiles of the non-null, non-NaN values as doubles, by KLL (k 400: rank error about 0.7 %)."""

    kind = "quantiles"
    accepts = NUMERIC | TEMPORAL

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"kll_sketch_agg_double({operands[0].real()}, {PARAMETER.kll_k})",)

    def union(self, *states: bytes) -> bytes:
        merged = self.sketch(states[0])
        for each in states[1:]:
            merged.merge(self.sketch(each))
        return bytes(merged.serialize())

    @staticmethod
    def sketch(state: bytes) -> Any:
        """Return the KLL sketch from its bytes."""
        import datasketches

        return datasketches.kll_doubles_sketch.deserialize(state)

    @classmethod
    def count(cls, state: bytes | None) -> int:
        """Return the number of values."""
        return int(cls.sketch(state).n) if state else 0

    @classmethod
    def at(cls, state: bytes | None, share: float) -> float | None:
        """Return the quantile (nearest rank, inclusive); None for no values."""
        return cls.quantile(cls.sketch(state), share) if state else None

    @staticmethod
    def quantile(sketch: Any, share: float) -> float | None:
        """Return the quantile of a deserialized sketch; None for no values."""
        return None if sketch.is_empty() else float(sketch.get_quantile(share, inclusive=True))

    @classmethod
    def between(cls, state: bytes, edges: Sequence[float]) -> list[int]:
        """Return the approximate number of values in each bin of the edges.

        The edges enclose all values. A bin includes its lower edge."""
        sketch = cls.sketch(state)
        below = [round(sketch.get_rank(edge, inclusive=False) * sketch.n) for edge in edges[1:-1]]
        return [high - low for low, high in pairwise([0, *below, sketch.n])]

    @classmethod
    def error(cls, state: bytes) -> int:
        """Return the maximum error of a count between two edges (99 % of the time); 0 means exact counts."""
        sketch = cls.sketch(state)
        return ceil(sketch.normalized_rank_error(True) * sketch.n) if sketch.is_estimation_mode() else 0


class HeavyHitters(Sketch):
    """The frequent values of a string column with their counts; complete while it has few distinct values."""

    kind = "heavy_hitters"
    accepts = TEXT

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        return (f"approx_top_k_accumulate({operands[0].sql}, {PARAMETER.heavy_items})",)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> bytes | None:
        return None if row[0] is None else bytes(row[0][0])

    def union(self, *states: bytes) -> bytes:
        merged = self.sketch(states[0])
        for each in states[1:]:
            merged.merge(self.sketch(each))
        return bytes(merged.serialize())

    @staticmethod
    def sketch(state: bytes) -> Any:
        """Return the frequent-items sketch from its bytes."""
        import datasketches

        return datasketches.frequent_strings_sketch.deserialize(state)

    @classmethod
    def rows(cls, state: bytes | None) -> int:
        """Return the number of counted values, frequent or not."""
        return int(cls.sketch(state).total_weight) if state else 0

    @classmethod
    def values(cls, state: bytes | None) -> tuple[Mapping[str, int], int]:
        """Return the estimated count by value and the maximum error of a count.

        An error of 0 means that all values are included with exact counts."""
        import datasketches

        if state is None:
            return {}, 0
        sketch = cls.sketch(state)
        items = sketch.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)
        error = sketch.get_upper_bound("") - sketch.get_lower_bound("")
        return {item: estimate for item, estimate, _, _ in items}, int(error)
