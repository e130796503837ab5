"""Cursors: what a list gives in portions is the whole list, and a text that is no cursor of it is refused."""

from base64 import urlsafe_b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.dialects import postgresql
from sqlmodel import select

from treaty.registry.core.errors import InvalidRequest
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder, _read, counted, skipped
from treaty.registry.tables import AuditEntryRow, ContractRow, RunRow

RUNS = SortOrder((RunRow.finished_at, RunRow.id), newest_first=True)
CONTRACTS = SortOrder((ContractRow.id,))
ENTRIES = SortOrder((AuditEntryRow.position,), newest_first=True)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MOMENTS = st.datetimes(timezones=st.just(UTC))


def cursor_of(run: RunRow) -> str:
    found = RUNS.cut([run, run], PageRequest(1)).next
    assert found
    return found


def run(finished: datetime, run_id: UUID) -> RunRow:
    return RunRow(id=run_id, finished_at=finished)


@given(MOMENTS, st.uuids())
def test_a_cursor_says_where_a_portion_ended(finished: datetime, run_id: UUID) -> None:
    assert _read(RUNS._form, cursor_of(run(finished, run_id))) == (finished, run_id)


def test_a_moment_is_the_same_in_every_zone() -> None:
    local = NOON.astimezone(timezone(timedelta(hours=5)))
    assert _read(RUNS._form, cursor_of(run(local, UUID(int=1))))[0].tzinfo is UTC


@given(st.text() | st.from_regex(r"[A-Za-z0-9_=-]*", fullmatch=True))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for order in (RUNS, CONTRACTS, ENTRIES):
        with suppress(InvalidRequest):
            order.of(select(RunRow), PageRequest(1, text))


@pytest.mark.parametrize(
    ("order", "content"),
    [
        (RUNS, b'["0001-01-01T00:00:00+23:59","00000000-0000-7000-8000-000000000000"]'),
        (RUNS, b'["2026-01-01T00:00:00","00000000-0000-7000-8000-000000000000"]'),
        (RUNS, b'["2026-01-01T00:00:00Z"]'),
        (RUNS, b'{"a": 1}'),
        (ENTRIES, b"[9223372036854775808]"),
        (ENTRIES, b"[-1]"),
        (ENTRIES, b'["1"]'),
        (CONTRACTS, b"[1]"),
        (CONTRACTS, b"["),
    ],
)
def test_what_no_row_has_is_refused(order: SortOrder, content: bytes) -> None:
    with pytest.raises(InvalidRequest, match="does not belong to this list"):
        order.of(select(RunRow), PageRequest(1, urlsafe_b64encode(content).decode()))


def test_the_last_portion_has_no_next() -> None:
    rows = [run(NOON, UUID(int=each)) for each in range(3)]
    assert RUNS.cut(rows, PageRequest(3)) == RowPage(rows)
    assert RUNS.cut([], PageRequest(3)) == RowPage([])
    assert RUNS.cut(rows, PageRequest(2)).rows == rows[:2]


def test_a_portion_begins_after_the_row_of_its_cursor() -> None:
    query = str(
        RUNS.of(select(RunRow), PageRequest(5, cursor_of(run(NOON, UUID(int=1))))).compile(dialect=postgresql.dialect())
    )
    assert "WHERE (run.finished_at, run.id) < (" in query
    assert "ORDER BY run.finished_at DESC, run.id DESC" in query


@given(st.integers(0, 30), st.integers(1, 7))
def test_portions_that_are_counted_are_the_whole_list(size: int, limit: int) -> None:
    rows, found, asked = list(range(size)), list[int](), PageRequest(limit)
    while True:
        start = skipped(asked)
        portion = counted(rows[start : start + limit + 1], asked)
        found += portion.rows
        if portion.next is None:
            break
        asked = PageRequest(limit, portion.next)
    assert found == rows
