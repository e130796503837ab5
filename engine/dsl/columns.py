"""Promises about the values of one column, or of two side by side."""

from collections.abc import Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected, equal_to

Columns = str | Sequence[str]


class ColumnChecks(CheckBuilder):
    """Each value is looked at by itself. Shares are of the values that are there: nulls are `is_complete`'s concern."""

    def is_complete(self, column: str, **words: Any) -> Self:
        """No value is null."""
        return self.that("completeness", WHOLE, column=column, **words)

    def has_completeness(self, column: str, must: Expected, **words: Any) -> Self:
        """The share of values that are not null."""
        return self.that("completeness", must, column=column, **words)

    def are_complete(self, columns: Columns, **words: Any) -> Self:
        """No row lacks a value in any of the columns."""
        return self.have_completeness(columns, WHOLE, **words)

    def have_completeness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The share of rows that have a value in all of the columns."""
        return self.that("combined_completeness", must, columns=columns, **words)

    def are_any_complete(self, columns: Columns, **words: Any) -> Self:
        """Every row has a value in at least one of the columns."""
        return self.have_any_completeness(columns, WHOLE, **words)

    def have_any_completeness(self, columns: Columns, must: Expected, **words: Any) -> Self:
        """The share of rows that have a value in at least one of the columns."""
        return self.that("combined_completeness", must, columns=columns, of="any", **words)

    def is_contained_in(self, column: str, values: Sequence[Any], must: Expected = WHOLE, **words: Any) -> Self:
        """The share of values that are among these."""
        return self.that("contained_in", must, column=column, values=list(values), **words)

    def is_in_range(
        self, column: str, minimum: Any = None, maximum: Any = None, must: Expected = WHOLE, **words: Any
    ) -> Self:
        """The share of values between two limits, both included; `exclusive_minimum=`, `exclusive_maximum=` are not."""
        return self.that("in_range", must, column=column, minimum=minimum, maximum=maximum, **words)

    def is_non_negative(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of numbers that are 0 or more."""
        return self.that("in_range", must, column=column, minimum=0, **words)

    def is_positive(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of numbers that are more than 0."""
        return self.that("in_range", must, column=column, exclusive_minimum=0, **words)

    def is_less_than(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows whose first value is less than the second."""
        return self._compared(column, "<", other, must, **words)

    def is_less_than_or_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows whose first value is at most the second."""
        return self._compared(column, "<=", other, must, **words)

    def is_greater_than(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows whose first value is greater than the second."""
        return self._compared(column, ">", other, must, **words)

    def is_greater_than_or_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows whose first value is at least the second."""
        return self._compared(column, ">=", other, must, **words)

    def is_equal_to(self, column: str, other: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows whose two values are equal."""
        return self._compared(column, "=", other, must, **words)

    def _compared(self, column: str, operator: str, other: str, must: Expected, **words: Any) -> Self:
        return self.that("comparison", must, column=column, operator=operator, other=other, **words)

    def has_pattern(self, column: str, pattern: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts that a regular expression matches from end to end."""
        return self.that("pattern_match", must, column=column, pattern=pattern, **words)

    def has_format(self, column: str, named: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts of a named format: email, url, uuid, ipv4, credit_card, iban ..."""
        return self.that("pattern_match", must, column=column, format=named, **words)

    def contains_email(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts that are e-mail addresses."""
        return self.has_format(column, "email", must, **words)

    def contains_url(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts that are URLs."""
        return self.has_format(column, "url", must, **words)

    def contains_credit_card_number(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts that are numbers of payment cards, check digit included."""
        return self.has_format(column, "credit_card", must, **words)

    def contains_social_security_number(self, column: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of texts that are US social security numbers."""
        return self.has_format(column, "ssn", must, **words)

    def has_data_type(self, column: str, type: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of values that read as a type: integer, decimal, fractional, number, boolean, date, timestamp."""
        return self.that("data_type", must, column=column, type=type, **words)

    def has_consistent_type(self, column: str, **words: Any) -> Self:
        """All values read as one type, whichever it is."""
        return self.has_type_consistency(column, WHOLE, **words)

    def has_type_consistency(self, column: str, must: Expected, **words: Any) -> Self:
        """The largest share of values that read as one type."""
        return self.that("type_consistency", must, column=column, **words)

    def has_min(self, column: str, must: Expected, **words: Any) -> Self:
        """The smallest value: of numbers, texts, dates and timestamps."""
        return self.that("minimum", must, column=column, **words)

    def has_max(self, column: str, must: Expected, **words: Any) -> Self:
        """The largest value: of numbers, texts, dates and timestamps."""
        return self.that("maximum", must, column=column, **words)

    def has_range(self, column: str, must: Expected, **words: Any) -> Self:
        """The largest value less the smallest."""
        return self.that("range", must, column=column, **words)

    def has_mean(self, column: str, must: Expected, **words: Any) -> Self:
        """The arithmetic mean."""
        return self.that("mean", must, column=column, **words)

    def has_sum(self, column: str, must: Expected, **words: Any) -> Self:
        """The sum, exact on longs and decimals."""
        return self.that("sum", must, column=column, **words)

    def has_standard_deviation(self, column: str, must: Expected, **words: Any) -> Self:
        """The population standard deviation."""
        return self.that("standard_deviation", must, column=column, **words)

    def has_variance(self, column: str, must: Expected, **words: Any) -> Self:
        """The population variance."""
        return self.that("variance", must, column=column, **words)

    def has_skewness(self, column: str, must: Expected, **words: Any) -> Self:
        """The population skewness."""
        return self.that("skewness", must, column=column, **words)

    def has_kurtosis(self, column: str, must: Expected, **words: Any) -> Self:
        """The population excess kurtosis."""
        return self.that("kurtosis", must, column=column, **words)

    def has_zeros(self, column: str, must: Expected, **words: Any) -> Self:
        """How many numbers are 0."""
        return self.that("zeros", must, column=column, **words)

    def has_ratio_of_sums(self, numerator: str, denominator: str, must: Expected, **words: Any) -> Self:
        """The sum of one column over the sum of another."""
        return self.that("ratio_of_sums", must, numerator=numerator, denominator=denominator, **words)

    def has_min_length(self, column: str, must: Expected, **words: Any) -> Self:
        """The characters of the shortest text."""
        return self.that("minimum_length", must, column=column, **words)

    def has_max_length(self, column: str, must: Expected, **words: Any) -> Self:
        """The characters of the longest text."""
        return self.that("maximum_length", must, column=column, **words)

    def is_fresh(self, column: str, must: Expected, **words: Any) -> Self:
        """The age of the newest row at the moment of judgement, in seconds; `in_="hours"` in another unit."""
        return self.that("freshness", must, column=column, **words)

    def has_column(self, column: str, **words: Any) -> Self:
        """The table has the column."""
        return self.that("column_exists", equal_to(1), column=column, **words)
