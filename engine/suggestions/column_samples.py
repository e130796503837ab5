"""Compute a profile's metrics from a sample, to detect issues injected into it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from treaty.engine.core.results import Value

# Sample size into which issues are injected: one percent of it is two values.
MOST = 200


@dataclass(frozen=True, eq=False)
class ColumnSample:
    """Values of a column, one per row: float64 with NaN, or texts with None.

    See `treaty.engine.statistics.column_values.ColumnValues`. `times`: number of rows of a partition per sampled
    value."""

    values: Any
    times: float = 1.0

    @cached_property
    def present(self) -> Any:
        """Return the values that are not missing."""
        if self.values.dtype == object:
            return self.values[[value is not None for value in self.values.tolist()]]
        return self.values[self.values == self.values]

    @cached_property
    def lengths(self) -> list[int]:
        """Return the length of each text; empty for numbers."""
        return [len(text) for text in self.present.tolist()] if self.values.dtype == object else []


def _quantile(share: float) -> Callable[[ColumnSample], Value]:
    def of(sample: ColumnSample) -> Value:
        import numpy

        return float(numpy.quantile(sample.present, share, method="inverted_cdf"))

    return of


def _of_numbers(measure: Callable[[ColumnSample], Value]) -> Callable[[ColumnSample], Value]:
    def of(sample: ColumnSample) -> Value:
        return measure(sample) if len(sample.present) and sample.values.dtype != object else None

    return of


def _of_lengths(measure: Callable[[Sequence[int]], Value]) -> Callable[[ColumnSample], Value]:
    return lambda sample: measure(sample.lengths) if sample.lengths else None


METRICS_OF_VALUES: Mapping[str, Callable[[ColumnSample], Value]] = {
    "completeness": lambda sample: len(sample.present) / len(sample.values) if len(sample.values) else None,
    "approx_count_distinct": lambda sample: len(set(sample.present.tolist())),
    "minimum": _of_numbers(lambda sample: float(sample.present.min())),
    "maximum": _of_numbers(lambda sample: float(sample.present.max())),
    "mean": _of_numbers(lambda sample: float(sample.present.mean())),
    "standard_deviation": _of_numbers(lambda sample: float(sample.present.std())),
    "q01": _of_numbers(_quantile(0.01)),
    "q25": _of_numbers(_quantile(0.25)),
    "median": _of_numbers(_quantile(0.5)),
    "q75": _of_numbers(_quantile(0.75)),
    "q99": _of_numbers(_quantile(0.99)),
    "minimum_length": _of_lengths(min),
    "maximum_length": _of_lengths(max),
    "mean_length": _of_lengths(lambda lengths: sum(lengths) / len(lengths)),
}
