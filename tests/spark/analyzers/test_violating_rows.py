"""Rows that break a check, on real Spark: as many as the states say, and none where the extreme value keeps it."""

from typing import Any

import pytest
from pyspark.sql import functions
from support.analyzer_table import SCHEMA, Case
from support.cases_numbers import CASES
from support.frames import case_frame

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers.numbers import Maximum, Minimum
from treaty.engine.analyzers.shares import InvalidRowCount
from treaty.engine.analyzers.text import MaximumLength, MinimumLength
from treaty.engine.analyzers.types import TypeConsistency
from treaty.engine.analyzers.violating_rows import ViolatingRows

EXTREMES = (Minimum, Maximum, MinimumLength, MaximumLength)
# Which type most values read as cannot be known of a single row.
WHOLE = [case for case in CASES if case.broken is not None and not isinstance(case.analyzer, TypeConsistency)]
ENDS = [case for case in CASES if isinstance(case.analyzer, EXTREMES) and case.expected is not None]


def breaking(case: Case, operator: str, limit: Any) -> ViolatingRows | None:
    return case.analyzer.bind(SCHEMA).breaking(Assertion(operator, limit))


def broken_whole(case: Case) -> ViolatingRows | None:
    return breaking(case, "mustBe", 0 if isinstance(case.analyzer, InvalidRowCount) else 1)


def kept_end(case: Case) -> ViolatingRows | None:
    low = isinstance(case.analyzer, Minimum | MinimumLength)
    return breaking(case, "mustBeGreaterOrEqualTo" if low else "mustBeLessOrEqualTo", case.expected)


def missed_end(case: Case) -> ViolatingRows | None:
    low = isinstance(case.analyzer, Minimum | MinimumLength)
    return breaking(case, "mustBeGreaterThan" if low else "mustBeLessThan", case.expected)


KINDS = {"whole": (broken_whole, WHOLE), "kept": (kept_end, ENDS), "missed": (missed_end, ENDS)}


@pytest.fixture(scope="module")
def rows(spark: Any) -> dict[tuple[str, str], int]:
    """How many rows break each case: in one job."""
    found = {(kind, case.id): of(case) for kind, (of, cases) in KINDS.items() for case in cases}
    known = {key: each for key, each in found.items() if each is not None}
    sqls = [f"count_if(({each.where or 'true'}) AND ({each.condition}))" for each in known.values()]
    (counts,) = case_frame(spark).select(*(functions.expr(sql) for sql in sqls)).collect()
    return dict(zip(known, counts, strict=True))


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case.id)
def test_as_many_rows_break_a_check_as_its_states_say(case: Case, rows: dict[tuple[str, str], int]) -> None:
    assert rows["whole", case.id] == case.broken


@pytest.mark.parametrize("case", ENDS, ids=lambda case: case.id)
def test_no_row_breaks_a_bound_that_the_smallest_or_largest_keeps(case: Case, rows: dict[tuple[str, str], int]) -> None:
    if case.expected == case.expected:  # NaN keeps no bound
        assert rows["kept", case.id] == 0
        assert rows["missed", case.id] >= 1
