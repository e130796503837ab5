"""Columns as somebody tells them anew, beside those that are known."""

import pytest

from treaty.contracts.schema import Column, Schema
from treaty.engine.evaluation.declared_schema import DeclaredColumns, merge_declared_columns

ID, AMOUNT = Column("id", "bigint", nullable=False), Column("amount", "decimal(10,2)")
KNOWN = Schema((ID, AMOUNT, Column("tags", "array<string>"), Column("day", "date")))
NAMES = [(each.name, each.type) for each in KNOWN]

CASES = {
    "nothing is told": ([], KNOWN.columns),
    "as it is": (NAMES, KNOWN.columns),
    "in the words of another": (
        [("ID", "LONG"), ("amount", "NUMERIC(10, 2)"), ("tags", "array"), ("day", "date")], KNOWN.columns,
    ),
    "in words that Spark does not have": (
        [("id", "INT64"), ("amount", ""), ("tags", "REPEATED"), ("day", "date")], KNOWN.columns,
    ),
    "the column of its path is not told": (NAMES[:3], KNOWN.columns),
    "one is gone": ([NAMES[0], NAMES[2]], (ID, *KNOWN.columns[2:])),
    "one is new": ([*NAMES, ("city", "TEXT")], (*KNOWN.columns, Column("city", "string"))),
    "one is new, of a type that Spark does not have": (
        [*NAMES, ("place", "GEOGRAPHY")], (*KNOWN.columns, Column("place", "geography")),
    ),
    "one is of another type": ([("id", "string"), *NAMES[1:]], (Column("id", "string"), *KNOWN.columns[1:])),
    "one is of another size": (
        [NAMES[0], ("amount", "decimal(12,2)"), *NAMES[2:]],
        (ID, Column("amount", "decimal(12,2)"), *KNOWN.columns[2:]),
    ),
    "one is told twice": ([NAMES[0], *NAMES], KNOWN.columns),
    "in another order": (
        [NAMES[1], NAMES[0], *NAMES[2:]], (AMOUNT, ID, *KNOWN.columns[2:]),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("told", "expected"), CASES.values(), ids=CASES.keys())
def test_the_columns_are_those_that_were_told_in_the_words_of_those_that_are_known(
    told: DeclaredColumns, expected: tuple[Column, ...]
) -> None:
    assert merge_declared_columns(KNOWN, told, ["day"]).columns == expected
