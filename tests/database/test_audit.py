"""The audit: complete, in order, and telling when somebody changed it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine, text

from registry import audit
from registry.database import reading, transaction
from registry.words import Action

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)


def write(engine: Engine, *names: str) -> None:
    for name in names:
        with transaction(engine) as tx:
            details = {"name": name, "roles": ["ä"], "share": 0.1}
            audit.record(tx, Action.USER_CREATED, actor="ada", object_id=name, now=NOW, details=details)
            tx.commit()


def tamper(engine: Engine, statement: str) -> None:
    """Changes the table as somebody with all rights on the database could."""
    unguard = {
        "sqlite": ["drop trigger audit_entry_kept_update", "drop trigger audit_entry_kept_delete", statement],
        "postgresql": [
            "alter table audit_entry disable trigger all",
            statement,
            "alter table audit_entry enable trigger all",
        ],
    }
    with engine.begin() as connection:
        for each in unguard[engine.dialect.name]:
            connection.execute(text(each))


def broken_at(engine: Engine) -> int | None:
    with reading(engine) as tx:
        return audit.verify(tx).broken_at


def test_an_untouched_audit_verifies(engine: Engine) -> None:
    assert broken_at(engine) is None
    write(engine, "a", "b", "c")
    with reading(engine) as tx:
        assert audit.verify(tx) == audit.Chain(3, broken_at=None)


@pytest.mark.parametrize(
    ("statement", "position"),
    [
        ("update audit_entry set actor = 'eve' where position = 2", 2),
        ("update audit_entry set details = '{}' where position = 1", 1),
        ("update audit_entry set time = '2020-01-01 00:00:00' where position = 3", 3),
        ("update audit_entry set action = 'user:changed' where position = 3", 3),
        ("update audit_entry set hash = previous_hash where position = 3", 3),
        ("delete from audit_entry where position = 1", 1),
        ("delete from audit_entry where position = 2", 2),
        ("update audit_entry set position = 9 where position = 3", 3),
    ],
)
def test_the_first_entry_that_was_changed_is_named(engine: Engine, statement: str, position: int) -> None:
    write(engine, "a", "b", "c")
    tamper(engine, statement)
    assert broken_at(engine) == position


def test_an_entry_is_undone_with_its_change(engine: Engine) -> None:
    with transaction(engine) as tx:
        audit.record(tx, Action.USER_CREATED, actor="ada", object_id="x", now=NOW)
    with reading(engine) as tx:
        assert audit.verify(tx).entries == 0


def test_writers_at_the_same_time_make_one_chain(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: write(engine, *(f"{number}-{each}" for each in range(5))), range(4)))
    with reading(engine) as tx:
        assert audit.verify(tx) == audit.Chain(20, broken_at=None)


def test_entries_come_newest_first_and_page_by_page(engine: Engine) -> None:
    write(engine, "a", "b", "c", "b")
    with reading(engine) as tx:
        pages = [audit.entries(tx, before=before, limit=2) for before in (None, 3)]
        of_b = audit.entries(tx, object_id="b", before=None, limit=10)
        other = audit.entries(tx, action=Action.RUN_RECORDED, before=None, limit=10)
    assert [[each.position for each in page] for page in (*pages, of_b, other)] == [[4, 3], [2, 1], [4, 2], []]
    assert {each.object_type for each in pages[0]} == {"user"}
