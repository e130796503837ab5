"""Metrics of rank: quantiles, interquartile ranges and quantile buckets.

The quantile q of n values is the nearest rank, inclusive: the smallest value v such that at least q n values are <=
v. It is always one of the values, never between two of them (Deequ's exact quantiles interpolate)."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite
from typing import Annotated, Any

from pydantic import Field

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.arguments import ColumnName
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import Operands
from treaty.engine.analyzers.exact import ExactMetric, fullest_bucket_share
from treaty.engine.analyzers.exact import quantiles as exact_quantiles
from treaty.engine.components.base import EXACT
from treaty.engine.components.distributions import equal_width, of_bins
from treaty.engine.components.frequencies import Frequencies
from treaty.engine.components.operands import NUMERIC
from treaty.engine.components.order_statistics import OrderStatistics, displayed_value, rankable, ranked_rows, ranking
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.components.unions.ranks import ERRORS, Ranks
from treaty.engine.core.results import Value

QUARTILES = (Fraction(1, 4), Fraction(3, 4))
# Microseconds per day and per second: ranks of dates and times are microseconds.
UNITS = {"date": 86_400_000_000, "timestamp": 1_000_000, "timestamp_ntz": 1_000_000}
MOST_BUCKETS = 1000

Share = Annotated[float, Field(ge=0, le=1, strict=False, description="between 0 and 1")]


class SketchMetric(Analyzer):
    """Base class of the metrics that use a KLL sketch."""

    unit = "value"
    column: ColumnName
    ranks = QuantileSketch("{column}")

    def counted(self, state: Any) -> int:
        return QuantileSketch.count(state.ranks)


class ApproxQuantile(SketchMetric):
    """Value below which a share `quantile` of the numbers lies, estimated by a KLL sketch.

    Rank error about 0.7 %, bounds of twice that. Dates and timestamps are ranked as microseconds since 1970. Nulls and
    NaN are excluded. No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "approx_quantile"
    value_template = "the {quantile}-quantile of {column} is about {value}"
    quantile: Share

    def value(self, state: Any) -> float | None:
        return QuantileSketch.at(state.ranks, self.quantile)

    def bounds(self, state: Any) -> tuple[float, float] | None:
        ranks = QuantileSketch.ranks(state.ranks)
        return ranks.bounds(self.quantile) if ranks else None

    def exact(self, operands: Operands) -> ExactMetric:
        return exact_quantiles(operands["column"][0], [self.quantile], lambda row: row[0])


class ApproxInterquartileRange(SketchMetric):
    """0.75-quantile minus 0.25-quantile, estimated by a KLL sketch.

    Rank error of either quantile about 0.7 %. In days for dates, in seconds for timestamps. Nulls and NaN are
    excluded. No value for an empty table, if all values are null, or if no row matches `where`."""

    name = "approx_interquartile_range"
    value_template = "the interquartile range of {column} is about {value}"

    def value(self, state: Any) -> float | None:
        ranks = QuantileSketch.ranks(state.ranks)
        low, high = (ranks.quantile(float(share)) if ranks else None for share in QUARTILES)
        return None if low is None or high is None else (high - low) / self._unit(state)

    def exact(self, operands: Operands) -> ExactMetric:
        column = operands["column"][0]
        unit = UNITS.get(column.base_type, 1)
        return exact_quantiles(column, [float(share) for share in QUARTILES], lambda row: (row[1] - row[0]) / unit)

    def bounds(self, state: Any) -> tuple[float, float] | None:
        ranks = QuantileSketch.ranks(state.ranks)
        lower, upper = (ranks.bounds(float(share)) if ranks else None for share in QUARTILES)
        if lower is None or upper is None:
            return None
        return max(0.0, upper[0] - lower[1]) / self._unit(state), (upper[1] - lower[0]) / self._unit(state)

    def _unit(self, state: Any) -> int:
        return UNITS.get(_column(self, state).base_type, 1)


class KllBuckets(SketchMetric):
    """Share of the numbers in the fullest bucket; the distribution itself is in the details.

    Buckets have equal width between the smallest and the largest number, with counts from a KLL sketch; `error` is
    the maximum error of each count, about 0.9 % of all values. The share is 1 / buckets for a uniform column and 1
    for a constant one. Dates and timestamps are ranked as microseconds since 1970. A bucket includes its lower edge
    and excludes its upper edge, except the last one, which includes both. Nulls and NaN are excluded (`unranked`).
    No value for an empty table, if all values are null, if no row matches `where`, or if the smallest or largest
    number is infinite."""

    name = "kll_buckets"
    unit = "share"
    value_template = "the fullest of {buckets} buckets of {column} holds {value} of {counted} values"
    buckets: Annotated[int, Field(ge=1, le=MOST_BUCKETS, description="number of buckets of equal width")] = 10

    def _edges(self, ranks: Ranks | None) -> tuple[Any, ...] | None:
        return self._between(ranks.low, ranks.high) if ranks else None

    def _between(self, low: float, high: float) -> tuple[Any, ...] | None:
        return equal_width(low, high, self.buckets) if isfinite(low) and isfinite(high) else None

    def exact(self, operands: Operands) -> ExactMetric:
        return fullest_bucket_share(operands["column"][0], self._between)

    def value(self, state: Any) -> float | None:
        ranks = QuantileSketch.ranks(state.ranks)
        edges = self._edges(ranks)
        return max(ranks.between(edges)) / ranks.rows if ranks and edges else None

    def bounds(self, state: Any) -> tuple[float, float] | None:
        ranks, share = QuantileSketch.ranks(state.ranks), self.value(state)
        error = ERRORS * ranks.error(between=True) if ranks else 0.0
        return (max(0.0, share - error), min(1.0, share + error)) if share is not None and error else None

    def details(self, state: Any) -> Mapping[str, Any] | None:
        ranks = QuantileSketch.ranks(state.ranks)
        edges = self._edges(ranks)
        if ranks is None or edges is None:
            return None
        unranked, error = state.rows - ranks.rows, ceil(ranks.error(between=True) * ranks.rows)
        return of_bins(edges, ranks.between(edges), None, unranked=unranked, error=error).plain


class RankMetric(Analyzer):
    """Base class of the exact metrics of rank."""

    unit = "value"
    column: ColumnName
    frequencies = Frequencies("{ranked}", takes=NUMERIC | {"timestamp"}, by_value=True)

    def operands(self, schema: Schema) -> Operands:
        named = super().operands(schema)
        return {**named, "ranked": (rankable(named["column"][0]),)}

    def ranking(self, state: Any) -> OrderStatistics | None:
        """Return the values in order; None for no values."""
        return ranking(state.frequencies, _column(self, state))

    def counted(self, state: Any) -> int:
        return ranked_rows(state.frequencies, _column(self, state))


def _column(analyzer: Any, state: Any) -> Column:
    column: Column = state.schema.find(analyzer.column)
    return column


class ExactQuantile(RankMetric):
    """Smallest value v with a share of values <= v of at least `quantile`.

    Exact on integers and decimals, a double on floats; dates and timestamps are given as ISO 8601 text. Nulls and
    NaN are excluded. No value for an empty table, if all values are null, or if no row matches `where`. Needs a
    GROUP BY of the column. (Deequ's exact quantile interpolates between two values and cannot be merged.)"""

    name = "exact_quantile"
    value_template = "the {quantile}-quantile of {column} is {value}"
    quantile: Share

    def value(self, state: Any) -> Value:
        ranked = self.ranking(state)
        # Use the decimal number as written: a share of 0.7 of 10 values is 7, not 8.
        return displayed_value(ranked.at(Fraction(repr(self.quantile))), _column(self, state)) if ranked else None


class InterquartileRange(RankMetric):
    """0.75-quantile minus 0.25-quantile, as defined by exact_quantile.

    Exact on integers and decimals, whole days for dates, seconds for timestamps. Nulls and NaN are excluded. No
    value for an empty table, if all values are null, or if no row matches `where`. Needs a GROUP BY of the column.
    (Deequ's interquartile range interpolates and cannot be merged.)"""

    name = "interquartile_range"
    value_template = "the interquartile range of {column} is {value}"

    def value(self, state: Any) -> Value:
        ranked = self.ranking(state)
        if ranked is None:
            return None
        low, high = (ranked.at(share) for share in QUARTILES)
        return _distance(low, high, _column(self, state).base_type)


def _distance(low: Any, high: Any, base_type: str) -> Value:
    if base_type == "date":
        return int(high - low) // UNITS[base_type]
    between: Value = EXACT.subtract(high, low) if isinstance(low, Decimal) else high - low
    return between if base_type not in UNITS else (high - low) / UNITS[base_type]
