"""Transactions and column types behave alike on both databases."""

import signal
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.exc import IntegrityError, StatementError
from sqlmodel import select
from support.signals import interruptible

from treaty.registry.core import ids
from treaty.registry.core.database import migration_of, read_session, transaction
from treaty.registry.tables import ApiTokenRow, UserRow

NOON = datetime(2026, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)


def user(name: str = "ada", *, created: datetime = NOON) -> UserRow:
    return UserRow(id=ids.new(), name=name, roles=["viewer"], created_at=created)


def names(engine: Engine) -> list[str]:
    with read_session(engine) as tx:
        return sorted(tx.exec(select(UserRow.name)))


def test_rolls_back_uncommitted_work_by_default(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add(user())
        tx.flush()
    assert names(engine) == []


def test_rolls_back_when_an_error_leaves_the_block(engine: Engine) -> None:
    with suppress(RuntimeError), transaction(engine) as tx:
        tx.add(user())
        tx.flush()
        raise RuntimeError
    assert names(engine) == []


def test_keeps_committed_work(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add(user())
        tx.commit()
    assert names(engine) == ["ada"]


def test_an_interrupt_as_a_transaction_begins_keeps_nobody_from_writing(engine: Engine) -> None:
    # While the error is looked at, what raised it is still there: a connection that forgot its lock would keep it.
    event.listen(engine, "begin", lambda _: signal.raise_signal(signal.SIGINT), once=True)
    try:
        with interruptible(), transaction(engine) as tx:
            tx.add(user())
            tx.commit()
    except KeyboardInterrupt:
        with transaction(engine) as tx:
            tx.add(user("bob"))
            tx.commit()
    assert names(engine) == ["ada", "bob"]


def test_times_come_back_aware_and_in_utc_from_any_zone(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add(user(created=NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))))
        tx.commit()
    with read_session(engine) as tx:
        found = tx.exec(select(UserRow)).one().created_at
    assert (found, found.utcoffset()) == (NOON, timedelta(0))


def test_a_time_without_a_zone_is_refused(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add(user(created=NOON.replace(tzinfo=None)))
        with pytest.raises(StatementError, match="without a time zone"):
            tx.flush()


def test_a_reference_to_nothing_is_refused_at_commit(engine: Engine) -> None:
    token = ApiTokenRow(
        id=ids.new(), prefix="p", secret_sha256="x", user_id=ids.new(), name="t", scopes=[], created_at=NOON
    )
    with transaction(engine) as tx:
        tx.add(token)
        tx.flush()
        with pytest.raises(IntegrityError):
            tx.commit()


def test_two_users_of_one_name_are_refused(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add_all([user(), user()])
        with pytest.raises(IntegrityError):
            tx.flush()


def test_readers_go_on_while_a_writer_is_at_work(engine: Engine) -> None:
    with transaction(engine) as tx:
        tx.add(user())
        tx.flush()
        assert names(engine) == []
        tx.commit()
    assert names(engine) == ["ada"]


def test_the_schema_version_is_known(engine: Engine) -> None:
    with read_session(engine) as tx:
        assert migration_of(tx).isdigit()
