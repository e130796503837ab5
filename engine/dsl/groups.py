"""Checks of the values of a column together: duplicates, distribution and dependence on other columns."""

from collections.abc import Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected, at_least

Columns = str | Sequence[str]
Quality = Expected | float | None


class GroupChecks(CheckBuilder):
    """Checks of groups of values. Several columns form one combined value."""

    def is_unique(self, columns: Columns, **words: Any) -> Self:
        """Check that no value occurs twice; nulls are not duplicates of each other."""
        return self.has_uniqueness(columns, WHOLE, **words)

    def has_uniqueness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the share of the distinct values that occur exactly once."""
        return self.that("uniqueness", must, columns=columns, **words)

    def has_distinctness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the number of distinct values divided by the number of rows."""
        return self.that("distinctness", must, columns=columns, **words)

    def has_unique_value_ratio(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the number of values that occur once divided by the number of distinct values."""
        return self.that("unique_value_ratio", must, columns=columns, **words)

    def has_unique_row_ratio(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the number of values that occur once divided by the number of rows."""
        return self.that("unique_row_ratio", must, columns=columns, **words)

    def is_primary_key(self, columns: Columns, **words: Any) -> Self:
        """Check that every row has a complete key that no other row has."""
        return self.that("primary_key", WHOLE, columns=columns, **words)

    def has_duplicate_rows(self, must: Expected, columns: Columns | None = None, **words: Any) -> Self:
        """Check the number of rows with the same values as another row.

        `columns`: columns to compare; None means all."""
        return self.that("duplicate_rows", must, columns=columns, **words)

    def has_count_distinct(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the exact number of distinct values."""
        return self.that("count_distinct", must, columns=columns, **words)

    def has_approx_count_distinct(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the estimated number of distinct values (standard error 1.6 %)."""
        return self.that("approx_count_distinct", must, column=column, **words)

    def has_entropy(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the entropy of the values, in nats."""
        return self.that("entropy", must, column=column, **words)

    def has_mutual_information(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """Check the mutual information of two columns, in nats."""
        return self.that("mutual_information", must, column=column, other=other, **words)

    def has_determination(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """Check the share of rows with the most frequent `other` of their `column`: 1 if it determines `other`."""
        return self.that("determination", must, column=column, other=other, **words)

    def has_correlation(self, column: str, other: str, must: Expected, **words: Any) -> Self:
        """Check the Pearson correlation of two numeric columns."""
        return self.that("correlation", must, column=column, other=other, **words)

    def has_approx_quantile(self, column: str, quantile: float, must: Expected, **words: Any) -> Self:
        """Check a quantile, estimated with a rank error of about 0.7 %."""
        return self.that("approx_quantile", must, column=column, quantile=quantile, **words)

    def has_exact_quantile(self, column: str, quantile: float, must: Expected, **words: Any) -> Self:
        """Check an exact quantile."""
        return self.that("exact_quantile", must, column=column, quantile=quantile, **words)

    def has_interquartile_range(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the exact difference of the 0.75-quantile and the 0.25-quantile."""
        return self.that("interquartile_range", must, column=column, **words)

    def has_histogram_values(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the number of distinct values, or with `value=` the share of one value.

        `bins=`, `edges=`, `low=`, `high=` count numbers in bins instead. A function as `must` receives the
        distribution."""
        return self.that("histogram", must, column=column, **words)

    def has_kll_buckets(self, column: str, must: Expected, *, buckets: int = 10, **words: Any) -> Self:
        """Check the share of the fullest of equal-width buckets, approximately.

        A function as `must` receives the distribution."""
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
        """Check how well one column is predicted from others: weighted F1, precision or recall.

        Give exactly one measure, else ValueError is raised; a number is a lower bound. `split_by=`: columns by whose
        hash rows are held out."""
        measures = {"f1": f1, "precision": precision, "recall": recall}
        chosen = {name: must for name, must in measures.items() if must is not None}
        if len(chosen) != 1:
            raise ValueError("give exactly one of f1, precision and recall")
        ((measure, must),) = chosen.items()
        assertion = at_least(must) if isinstance(must, int | float) else must
        return self.that("predictability", assertion, target=target, inputs=inputs, measure=measure, **words)
