"""Promises about the table as a whole, about conditions, and about other tables."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

from treaty.engine.dsl.limits import WHOLE, CheckBuilder, Expected

Columns = str | Sequence[str]


class TableChecks(CheckBuilder):
    """Conditions are SQL on one row; other tables are named, and handed to `verify` as `others`."""

    def has_size(self, must: Expected, **words: Any) -> Self:
        """The number of rows."""
        return self.that("size", must, **words)

    def has_column_count(self, must: Expected, **words: Any) -> Self:
        """The number of columns."""
        return self.that("column_count", must, **words)

    def satisfies(self, predicate: str, must: Expected = WHOLE, **words: Any) -> Self:
        """The share of rows for which a condition is true."""
        return self.that("compliance", must, predicate=predicate, **words)

    def satisfies_if(self, condition: str, predicate: str, must: Expected = WHOLE, **words: Any) -> Self:
        """Among the rows for which the first condition is true, the share for which the second is."""
        return self.that("implication", must, condition=condition, predicate=predicate, **words)

    def has_sql(self, query: str, must: Expected, **words: Any) -> Self:
        """The number that a query over the table answers."""
        return self.that("sql", must, query=query, **words)

    def refers_to(
        self, columns: Columns, dataset: str, other_columns: Columns, must: Expected = WHOLE, **words: Any
    ) -> Self:
        """The share of rows whose values are found in the columns of another table."""
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
        """The share of rows that have exactly one partner by key in another table, equal in the compared columns."""
        arguments = {"dataset": dataset, "keys": keys, "compare": compare, "tolerance": tolerance}
        return self.that("dataset_match", must, **arguments, **words)
