"""Promises about values taken together: how often they occur, how they are spread, how they go with each other."""

from collections.abc import Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected, at_least

Columns = str | Sequence[str]
Quality = Expected | float | None


class GroupChecks(CheckBuilder):
    """Several columns are judged as one combined value."""

    def is_unique(self, columns: Columns, **words: Any) -> Self:
        """No value occurs twice; nulls are no duplicates of each other."""
        return self.has_uniqueness(columns, WHOLE, **words)

    def has_uniqueness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The share of the distinct values that occur exactly once."""
        return self.that("uniqueness", must, columns=columns, **words)

    def has_distinctness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The number of distinct values over the number of rows."""
        return self.that("distinctness", must, columns=columns, **words)

    def has_unique_value_ratio(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The values that occur once over the distinct values."""
        return self.that("unique_value_ratio", must, columns=columns, **words)

    def has_unique_row_ratio(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The values that occur once over the rows."""
        return self.that("unique_row_ratio", must, columns=columns, **words)

    def is_primary_key(self, columns: Columns, **words: Any) -> Self:
        """Every row has a value in each of the columns, and no other row has the same ones."""
        return self.that("primary_key", WHOLE, columns=columns, **words)

    def has_duplicate_rows(self, must: Expected, columns: Columns | None = None, **words: Any) -> Self:
        """How many rows repeat another one in these columns."""
        return self.that("duplicate_rows", must, columns=columns, **words)

    def has_count_distinct(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The number of distinct values, exactly."""
        return self.that("count_distinct", must, columns=columns, **words)

    def has_approx_count_distinct(self, column: str, must: Expected, **words: Any) -> Self:
        """The number of distinct values, within 1.6 % or so."""
        return self.that("approx_count_distinct", must, column=column, **words)

    def has_entropy(self, column: str, must: Expected, **words: Any) -> Self:
        """The entropy of the values, in nats."""
        return self.that("entropy", must, column=column, **words)

    def has_mutual_information(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """What one column tells of the other, in nats."""
        return self.that("mutual_information", must, column=column, other=other, **words)

    def has_determination(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """The share of rows that have the `other` that goes with their `column`: 1 where it determines it."""
        return self.that("determination", must, column=column, other=other, **words)

    def has_correlation(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """Pearson's correlation of two columns of numbers."""
        return self.that("correlation", must, column=column, other=other, **words)

    def has_approx_quantile(self, column: str, quantile: float, must: Expected, **words: Any) -> Self:
        """The value below which that share of the values lies, within 0.7 % of the ranks or so."""
        return self.that("approx_quantile", must, column=column, quantile=quantile, **words)

    def has_exact_quantile(self, column: str, quantile: float, must: Expected, **words: Any) -> Self:
        """The value below which that share of the values lies."""
        return self.that("exact_quantile", must, column=column, quantile=quantile, **words)

    def has_interquartile_range(self, column: str, must: Expected, **words: Any) -> Self:
        """The 0.75-quantile less the 0.25-quantile, exactly."""
        return self.that("interquartile_range", must, column=column, **words)

    def has_histogram_values(self, column: str, must: Expected, **words: Any) -> Self:
        """The number of distinct values; with `value=`, the share of that value; a function is given the distribution.

        `bins=`, `edges=`, `low=`, `high=` count numbers in bins instead."""
        return self.that("histogram", must, column=column, **words)

    def has_kll_buckets(self, column: str, must: Expected, *, buckets: int = 10, **words: Any) -> Self:
        """Equal-width buckets of numbers, approximately; a function is given the distribution."""
        return self.that("kll_buckets", must, column=column, buckets=buckets, **words)

    def has_predictability(
        self,
        target: str,
        inputs: Columns,
        f1: Quality = None,
        *,
        precision: Quality = None,
        recall: Quality = None,
        **words: Any,
    ) -> Self:
        """How well one column is predicted from others: the weighted measure that is named; a number means at least.

        Raises ValueError unless one measure is named. `split_by=` are columns by whose hash rows are held out."""
        measures = {"f1": f1, "precision": precision, "recall": recall}
        named = {name: must for name, must in measures.items() if must is not None}
        if len(named) != 1:
            raise ValueError("name one of f1, precision and recall")
        ((measure, must),) = named.items()
        wanted = at_least(must) if isinstance(must, int | float) else must
        return self.that("predictability", wanted, target=target, inputs=inputs, measure=measure, **words)
