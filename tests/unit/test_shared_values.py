"""Which rows break a promise about distinct values."""

import pytest
from support.analyzer_table import SCHEMA

from contracts.assertions import Assertion
from engine.analyzers.base import Analyzer
from engine.analyzers.breaking import Breaking
from engine.analyzers.distinct import CountDistinct, Distinctness, DuplicateRows, PrimaryKey, Uniqueness

ID, STATUS = "cast(`id` as bigint)", "cast(`status` as string)"
NO_KEY = "`id` IS NULL OR `status` IS NULL"


@pytest.mark.parametrize(
    ("analyzer", "assertion", "expected"),
    [
        (Uniqueness(columns=("id",)), Assertion("mustBe", 1), Breaking(keys=(ID,))),
        (Uniqueness(columns=("id", "status")), Assertion("mustBeGreaterThan", 0.9), Breaking(keys=(ID, STATUS))),
        (Uniqueness(columns=("id",)), Assertion("mustBeLessThan", 0.5), None),
        (Uniqueness(columns=("id",)), Assertion("mustBeGreaterOrEqualTo", 0), None),
        (Distinctness(columns=("id",)), Assertion("mustBeBetween", [0.5, 1]), Breaking(keys=(ID,))),
        (DuplicateRows(columns=("id",)), Assertion("mustBe", 0), Breaking(keys=(ID,))),
        (DuplicateRows(columns=("id",), copies="extra"), Assertion("mustBeLessThan", 3), Breaking(keys=(ID,))),
        (DuplicateRows(columns=("id",)), Assertion("mustBeGreaterThan", 3), None),
        (PrimaryKey(columns=("id", "status")), Assertion("mustBe", 1), Breaking(NO_KEY, (ID, STATUS))),
        (PrimaryKey(columns=("id",)), Assertion("mustBeLessThan", 1), None),
        (
            PrimaryKey(columns=("id",), where="id > 1"),
            Assertion("mustBe", 1),
            Breaking("`id` IS NULL", (ID,), where="`id` > 1"),
        ),
        (CountDistinct(columns=("id",)), Assertion("mustBe", 1), None),
    ],
)
def test_rows_break_what_wants_them_apart(analyzer: Analyzer, assertion: Assertion, expected: Breaking | None) -> None:
    assert analyzer.bind(SCHEMA).breaking(assertion) == expected
