"""Backups: taken while others write, put back whole or not at all."""

import os
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest
from sqlalchemy import Engine, text
from sqlmodel import select
from support.databases import sqlite_copy
from support.scenes import NOON

from treaty.contracts.schema import Schema
from treaty.engine.protocol.requests import MeasureResult
from treaty.engine.states.state_files import StateFiles
from treaty.registry.audit import audit_log
from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import connect, migrate, read_session, transaction
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states import state_store
from treaty.registry.tables import DatasetRow, PartitionStateRow
from treaty.registry.worker.operations import backup
from treaty.registry.worker.operations.backup_archive import END, ArchiveError

NOW = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
CONTENTS = (b"some counts of values", b"others", b"")


@dataclass
class Place:
    """A registry in a folder of its own."""

    settings: RegistrySettings
    engine: Engine

    @property
    def files(self) -> list[str]:
        return sorted(each.name for each in Path(self.settings.states).iterdir())

    def note(self, *names: str) -> None:
        """Writes entries of the audit."""
        for name in names:
            with transaction(self.engine) as tx:
                audit_log.record(tx, AuditAction.USER_CREATED, actor="ada", object_id=name, now=NOW)
                tx.commit()

    def backup(self, target: Path) -> backup.BackupManifest:
        return backup.make(self.settings, self.engine, target, now=NOW)


@pytest.fixture
def place(template: Path, tmp_path: Path) -> Iterator[Place]:
    """A registry with an audit, and states of which some lie in files."""
    home = tmp_path / "home"
    home.mkdir()
    made = Place(RegistrySettings(home=home), sqlite_copy(template, home))
    made.note("a", "b", "c")
    names = [StateFiles(made.settings.states).write(each) for each in CONTENTS]
    with transaction(made.engine) as tx:
        dataset = DatasetRow(id=ids.new(), namespace="file", name="/t", partition_by=["day"])
        tx.add(dataset)
        tx.flush()
        state_store.save(
            tx,
            dataset.id,
            MeasureResult(schema=Schema(()), fingerprints={"day=1": "f"}, states={"day=1": b"bag"}),
            now=NOON,
            ids=ids.new,
        )
        tx.exec(select(PartitionStateRow)).one().files = names
        tx.commit()
    yield made
    made.engine.dispose()


def elsewhere(tmp_path: Path, name: str = "other") -> RegistrySettings:
    return RegistrySettings(home=tmp_path / name)


def rows(settings: RegistrySettings) -> dict[str, list[tuple[object, ...]]]:
    """Everything in the database."""
    engine = connect(settings.database)
    with engine.connect() as connection:
        names = connection.scalars(text("select name from sqlite_master where type = 'table'")).all()
        found = {name: [tuple(row) for row in connection.execute(text(f'select * from "{name}"'))] for name in names}
    engine.dispose()
    return found


def held(folder: Path) -> dict[str, bytes]:
    """Every file below the folder."""
    return {str(each.relative_to(folder)): each.read_bytes() for each in sorted(folder.rglob("*")) if each.is_file()}


def test_what_was_backed_up_comes_back_as_it_was(place: Place, tmp_path: Path) -> None:
    made = place.backup(tmp_path / "b.tar")
    there = elsewhere(tmp_path)

    restored = backup.restore(there, tmp_path / "b.tar", now=NOW)

    assert restored == made
    assert (made.entries, made.files, made.lost) == (3, 3, ())
    assert rows(there) == rows(place.settings)
    assert held(Path(there.states)) == held(Path(place.settings.states))
    assert sorted(each.name for each in there.home.iterdir()) == ["states", "treaty.db"]


def test_a_backup_is_its_owner_s_alone_and_a_plain_tar_file(place: Place, tmp_path: Path) -> None:
    place.backup(tmp_path / "b.tar")
    assert oct((tmp_path / "b.tar").stat().st_mode & 0o777) == "0o600"
    with tarfile.open(tmp_path / "b.tar") as tar:
        assert {"treaty.db", "manifest.json"} < set(tar.getnames())
    backup.restore(elsewhere(tmp_path), tmp_path / "b.tar", now=NOW)
    assert oct((tmp_path / "other" / "treaty.db").stat().st_mode & 0o777) == "0o600"


def test_only_files_that_the_database_names_are_kept_and_no_keys(place: Place, tmp_path: Path) -> None:
    left_over = StateFiles(place.settings.states).write(b"left over")
    (place.settings.home / "key").write_bytes(b"k" * 32)
    place.backup(tmp_path / "b.tar")
    assert b"k" * 32 not in (tmp_path / "b.tar").read_bytes()
    with tarfile.open(tmp_path / "b.tar") as tar:
        assert f"states/{left_over}" not in tar.getnames()


def test_a_backup_is_of_one_moment_while_others_write(place: Place, tmp_path: Path) -> None:
    stop = Event()

    def write() -> int:
        number = 0
        while not stop.is_set():
            place.note(f"{number}")
            number += 1
        return number

    with ThreadPoolExecutor(2) as threads:
        writers = [threads.submit(write) for _ in range(2)]
        entries = [place.backup(tmp_path / f"{number}.tar").entries for number in range(4)]
        stop.set()
        written = sum(each.result() for each in writers)
    assert entries == sorted(entries)
    assert 3 <= entries[-1] <= 3 + written
    for number, expected in enumerate(entries):
        there = elsewhere(tmp_path, f"at-{number}")
        backup.restore(there, tmp_path / f"{number}.tar", now=NOW)
        assert len(rows(there)["audit_entry"]) == expected


def test_no_damaged_byte_passes_and_nothing_is_touched(place: Place, tmp_path: Path) -> None:
    target, there = tmp_path / "b.tar", elsewhere(tmp_path)
    place.backup(target)
    content = target.read_bytes()
    step = len(content) // 150
    damages = [
        *(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :] for at in range(0, len(content), step)),
        *(content[:at] for at in range(0, len(content), step)),
        content[: -END], content[:-1], content + b"\n", content + content, b"", b"x" * 10_000,
    ]  # fmt: skip
    for damaged in damages:
        target.write_bytes(damaged)
        with pytest.raises(ArchiveError, match="backup"):
            backup.restore(there, target, now=NOW)
        assert not there.home.exists()
    target.write_bytes(content)
    assert backup.restore(there, target, now=NOW).entries == 3


def sealed(target: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]]) -> None:
    """Writes the backup anew with other members, and with a checksum that is right."""
    from treaty.registry.worker.operations.backup_archive import writing

    with tarfile.open(target) as tar:
        members = {each.name: tar.extractfile(each).read() for each in tar}  # type: ignore[union-attr]
    target.unlink()
    with writing(target) as archive:
        for name, content in change(members).items():
            archive.add(name, content)


def edited(content: bytes, statement: str, folder: Path) -> bytes:
    """The database in those bytes, after the statement."""
    path = folder / "edited.db"
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as connection:
        for each in ("update", "delete", "insert"):
            connection.execute(f"drop trigger audit_entry_kept_{each}")
        connection.execute(statement)
        connection.commit()
    return path.read_bytes()


WRONG = {
    "no manifest": (lambda each, _: {name: each[name] for name in each if name != "manifest.json"}, "no manifest.json"),
    "no database": (lambda each, _: {name: each[name] for name in each if name != "treaty.db"}, "no treaty.db"),
    "another form": (
        lambda each, _: {**each, "manifest.json": each["manifest.json"].replace(b'"form": 1', b'"form": 2')},
        "format that this version",
    ),
    "a way out": (lambda each, _: {**each, "../evil": b""}, "an unexpected file"),
    "an absolute path": (lambda each, _: {**each, "/etc/evil": b""}, "an unexpected file"),
    "another file": (lambda each, _: {**each, "key": b""}, "an unexpected file"),
    "a file of states with another content": (
        lambda each, _: {name: b"x" if name.startswith("states/") else each[name] for name in each},
        "state file",
    ),
    "a file of states less": (
        lambda each, _: dict([item for item in each.items() if not item[0].startswith("states/")]),
        "lacks 3 state files",
    ),
    "no database file": (lambda each, _: {**each, "treaty.db": b"x" * 4096}, "damaged"),
    "an audit that was edited": (
        lambda each, folder: {
            **each,
            "treaty.db": edited(each["treaty.db"], "update audit_entry set actor = 'eve' where position = 2", folder),
        },
        "audit log in the backup",
    ),
    "an audit that was cut off": (
        lambda each, folder: {
            **each, "treaty.db": edited(each["treaty.db"], "delete from audit_entry where position = 3", folder)
        },
        "audit log in the backup",
    ),
    "a schema of later": (
        lambda each, folder: {
            **each, "treaty.db": edited(each["treaty.db"], "update alembic_version set version_num = '9999'", folder)
        },
        "supports at most",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_backup_that_somebody_put_together_is_refused(place: Place, tmp_path: Path, name: str) -> None:
    change, why = WRONG[name]
    target, there = tmp_path / "b.tar", elsewhere(tmp_path)
    place.backup(target)
    sealed(target, lambda members: change(members, tmp_path))
    with pytest.raises(ArchiveError, match=why):
        backup.restore(there, target, now=NOW)
    assert not Path(there.home, "treaty.db").exists()
    assert [each.name for each in there.home.glob(".*")] == []


@pytest.mark.parametrize("left", ["treaty.db", "treaty.db-wal", "treaty.db-shm"])
def test_nothing_is_restored_over_what_is_there(place: Place, tmp_path: Path, left: str) -> None:
    place.backup(tmp_path / "b.tar")
    there = elsewhere(tmp_path)
    there.home.mkdir()
    (there.home / left).write_bytes(b"something")
    with pytest.raises(ArchiveError, match="use --force to move it aside"):
        backup.restore(there, tmp_path / "b.tar", now=NOW)
    assert held(there.home) == {left: b"something"}


def test_with_force_what_is_there_is_moved_aside_and_stays_whole(place: Place, tmp_path: Path) -> None:
    place.backup(tmp_path / "b.tar")
    place.note("later")
    place.engine.dispose()
    backup.restore(place.settings, tmp_path / "b.tar", force=True, now=NOW)
    assert len(rows(place.settings)["audit_entry"]) == 3
    (aside,) = place.settings.home.glob("treaty.db.replaced-*")
    with closing(sqlite3.connect(aside)) as kept:
        assert kept.execute("select count(*) from audit_entry").fetchone() == (4,)


def test_a_database_that_somebody_uses_is_not_moved_even_with_force(place: Place, tmp_path: Path) -> None:
    place.backup(tmp_path / "b.tar")
    with place.engine.connect() as connection:
        connection.execute(text("select 1"))
        connection.rollback()
        with pytest.raises(ArchiveError, match="in use"):
            backup.restore(place.settings, tmp_path / "b.tar", force=True, now=NOW)
    place.note("still here")
    assert len(rows(place.settings)["audit_entry"]) == 4


def test_a_backup_does_not_replace_a_file(place: Place, tmp_path: Path) -> None:
    (tmp_path / "b.tar").write_bytes(b"mine")
    with pytest.raises(ArchiveError, match="already exists"):
        place.backup(tmp_path / "b.tar")
    assert (tmp_path / "b.tar").read_bytes() == b"mine"
    with pytest.raises(ArchiveError, match="cannot be written"):
        place.backup(tmp_path / "nowhere" / "b.tar")


def test_a_backup_that_fails_leaves_nothing(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ArchiveError, match="No space left"):
        place.backup(tmp_path / "b.tar")
    assert [each.name for each in tmp_path.iterdir()] == ["home"]


def test_files_that_are_gone_or_damaged_are_told_and_the_rest_is_kept(place: Place, tmp_path: Path) -> None:
    gone, damaged, _ = place.files
    Path(place.settings.states, gone).unlink()
    Path(place.settings.states, damaged).write_bytes(b"damage")
    made = place.backup(tmp_path / "b.tar")
    assert (made.files, made.lost) == (1, (gone, damaged))
    assert backup.restore(elsewhere(tmp_path), tmp_path / "b.tar", now=NOW).lost == (gone, damaged)


def test_a_database_whose_audit_is_broken_is_not_backed_up_as_if_it_were_whole(place: Place, tmp_path: Path) -> None:
    with place.engine.begin() as connection:
        connection.execute(text("drop trigger audit_entry_kept_update"))
        connection.execute(text("update audit_entry set actor = 'eve' where position = 2"))
    with pytest.raises(ArchiveError, match="entry 2 has been modified"):
        place.backup(tmp_path / "b.tar")


def test_a_backup_of_an_older_version_is_brought_up(tmp_path: Path) -> None:
    from alembic import command

    from treaty.registry.core.database import migration_config, newest_migration

    old = Place(RegistrySettings(home=tmp_path / "old"), connect(f"sqlite:///{tmp_path}/old/treaty.db"))
    old.settings.home.mkdir()
    migrate(old.engine)
    old.note("a")
    with old.engine.begin() as connection:
        command.downgrade(migration_config(connection), "-1")
    made = old.backup(tmp_path / "b.tar")
    assert made.migration != newest_migration()
    there = elsewhere(tmp_path)
    backup.restore(there, tmp_path / "b.tar", now=NOW)
    assert rows(there)["alembic_version"] == [(newest_migration(),)]
    old.engine.dispose()


def test_a_postgres_of_an_older_version_is_brought_up_before_its_files_are_kept(
    postgres_url: str, tmp_path: Path
) -> None:
    from alembic import command
    from support.databases import blank

    from treaty.registry.core.database import migration_config

    with blank(tmp_path, postgres_url, "older") as old:
        with old.begin() as connection:
            command.upgrade(migration_config(connection), "0026")
        with pytest.raises(ArchiveError, match="the database has schema 0026, but this version of Treaty needs"):
            backup.make(RegistrySettings(home=tmp_path), old, tmp_path / "b.tar", now=NOW)
    assert not (tmp_path / "b.tar").exists()


def test_of_postgres_the_files_of_states_alone_are_kept(
    postgres: Engine, postgres_url: str, place: Place, tmp_path: Path
) -> None:
    from support.databases import empty

    empty(postgres)
    with read_session(place.engine) as tx, transaction(postgres) as other:
        for kind in (DatasetRow, PartitionStateRow):
            for row in tx.exec(select(kind)):
                other.add(kind(**row.model_dump()))
        other.commit()
    settings = RegistrySettings(home=place.settings.home, database_url=postgres_url)
    made = backup.make(settings, postgres, tmp_path / "b.tar", now=NOW)
    assert (made.migration, made.files) == (None, 3)
    there = RegistrySettings(home=tmp_path / "other", database_url=postgres_url)
    backup.restore(there, tmp_path / "b.tar", now=NOW)
    assert held(Path(there.states)) == held(Path(place.settings.states))
    with pytest.raises(ArchiveError, match="only state files"):
        backup.restore(elsewhere(tmp_path, "third"), tmp_path / "b.tar", now=NOW)
    place.backup(tmp_path / "c.tar")
    with pytest.raises(ArchiveError, match="unset TREATY_DATABASE_URL"):
        backup.restore(there, tmp_path / "c.tar", now=NOW)
