"""Which rows break a promise about distinct values."""

import pytest
from support.analyzer_table import SCHEMA
from support.bags import bag
from support.orders import check, contract, judged

from treaty.contracts.assertions import Assertion
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.analyzers.distinct import CountDistinct, Distinctness, DuplicateRows, PrimaryKey, Uniqueness
from treaty.engine.analyzers.violating_rows import ViolatingRows
from treaty.engine.core.results import Outcome
from treaty.engine.states.planning.scan_plan import plan

ID, STATUS = "cast(`id` as bigint)", "cast(`status` as string)"
NO_KEY = "`id` IS NULL OR `status` IS NULL"


@pytest.mark.parametrize(
    ("analyzer", "assertion", "expected"),
    [
        (Uniqueness(columns=("id",)), Assertion("mustBe", 1), ViolatingRows(keys=(ID,))),
        (Uniqueness(columns=("id", "status")), Assertion("mustBeGreaterThan", 0.9), ViolatingRows(keys=(ID, STATUS))),
        (Uniqueness(columns=("id",)), Assertion("mustBeLessThan", 0.5), None),
        (Uniqueness(columns=("id",)), Assertion("mustBeGreaterOrEqualTo", 0), None),
        (Distinctness(columns=("id",)), Assertion("mustBeBetween", [0.5, 1]), ViolatingRows(keys=(ID,))),
        (DuplicateRows(columns=("id",)), Assertion("mustBe", 0), ViolatingRows(keys=(ID,))),
        (DuplicateRows(columns=("id",), copies="extra"), Assertion("mustBeLessThan", 3), ViolatingRows(keys=(ID,))),
        (DuplicateRows(columns=("id",)), Assertion("mustBeGreaterThan", 3), None),
        (PrimaryKey(columns=("id", "status")), Assertion("mustBe", 1), ViolatingRows(NO_KEY, (ID, STATUS))),
        (PrimaryKey(columns=("id",)), Assertion("mustBeLessThan", 1), None),
        (
            PrimaryKey(columns=("id",), where="id > 1"),
            Assertion("mustBe", 1),
            ViolatingRows("`id` IS NULL", (ID,), where="`id` > 1"),
        ),
        (CountDistinct(columns=("id",)), Assertion("mustBe", 1), None),
    ],
)
def test_rows_break_what_wants_them_apart(
    analyzer: Analyzer, assertion: Assertion, expected: ViolatingRows | None
) -> None:
    assert analyzer.bind(SCHEMA).breaking(assertion) == expected


def test_a_key_with_a_null_identifies_no_row() -> None:
    columns = {"id": [1, 2, None, None], "amount": [0.0] * 4, "status": ["a"] * 4}
    found = judged(contract(check("primary_key", columns=["id"], mustBe=1)), columns)
    assert (found.outcome, found.value, found.row_count, found.violating_rows) == (Outcome.FAILED, 0.5, 4, 2)


def test_rows_are_duplicates_in_all_columns_where_none_is_named() -> None:
    schema = Schema((Column("x", "bigint"), Column("s.t", "string")))
    bound = DuplicateRows(copies="extra").bind(schema)
    rows = {"x": [1, 1, 1, None, None], "s.t": ["a", "a", "b", None, None]}
    assert bound.value(bag(plan([bound]), schema, rows).values) == 1
    assert bound.breaking(Assertion("mustBe", 0)) == ViolatingRows(
        keys=("cast(`x` as bigint)", "cast(`s.t` as string)")
    )


def test_rows_with_nested_columns_are_compared_only_by_named_ones() -> None:
    with pytest.raises(NotApplicableToTable, match="cannot be computed on `nested`"):
        DuplicateRows().bind(SCHEMA)
