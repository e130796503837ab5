"""The number of rows of tables in memory: compared with its past where the guard would not notice half of it."""

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import numpy
import pytest

from treaty.engine.programs.avh import Program, fit
from treaty.engine.programs.explanations import broken
from treaty.engine.programs.table_programs import TableVerdict

START, DAYS = datetime(2026, 1, 1, tzinfo=UTC), 42
KINDS = {
    "flat": lambda at: 400,
    "weekday": lambda at: 400 if at % 7 < 5 else 120,
    "growth": lambda at: round(200 * 1.02**at),
}


def snapshot(kind: str, at: int, share: float = 1.0) -> dict[str, Any]:
    drawn = numpy.random.default_rng(at)
    return {"amount": drawn.normal(100, 5, round(share * (KINDS[kind](at) + drawn.integers(0, 12)))).tolist()}


def time(at: int) -> datetime:
    return START + timedelta(days=at)


@cache
def learned(kind: str) -> Program:
    return fit({time(at): snapshot(kind, at) for at in range(DAYS)})


def judged(kind: str, at: int, share: float = 1.0) -> TableVerdict:
    return learned(kind).judge(snapshot(kind, at, share), time(at))


@pytest.mark.parametrize("kind", KINDS)
def test_half_of_the_rows_are_noticed_and_all_of_them_are_fine(kind: str) -> None:
    half, whole = (judged(kind, DAYS, share).rows for share in (0.5, 1.0))
    assert half is not None
    assert half.holds is False
    assert broken(half).startswith("row count is 2")
    assert whole is not None
    assert whole.holds is True


def test_the_time_of_a_snapshot_tells_which_day_of_the_week_it_is() -> None:
    assert [judged("weekday", at).flagged for at in range(DAYS, DAYS + 7)] == [False] * 7
    weekend = learned("weekday").judge(snapshot("weekday", DAYS), time(DAYS + 5))
    assert weekend.rows is not None
    assert weekend.rows.holds is False


def test_a_guard_that_notices_half_of_the_rows_stays() -> None:
    guard = learned("flat").table.rows
    found = judged("flat", DAYS).rows
    assert found is not None
    assert found.clause == guard
    assert judged("weekday", DAYS).rows != found


def test_a_missing_day_does_not_shift_the_week() -> None:
    program = fit({time(at): snapshot("weekday", at) for at in range(DAYS) if at not in (20, 38)})
    assert not any(program.judge(snapshot("weekday", at), time(at)).flagged for at in range(DAYS, DAYS + 7))


def test_snapshots_without_times_keep_the_guard() -> None:
    program = fit([snapshot("weekday", at) for at in range(DAYS)])
    found = program.judge(snapshot("weekday", DAYS, 0.5)).rows
    assert found is not None
    assert (found.clause, found.holds) == (program.table.rows, True)


def test_rows_are_compared_with_their_past_where_the_budget_pays_for_no_guard() -> None:
    program = fit({time(at): snapshot("weekday", at) for at in range(DAYS)}, budget=1e-9)
    half, whole = (program.judge(snapshot("weekday", DAYS, share), time(DAYS)).rows for share in (0.5, 1.0))
    assert program.table.rows is None
    assert half is not None
    assert whole is not None
    assert (half.holds, whole.holds) == (False, True)


def test_few_snapshots_have_no_verdict_on_their_rows() -> None:
    assert fit([snapshot("weekday", at) for at in range(13)]).judge(snapshot("weekday", 13, 0.1)).rows is None
