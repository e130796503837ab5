"""The settings' database, for commands that work on it themselves and not through the service."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from treaty.engine.cli.commands import Stop
from treaty.registry.core.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine
    from sqlmodel import Session


@contextmanager
def answering() -> Iterator[None]:
    """Raises Stop where the database does not answer what is asked of it in the block, or is none."""
    from sqlalchemy.exc import DatabaseError, OperationalError

    try:
        yield
    except DatabaseError as error:
        # A file that is no database has no kind of its own; the other kinds are mistakes in what was asked.
        if type(error) not in (DatabaseError, OperationalError):
            raise
        raise Stop("the database does not answer: is it there, and is TREATY_DATABASE_URL right?") from None


@contextmanager
def opened(settings: Settings) -> "Iterator[Engine]":
    """The database. Raises Stop where there is none yet, where it does not answer, or is of another version."""
    from treaty.registry.core.database import connect

    engine = connect(settings.database)
    try:
        with answering():
            _inspect(engine)
            yield engine
    finally:
        engine.dispose()


@contextmanager
def reading(settings: Settings) -> "Iterator[Session]":
    """A session for reading the database. Raises Stop as `opened` does."""
    from treaty.registry.core import database

    with opened(settings) as engine, database.reading(engine) as session:
        yield session


def _inspect(engine: "Engine") -> None:
    from treaty.registry.core import database

    file = database.file_of(engine.url)
    if file is not None and not file.exists():
        raise Stop(f"there is no database {file}: run `treaty init`, or set TREATY_HOME")
    with database.reading(engine) as session:
        found, newest = database.migration_of(session), database.newest_migration()
    if found != newest:
        raise Stop(
            f"the database is at schema {found or 'none'}, this version of treaty works with {newest}: `treaty init` or"
            " the service bring an older one up"
        )
