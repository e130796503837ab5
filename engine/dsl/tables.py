"""Checks of the whole table, of conditions on rows, and of references to other tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected

Columns = str | Sequence[str]


class TableChecks(CheckBuilder):
    """Checks of tables. Conditions are SQL on one row; other tables are passed to `verify` as `others`."""

    def has_size(self, must: Expected, **words: Any) -> Self:
        """Check the number of rows."""
        return self.that("size", must, **words)

    def has_column_count(self, must: Expected, **words: Any) -> Self:
        """Check the number of columns."""
        return self.that("column_count", must, **words)

    def satisfies(self, predicate: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows for which a condition is true."""
        return self.that("compliance", must, predicate=predicate, **words)

    def satisfies_if(self, condition: str, predicate: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Check the share of rows that satisfy the predicate, among those that satisfy the condition."""
        return self.that("implication", must, condition=condition, predicate=predicate, **words)

    def has_sql(self, query: str, must: Expected, **words: Any) -> Self:
        """Check the number that a query over the table returns."""
        return self.that("sql", must, query=query, **words)

    def refers_to(
        self, columns: Columns, dataset: str, other_columns: Columns, must: Expected = WHOLE, **words: Any
    ) -> Self:
        """Check the share of rows whose values exist in columns of another table."""
        arguments = {"columns": columns, "dataset": dataset, "other_columns": other_columns}
        return self.that("referential_integrity", must, **arguments, **words)

    def matches(
        self,
        dataset: str,
        keys: Columns,
        *,
        compare: Mapping[str, str] | None = None,
        tolerance: float | None = None,
        must: Expected = WHOLE,
        **words: Any,
    ) -> Self:
        """Check the share of rows with exactly one equal partner by key in another table."""
        arguments = {"dataset": dataset, "keys": keys, "compare": compare, "tolerance": tolerance}
        return self.that("dataset_match", must, **arguments, **words)
