"""Commands for backup and restore, and access to the configured database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treaty.engine.cli.commands import CliError
from treaty.registry.core.settings import RegistrySettings, load

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlmodel import Session

    from treaty.registry.worker.operations.backup import BackupManifest


@contextmanager
def database_errors() -> Iterator[None]:
    """Convert database errors in the block to CliError."""
    from sqlalchemy.exc import DatabaseError, OperationalError

    try:
        yield
    except DatabaseError as error:
        # sqlite3 reports a file that is not a database as plain DatabaseError; other subclasses are programming errors.
        if type(error) not in (DatabaseError, OperationalError):
            raise
        raise CliError(
            "Cannot connect to the database. Check that it is running and that TREATY_DATABASE_URL is correct."
        ) from None


@contextmanager
def opened(settings: RegistrySettings) -> "Iterator[Engine]":
    """Yield the database engine.

    Raises CliError if the database does not exist, is unavailable, or has another schema version."""
    from treaty.registry.core.database import connect

    engine = connect(settings.database)
    try:
        with database_errors():
            _inspect(engine)
            yield engine
    finally:
        engine.dispose()


@contextmanager
def read_session(settings: RegistrySettings) -> "Iterator[Session]":
    """Yield a read-only session. Raises CliError as `opened`."""
    from treaty.registry.core import database

    with opened(settings) as engine, database.read_session(engine) as session:
        yield session


def _inspect(engine: "Engine") -> None:
    from treaty.registry.core import database

    file = database.file_of(engine.url)
    if file is not None and not file.exists():
        raise CliError(f"Database {file} does not exist. Run `treaty init` or set TREATY_HOME.")
    with database.read_session(engine) as session:
        current, newest = database.migration_of(session), database.newest_migration()
    if current != newest:
        raise CliError(
            f"The database has schema {current or 'none'}, but this version of treaty requires {newest}. Run"
            " `treaty init` or start the service to upgrade an older schema."
        )


Target = Annotated[Path, typer.Argument(metavar="FILE", help="New backup file", show_default=False)]


Source = Annotated[Path, typer.Argument(metavar="FILE", help="Backup file", show_default=False)]


Force = Annotated[bool, typer.Option("--force", help="Move an existing database aside; it must not be in use")]


OF_POSTGRES = (
    "The PostgreSQL database is not included. Back it up first with `pg_dump --format=custom`, and restore it first"
    " with `pg_restore`."
)


def backup(file: Target) -> None:
    """Back up the SQLite database and its state files while the service runs.

    Key files and logs are not included: back up the keys separately. With PostgreSQL, only the state files are
    included."""
    from treaty.engine.core import clock
    from treaty.registry.worker.operations.backup import make
    from treaty.registry.worker.operations.backup_archive import ArchiveError

    settings = load()
    with opened(settings) as engine:
        try:
            manifest = make(settings, engine, file, now=clock.now())
        except ArchiveError as error:
            raise CliError(str(error)) from None
    print(f"{file}: {_summary(manifest)}")
    if manifest.lost:
        print(f"{len(manifest.lost):,} state files were missing or damaged: their partitions will be scanned again")
    print(f"Not included: {settings.key}, {settings.audit_key} and logs." if manifest.migration else OF_POSTGRES)


def restore(file: Source, force: Force = False) -> None:
    """Restore a backup into an empty location. A damaged backup is rejected before anything is changed."""
    from treaty.engine.core import clock
    from treaty.registry.worker.operations.backup import restore as put_back
    from treaty.registry.worker.operations.backup_archive import ArchiveError

    try:
        manifest = put_back(load(), file, force=force, now=clock.now())
    except ArchiveError as error:
        raise CliError(str(error)) from None
    print(f"Restored {_summary(manifest)}, as of {manifest.made:%Y-%m-%d %H:%M:%S %Z}")


def _summary(manifest: "BackupManifest") -> str:
    files = f"{manifest.files:,} state files"
    if manifest.migration is None:
        return files
    return f"database at schema {manifest.migration} with {manifest.entries:,} audit entries, {files}"
