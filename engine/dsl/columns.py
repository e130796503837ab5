"""Checks of the values of one column, or of two columns row by row."""

from collections.abc import Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected, equal_to

Columns = str | Sequence[str]


class ColumnChecks(CheckBuilder):
    """Checks of single values. Shares are of the non-null values; use `is_complete` for nulls."""

    def is_complete(self, column: str, **words: Any) -> Self:
        """Check that no value is null."""
        return self.that("completeness", WHOLE, column=column, **words)

    def has_completeness(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the share of values that are not null."""
        return self.that("completeness", must, column=column, **words)

    def are_complete(self, columns: Columns, **words: Any) -> Self:
        """Check that every row has values in all of the columns."""
        return self.have_completeness(columns, WHOLE, **words)

    def have_completeness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the share of rows that have values in all of the columns."""
        return self.that("combined_completeness", must, columns=columns, **words)

    def are_any_complete(self, columns: Columns, **words: Any) -> Self:
        """Check that every row has a value in at least one of the columns."""
        return self.have_any_completeness(columns, WHOLE, **words)

    def have_any_completeness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """Check the share of rows with a value in at least one of the columns."""
        return self.that("combined_completeness", must, columns=columns, of="any", **words)

    def is_contained_in(self, column: str, values: Sequence[Any], must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of values that are among the given ones."""
        return self.that("contained_in", must, column=column, values=list(values), **words)

    def is_in_range(
        self, column: str, minimum: Any = None, maximum: Any = None, must: Expected = WHOLE, **words: Any
    ) -> Self:
        """Check the share of values between two bounds, both included.

        `exclusive_minimum=` and `exclusive_maximum=` are excluded bounds."""
        return self.that("in_range", must, column=column, minimum=minimum, maximum=maximum, **words)

    def is_non_negative(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of numbers that are at least 0."""
        return self.that("in_range", must, column=column, minimum=0, **words)

    def is_positive(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of numbers that are greater than 0."""
        return self.that("in_range", must, column=column, exclusive_minimum=0, **words)

    def is_less_than(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows in which the first value is less than the second."""
        return self._compared(column, "<", other, must, **words)

    def is_less_than_or_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows in which the first value is at most the second."""
        return self._compared(column, "<=", other, must, **words)

    def is_greater_than(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows in which the first value is greater than the second."""
        return self._compared(column, ">", other, must, **words)

    def is_greater_than_or_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows in which the first value is at least the second."""
        return self._compared(column, ">=", other, must, **words)

    def is_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows in which both values are equal."""
        return self._compared(column, "=", other, must, **words)

    def _compared(self, column: str, operator: str, other: str, must: Expected, **words: Any) -> Self:
        return self.that("comparison", must, column=column, operator=operator, other=other, **words)

    def has_pattern(self, column: str, pattern: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts that match a regular expression as a whole."""
        return self.that("pattern_match", must, column=column, pattern=pattern, **words)

    def has_format(self, column: str, named: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts of a named format: email, url, uuid, ipv4, credit_card, iban ..."""
        return self.that("pattern_match", must, column=column, format=named, **words)

    def contains_email(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts that are e-mail addresses."""
        return self.has_format(column, "email", must, **words)

    def contains_url(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts that are URLs."""
        return self.has_format(column, "url", must, **words)

    def contains_credit_card_number(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts that are payment card numbers with a correct check digit."""
        return self.has_format(column, "credit_card", must, **words)

    def contains_social_security_number(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of texts that are US social security numbers."""
        return self.has_format(column, "ssn", must, **words)

    def has_data_type(self, column: str, type: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of values that parse as a type.

        `type`: integer, decimal, fractional, number, boolean, date, timestamp or string."""
        return self.that("data_type", must, column=column, type=type, **words)

    def has_consistent_type(self, column: str, **words: Any) -> Self:
        """Check that all values parse as the same type, whichever it is."""
        return self.has_type_consistency(column, WHOLE, **words)

    def has_type_consistency(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the largest share of values that parse as the same type."""
        return self.that("type_consistency", must, column=column, **words)

    def has_min(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the smallest value of numbers, texts, dates or timestamps."""
        return self.that("minimum", must, column=column, **words)

    def has_max(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the largest value of numbers, texts, dates or timestamps."""
        return self.that("maximum", must, column=column, **words)

    def has_range(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the difference between the largest and the smallest value."""
        return self.that("range", must, column=column, **words)

    def has_mean(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the arithmetic mean."""
        return self.that("mean", must, column=column, **words)

    def has_sum(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the sum, which is exact on integers and decimals."""
        return self.that("sum", must, column=column, **words)

    def has_standard_deviation(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the population standard deviation."""
        return self.that("standard_deviation", must, column=column, **words)

    def has_variance(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the population variance."""
        return self.that("variance", must, column=column, **words)

    def has_skewness(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the population skewness."""
        return self.that("skewness", must, column=column, **words)

    def has_kurtosis(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the population excess kurtosis."""
        return self.that("kurtosis", must, column=column, **words)

    def has_zeros(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the number of rows with the number 0."""
        return self.that("zeros", must, column=column, **words)

    def has_ratio_of_sums(self, numerator: str, denominator: str, must: Expected, **words: Any) -> Self:
        """Check the sum of one column divided by the sum of another."""
        return self.that("ratio_of_sums", must, numerator=numerator, denominator=denominator, **words)

    def has_min_length(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the length of the shortest text in characters."""
        return self.that("minimum_length", must, column=column, **words)

    def has_max_length(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the length of the longest text in characters."""
        return self.that("maximum_length", must, column=column, **words)

    def is_fresh(self, column: str, must: Expected, **words: Any) -> Self:
        """Check the age of the newest row at evaluation time in hours, or another unit: `in_="days"`."""
        return self.that("freshness", must, column=column, **words)

    def has_column(self, column: str, **words: Any) -> Self:
        """Check that the table has the column."""
        return self.that("column_exists", equal_to(1), column=column, **words)
