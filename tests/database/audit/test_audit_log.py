"""The audit: complete, in order, and telling when somebody changed it."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session
from support.api import World, build, document
from support.tampering import CASES, LENGTH, Entry, entries

from treaty.engine.core import key_files
from treaty.registry.audit import audit_log, hash_chain
from treaty.registry.audit.hash_chain import CHANGED, AuditHead, ChainCheck
from treaty.registry.core.audit_actions import FORMER_ACTIONS, AuditAction
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.pagination import PageRequest
from treaty.registry.tables import AuditEntryRow, ContractVersionRow

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)


def write(engine: Engine, *names: str) -> None:
    for name in names:
        with transaction(engine) as tx:
            details = {"name": name, "roles": ["ä"], "share": 0.1}
            audit_log.record(tx, AuditAction.USER_CREATED, actor="ada", object_id=name, now=NOW, details=details)
            tx.commit()


def broken_at(engine: Engine) -> int | None:
    with read_session(engine) as tx:
        return audit_log.verify(tx).broken_at


def test_an_untouched_audit_verifies(engine: Engine) -> None:
    assert broken_at(engine) is None
    write(engine, "a", "b", "c")
    with read_session(engine) as tx:
        found = audit_log.verify(tx)
    assert (found.entries, found.broken_at, found.fault) == (3, None, None)


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
    with engine.begin() as connection:
        for each in (*unguarded(engine), statement):
            connection.execute(text(each))
    assert broken_at(engine) == position


def test_an_entry_is_undone_with_its_change(engine: Engine) -> None:
    with transaction(engine) as tx:
        audit_log.record(tx, AuditAction.USER_CREATED, actor="ada", object_id="x", now=NOW)
    with read_session(engine) as tx:
        assert audit_log.verify(tx).entries == 0


def test_writers_at_the_same_time_make_one_chain(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda number: write(engine, *(f"{number}-{each}" for each in range(5))), range(4)))
    with read_session(engine) as tx:
        found = audit_log.verify(tx)
    assert (found.entries, found.broken_at) == (20, None)


def test_entries_come_newest_first_and_page_by_page(engine: Engine) -> None:
    write(engine, "a", "b", "c", "b")
    with read_session(engine) as tx:
        first = audit_log.entries(tx, PageRequest(2))
        pages = [first, audit_log.entries(tx, PageRequest(2, first.next))]
        of_b = audit_log.entries(tx, PageRequest(10), object_id="b")
        other = audit_log.entries(tx, PageRequest(10), action=AuditAction.RUN_RECORDED)
    assert [[each.position for each in page.rows] for page in (*pages, of_b, other)] == [[4, 3], [2, 1], [4, 2], []]
    assert {each.object_type for each in first.rows} == {"user"}


def test_entries_with_a_replaced_word_are_listed_under_the_current_one(engine: Engine) -> None:
    write(engine, *FORMER_ACTIONS)
    with engine.begin() as connection:
        for statement in unguarded(engine):
            connection.execute(text(statement))
        for word in FORMER_ACTIONS:
            connection.execute(text("update audit_entry set action = :word where object_id = :word"), {"word": word})
    with read_session(engine) as tx:
        for word, action in FORMER_ACTIONS.items():
            assert [each.action for each in audit_log.entries(tx, PageRequest(20), action=action).rows] == [word]


def tampered(engine: Engine, change: Callable[[list[Entry]], list[Entry]], head: AuditHead) -> ChainCheck:
    """What verification says after the change was written behind the triggers; the change is then undone."""
    with transaction(engine) as tx:
        for statement in unguarded(engine):
            tx.connection().execute(text(statement))
        written = list(audit_log.stream(tx))
        table = AuditEntryRow.__table__
        tx.connection().execute(table.delete())
        for each in change(written):
            tx.connection().execute(table.insert(), {**each, "time": datetime.fromisoformat(each["time"])})
        return audit_log.verify(tx, head)


def unguarded(engine: Engine) -> list[str]:
    """What takes the triggers off, for whoever has all rights on the database."""
    if engine.dialect.name == "postgresql":
        return ["set local session_replication_role = replica"]
    return [f"drop trigger audit_entry_kept_{each}" for each in ("update", "delete", "insert")]


@pytest.fixture
def eight(engine: Engine) -> Engine:
    """An audit of as many entries as the cases are made for."""
    with transaction(engine) as tx:
        for each in entries():
            audit_log.record(
                tx,
                AuditAction(each["action"]),
                actor=each["actor"],
                object_id=each["object_id"],
                now=datetime.fromisoformat(each["time"]),
                details=each["details"],
            )
        tx.commit()
    return engine


def test_every_way_to_tamper_with_the_database_shows_where_it_begins(eight: Engine) -> None:
    with read_session(eight) as tx:
        head, written = audit_log.head_of(tx, now=NOW), list(audit_log.stream(tx))
    assert written == entries()
    found = {each.name: tampered(eight, each.change, head) for each in CASES}
    told = {name: (chain.broken_at, chain.fault) for name, chain in found.items()}
    assert told == {each.name: (each.broken_at, each.fault) for each in CASES}
    with read_session(eight) as tx:
        assert audit_log.verify(tx, head) == ChainCheck(LENGTH, head.hash)


@pytest.mark.parametrize(
    ("position", "change"),
    [
        (2, "action = 'nonsense'"),
        (3, "details = 'no JSON'"),
        (4, "details = '[1'"),
        (5, "time = 'noon'"),
        (6, "actor = x'ff'"),
        (7, "details = '{\"name\": 1e999}'"),
    ],
)
@pytest.mark.parametrize("kind", ["sqlite"])
def test_what_cannot_be_read_is_told_as_changed(eight: Engine, position: int, change: str) -> None:
    with eight.begin() as connection:
        for statement in (*unguarded(eight), f"update audit_entry set {change} where position = {position}"):
            connection.execute(text(statement))
    with read_session(eight) as tx:
        found = audit_log.verify(tx)
    assert (found.broken_at, found.fault) == (position, CHANGED)


COLUMNS = "position, time, actor, action, object_type, object_id, details, previous_hash, hash"
REWRITTEN = f"select {COLUMNS.replace('actor', chr(39) + 'eve' + chr(39), 1)} from audit_entry where position = 3"
REFUSED = {
    "update": "update audit_entry set actor = 'eve' where position = 3",
    "update of all": "update audit_entry set details = '{}'",
    "update to the same": "update audit_entry set actor = actor",
    "update of the key": "update audit_entry set position = 99 where position = 8",
    "delete": "delete from audit_entry where position = 8",
    "delete of all": "delete from audit_entry",
    "delete by a list": "delete from audit_entry where position in (select position from audit_entry)",
    "insert with a taken position": f"insert into audit_entry ({COLUMNS}) {REWRITTEN}",
    "upsert": f"insert into audit_entry ({COLUMNS}) {REWRITTEN} and true "
    "on conflict (position) do update set actor = 'eve'",
}
REFUSED_BY_SQLITE = {
    "insert or replace": f"insert or replace into audit_entry ({COLUMNS}) {REWRITTEN}",
    "replace": f"replace into audit_entry ({COLUMNS}) {REWRITTEN}",
    "update or replace": "update or replace audit_entry set position = 3 where position = 8",
    "a gap": f"insert into audit_entry ({COLUMNS}) {REWRITTEN.replace('select position', 'select position + 90')}",
    "the row's number": "update audit_entry set rowid = 99 where position = 8",
}
REFUSED_BY_POSTGRES = {
    "truncate": "truncate audit_entry",
    "truncate with others": 'truncate audit_entry, "user" cascade',
    "merge": "merge into audit_entry as a using (select 3 as p) as b on a.position = b.p when matched then delete",
}


def test_no_statement_changes_an_entry_that_was_written(eight: Engine) -> None:
    own = REFUSED_BY_SQLITE if eight.dialect.name == "sqlite" else REFUSED_BY_POSTGRES
    for statement in {**REFUSED, **own}.values():
        with pytest.raises(DBAPIError, match=r"kept as they were written|duplicate key"), eight.begin() as connection:
            connection.execute(text(statement))
    with read_session(eight) as tx:
        assert list(audit_log.stream(tx)) == entries()


def test_nothing_is_written_over_a_version_or_a_record(world: World) -> None:
    proposal = world.client("producer").propose(document())
    world.client("owner").approve(proposal.id, world.client("owner").preview(proposal.id).fingerprint)
    changes = [
        "update approval_record set content = '{}'", "delete from approval_record",
        "update contract_version set body = 'x'", "delete from contract_version",
    ]  # fmt: skip
    if world.engine.dialect.name == "sqlite":
        columns = ", ".join(f'"{each.name}"' for each in ContractVersionRow.__table__.columns)
        values = columns.replace('"body"', "'x'")
        changes.append(f"insert or replace into contract_version ({columns}) select {values} from contract_version")
        changes.append("insert or replace into approval_record select * from approval_record")
    else:
        changes.extend(["truncate contract_version cascade", "truncate approval_record"])
    for change in changes:
        with pytest.raises(DBAPIError, match="kept as they were written"), world.engine.begin() as connection:
            connection.execute(text(change))


def test_a_long_audit_is_verified_and_exported_piece_by_piece(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit_log, "AT_A_TIME", 3)
    write(engine, *map(str, range(8)))
    with read_session(engine) as tx:
        assert audit_log.verify(tx).entries == 8
        lines = list(hash_chain.lines(audit_log.stream(tx)))
        later = list(hash_chain.lines(audit_log.stream(tx, after=5)))
    assert (lines[5:-1], later[-1]) == (later[:-1], b'{"entries":3}\n')
    assert hash_chain.follow(hash_chain.read(lines)).entries == 8


def test_the_service_hands_out_head_and_export(world: World) -> None:
    admin = world.client("admin")
    head, content = admin.audit_head(), admin.audit_export()
    assert head.signature is None
    found = hash_chain.follow(hash_chain.read(content.splitlines(keepends=True)), head)
    told = admin.audit_chain()
    assert (found.entries, found.hash, found.fault) == (head.position, head.hash, None)
    assert (told.entries, told.hash, told.broken_at, told.fault) == (head.position, head.hash, None, None)
    assert admin.audit_export(after=head.position) == b'{"entries":0}\n'


def test_the_service_signs_heads_with_its_key(engine: Engine, tmp_path: Path) -> None:
    key_files.make(tmp_path / "audit-key")
    signed = build(engine, home=tmp_path).client("admin").audit_head()
    key = key_files.read(tmp_path / "audit-key")
    assert (signed.key, hash_chain.genuine(signed, [key])) == (key.id, True)


def test_entries_of_what_is_undone_inside_a_transaction_are_not_kept(engine: Engine) -> None:
    with transaction(engine) as tx:
        noted(tx, "kept")
        for name, undo in (("undone", True), ("kept too", False)):
            with suppress(Undone), tx.begin_nested():
                with tx.begin_nested():
                    noted(tx, f"{name}, within")
                noted(tx, name)
                if undo:
                    raise Undone
        noted(tx, "last")
        tx.commit()
    with read_session(engine) as tx:
        found = [each.object_id for each in audit_log.entries(tx, PageRequest(10)).rows]
        assert audit_log.verify(tx).broken_at is None
    assert found == ["last", "kept too", "kept too, within", "kept"]


def test_what_is_recorded_after_an_undone_transaction_is_all_that_is_kept(engine: Engine) -> None:
    with transaction(engine) as tx:
        noted(tx, "before")
        tx.rollback()
        noted(tx, "after")
        tx.commit()
        noted(tx, "never committed")
    with read_session(engine) as tx:
        assert [each.object_id for each in audit_log.entries(tx, PageRequest(10)).rows] == ["after"]


def noted(tx: Session, name: str) -> None:
    audit_log.record(tx, AuditAction.USER_CREATED, actor="ada", object_id=name, now=NOW)


class Undone(Exception):
    """What was begun is undone."""
