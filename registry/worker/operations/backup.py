"""Back up and restore the embedded database together with the state files that it references.

An archive is a tar file followed by its own checksum, so that a damaged one is refused before anything changes. Key
files are not included: the backup alone is not enough to hash values or to sign heads. For PostgreSQL, which has
backup tools of its own, only the state files are included."""

import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError
from sqlalchemy import Engine as Database

from treaty.engine.core import private_files
from treaty.engine.core.errors import StateError
from treaty.engine.states.state_files import StateFiles
from treaty.registry.audit import audit_log
from treaty.registry.audit.hash_chain import ChainCheck
from treaty.registry.core.database import connect, file_of, migrate, migration_of, newest_migration, read_session
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states import file_collection
from treaty.registry.worker.operations.backup_archive import (
    DATABASE,
    MANIFEST,
    ArchiveError,
    ArchiveReader,
    ArchiveWriter,
    writing,
)

PATIENCE = 2000
SQLITE_SUFFIXES = ("", "-wal", "-shm", "-journal")


class BackupManifest(BaseModel):
    """Contents of an archive.

    `migration`, `entries`, `head`: schema revision, audit length and audit head of the database; None if the archive
    has state files only. `files`: number of state files. `lost`: referenced state files that were missing or damaged
    when the backup was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal[1] = 1
    made: datetime
    migration: str | None = None
    entries: int | None = None
    head: str | None = None
    files: int
    lost: tuple[str, ...] = ()


def make(settings: RegistrySettings, database: Database, target: Path, *, now: datetime) -> BackupManifest:
    """Write a backup, consistent under concurrent writes, and return its manifest.

    Raises ArchiveError if the target file exists or cannot be written, or if the audit chain is broken."""
    source = file_of(database.url)
    with writing(target) as archive:
        if source is None:
            _refuse_older(database)
            files, missing = _keep_files(archive, settings, file_collection.referenced_files(database))
            manifest = BackupManifest(made=now, files=files, lost=missing)
        else:
            manifest = _keep_database(archive, settings, source, now=now)
        archive.add(MANIFEST, manifest.model_dump_json(indent=2).encode())
    return manifest


def restore(settings: RegistrySettings, source: Path, *, force: bool = False, now: datetime) -> BackupManifest:
    """Restore the backup to the configured locations, after checking all of it.

    `force`: move an existing database aside. Raises ArchiveError, with the database unchanged, if the archive is
    damaged or does not match the settings, if a database exists without `force`, or if it is in use."""
    with ArchiveReader.opened(source) as archive:
        manifest = _manifest(archive)
        database_path = _place(settings, manifest)
        state_files = StateFiles(settings.states)
        if database_path is None:
            _put_files(archive, state_files)
            return manifest
        if not force:
            _refuse_taken(database_path)
        private_files.make_folder(database_path.parent)
        with TemporaryDirectory(prefix=".restoring-", dir=database_path.parent) as folder:
            staged = Path(folder, DATABASE)
            archive.copy(DATABASE, staged)
            _inspect(staged, manifest, archive.states)
            _put_files(archive, state_files)
            _move_aside(database_path, now)
            os.replace(staged, database_path)
            _settle(database_path.parent)
    return manifest


def _manifest(archive: ArchiveReader) -> BackupManifest:
    try:
        return BackupManifest.model_validate_json(archive.read(MANIFEST))
    except ValidationError:
        raise ArchiveError("the backup has a format that this version of Treaty does not support") from None


def _keep_database(
    archive: ArchiveWriter, settings: RegistrySettings, source: Path, *, now: datetime
) -> BackupManifest:
    with TemporaryDirectory(prefix=".backup-", dir=archive.folder) as folder:
        copy_path = Path(folder, DATABASE)
        _snapshot(source, copy_path)
        snapshot = connect(f"sqlite:///{copy_path}")
        try:
            with read_session(snapshot) as session:
                chain, migration = audit_log.verify(session), migration_of(session)
        finally:
            snapshot.dispose()
        _refuse_broken(chain)
        state_names = _referenced_files(copy_path, migration)
        archive.add_file(DATABASE, copy_path)
    files, lost = _keep_files(archive, settings, state_names)
    return BackupManifest(made=now, migration=migration, entries=chain.entries, head=chain.hash, files=files, lost=lost)


def _referenced_files(copied: Path, migration: str) -> frozenset[str]:
    """Return the state files that the copied database references.

    A copy of an older schema is migrated in a further copy first."""
    current = copied if migration == newest_migration() else Path(shutil.copy(copied, copied.with_suffix(".current")))
    engine = connect(f"sqlite:///{current}")
    try:
        if current != copied:
            _bring_up(engine, migration)
        return file_collection.referenced_files(engine)
    finally:
        engine.dispose()


def _refuse_older(database: Database) -> None:
    with read_session(database) as session:
        migration = migration_of(session)
    if migration != newest_migration():
        raise ArchiveError(
            f"the database has schema {migration}, but this version of Treaty needs {newest_migration()}: start Treaty"
            " once to migrate the database, or make the backup with the version of Treaty that the database belongs to"
        )


def _snapshot(source: Path, target: Path) -> None:
    """Copy the database as of one moment, despite concurrent writers."""
    with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(target)) as copy:
        live.execute(f"pragma busy_timeout={PATIENCE}")
        live.backup(copy)
        copy.execute("pragma journal_mode=delete")


def _keep_files(
    archive: ArchiveWriter, settings: RegistrySettings, names: Iterable[str]
) -> tuple[int, tuple[str, ...]]:
    """Add the state files; return their number, and the names of missing or damaged ones."""
    state_files, added, missing = StateFiles(settings.states), 0, list[str]()
    for name in sorted(names):
        try:
            archive.add_state(name, state_files.read(name))
            added += 1
        except StateError:
            missing.append(name)
    return added, tuple(missing)


def _refuse_broken(chain: ChainCheck) -> None:
    if chain.fault:
        raise ArchiveError(
            f"the audit chain is broken: entry {chain.broken_at} {chain.fault}. Run `treaty audit verify` for details,"
            " and copy the database file unchanged"
        )


def _place(settings: RegistrySettings, manifest: BackupManifest) -> Path | None:
    """Return the path for the archive's database; None for an archive of state files only.

    Raises ArchiveError if the settings name another kind of database."""
    engine = connect(settings.database)
    database_path = file_of(engine.url)
    engine.dispose()
    if manifest.migration is None and database_path is not None:
        raise ArchiveError("the backup contains only state files: set TREATY_DATABASE_URL to its PostgreSQL database")
    if manifest.migration is not None and database_path is None:
        raise ArchiveError(
            "the backup contains a SQLite database, but another database is configured: unset TREATY_DATABASE_URL"
        )
    return database_path


def _refuse_taken(place: Path) -> None:
    existing = [each for each in _sidecar_files(place) if each.exists()]
    if existing:
        raise ArchiveError(f"a database already exists: {existing[0]}; use --force to move it aside")


def _inspect(staged: Path, manifest: BackupManifest, states: frozenset[str]) -> None:
    """Raise ArchiveError unless the copy matches its manifest and this version can read it."""
    _refuse_unsound(staged)
    engine = connect(f"sqlite:///{staged}")
    try:
        _bring_up(engine, manifest.migration)
        with read_session(engine) as session:
            chain = audit_log.verify(session)
        referenced = file_collection.referenced_files(engine)
    finally:
        engine.dispose()
    if (chain.fault, chain.entries, chain.hash) != (None, manifest.entries, manifest.head):
        raise ArchiveError("the audit log in the backup does not match its manifest")
    if missing := referenced - states - frozenset(manifest.lost):
        raise ArchiveError(f"the backup lacks {len(missing):,} state files that its database references")
    with closing(sqlite3.connect(staged)) as copy:
        # The file must not depend on a journal, because only the file is moved into place.
        copy.execute("pragma journal_mode=delete")


def _refuse_unsound(staged: Path) -> None:
    with closing(sqlite3.connect(staged)) as copy:
        try:
            is_intact = copy.execute("pragma integrity_check").fetchall() == [("ok",)]
            dangling = copy.execute("pragma foreign_key_check").fetchall()
        except sqlite3.DatabaseError:
            is_intact, dangling = False, []
    if not is_intact:
        raise ArchiveError("the database in the backup is damaged")
    if dangling:
        raise ArchiveError("the database in the backup has rows that reference missing rows")


def _bring_up(engine: Database, migration: str | None) -> None:
    from alembic.util import CommandError

    try:
        migrate(engine)
    except CommandError:
        raise ArchiveError(
            f"the backup has schema {migration}, but this version of Treaty supports at most {newest_migration()}:"
            " install the version that made the backup or a later one"
        ) from None


def _put_files(archive: ArchiveReader, shelf: StateFiles) -> None:
    for name in sorted(archive.states):
        if shelf.write(archive.read_state(name)) != name:
            raise ArchiveError(f"the state file {name} in the backup is damaged")


def _move_aside(place: Path, now: datetime) -> None:
    """Rename the existing database.

    Raises ArchiveError if it is in use."""
    if place.exists():
        _refuse_used(place)
    suffix = f".replaced-{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"
    for each in _sidecar_files(place):
        with suppress(FileNotFoundError):
            os.rename(each, each.with_name(f"{place.name}{suffix}{each.name.removeprefix(place.name)}"))


def _refuse_used(place: Path) -> None:
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.execute("pragma busy_timeout=0")
        # The journal mode can only be changed by the sole user of the file.
        try:
            is_unused = connection.execute("pragma journal_mode=delete").fetchone() == ("delete",)
        except sqlite3.OperationalError:
            is_unused = False
        except sqlite3.DatabaseError:
            # A file that is not a database is not in use.
            is_unused = True
    if not is_unused:
        raise ArchiveError(f"{place} is in use: stop the service and its workers first")


def _sidecar_files(place: Path) -> list[Path]:
    return [place.with_name(f"{place.name}{each}") for each in SQLITE_SUFFIXES]


def _settle(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
