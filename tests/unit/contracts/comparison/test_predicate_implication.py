"""Whether one predicate follows from another: a table of both answers, and rows that are asked."""

import sqlite3
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.every import every

from treaty.contracts.comparison.predicate_implication import implies, of_predicates


@every(
    ("first", "second", "follows"),
    [
        ("a > 1", None, True),
        (None, "a > 1", False),
        (None, None, True),
        ("a > 2", "a > 1", True),
        ("a > 1", "a > 2", False),
        ("a > 1", "a >= 1", True),
        ("2 < a", "a > 1", True),
        ("a = 2", "a > 1", True),
        ("a = -2", "a < -1", True),
        ("a IN (2, 3)", "a > 1", True),
        ("a IN (1, 3)", "a > 1", False),
        ("a IN (2, 3)", "a IN (3, 2, 1)", True),
        ("a BETWEEN 2 AND 3", "a BETWEEN 1 AND 4", True),
        ("a > 1 AND a < 3", "a BETWEEN 0 AND 4", True),
        ("a > 1 AND b = 'x'", "a > 0", True),
        ("a > 1 AND b = 'x'", "b = 'x' AND a > 1", True),
        ("a > 1", "a > 1 OR b = 'x'", True),
        ("a > 1 OR b = 'x'", "a > 1", False),
        ("a > 2 OR a > 3", "a > 1", True),
        ("lower(b) = 'x' AND a > 1", "lower(b) = 'x'", True),
        ("b = 'x'", "b = 'X'", False),
        ("b = 'x'", "b IN ('x', 'y')", True),
        ("a = 1", "a = '1'", False),
        ("a > 0.1", "a > 0.10", True),
        ("d >= '2026-02-01'", "d >= '2026-01-01'", True),
        # As dates the first is the later one, as texts it is not: the column's type is not known here.
        ("d >= '2026-2-1'", "d >= '2026-01-01'", False),
        ("b > 'x'", "b > 'a'", False),
        ("NOT a > 1", "a <= 1", False),
        ("a > 1 AND", "a > 1", False),
        ("(a > 1)", "a>1", True),
    ],
)
def test_what_follows_is_told_from_the_texts(first: str | None, second: str | None, follows: bool) -> None:
    assert implies(first, second) is follows


SIMPLE = st.sampled_from([
    "a > 1", "a >= 1", "a < 2", "a <= 2", "a = 1", "a IN (0, 2)", "a BETWEEN 1 AND 2", "b = 'x'", "b IN ('x', 'y')",
    "a IS NULL", "NOT a > 1", "a <> 1", "c > a",
])  # fmt: skip
PREDICATES = st.recursive(
    SIMPLE,
    lambda inner: st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=4,
)  # fmt: skip
ROWS = list(product([None, 0, 1, 2, 3], [None, "x", "y"], [None, 1, 2]))


@pytest.fixture(scope="module")
def rows() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("create table t (a, b, c)")
    database.executemany("insert into t values (?, ?, ?)", ROWS)
    return database


@given(data=st.data())
def test_no_row_speaks_against_it(rows: sqlite3.Connection, data: st.DataObject) -> None:
    first, second = data.draw(PREDICATES), data.draw(PREDICATES)
    for given_one, wanted in ((first, second), (f"{first} AND {second}", second), (first, f"{first} OR {second}")):
        found = rows.execute(f"select count(*) from t where ({given_one}) and (({wanted}) is not true)").fetchone()
        assert found == (0,) or not implies(given_one, wanted)
    assert implies(f"{first} AND {second}", second)
    assert implies(first, f"{first} OR {second}")
    assert of_predicates(first, second) is of_predicates(second, first).mirrored
