"""Connect to the database, open transactions and migrate the schema."""

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session
from tenacity import retry, retry_if_exception_type, stop_after_delay, wait_random

from treaty.engine.core import private_files
from treaty.engine.core.interrupts import defer_interrupts
from treaty.registry.core.settings import ConfigError

if TYPE_CHECKING:
    from alembic.config import Config

POSTGRES = "postgresql+psycopg"
# WAL lets readers continue during a write, FULL makes commits survive a power failure, and secure_delete overwrites
# deleted content.
PRAGMAS = ("busy_timeout=10000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
# A pooled connection that was idle for more than FRESH seconds is pinged before it is used again.
FRESH, RETURNED = 1.0, "treaty.returned"
MIGRATING = 7_268_392_101
# Locks a row whose key does not change, so that transactions that only reference the row do not wait.
UNKEYED: Any = {"key_share": True}
READ_ONLY = "treaty_read_only"
# As many as the service has threads: connections beyond the pool size are opened again for each use.
CONNECTIONS = {"pool_size": 40, "max_overflow": 10}
# PostgreSQL needs longer to compile a query just in time than any of our queries runs.
NO_JIT = "-c jit=off"
UNUSABLE = (
    "TREATY_DATABASE_URL is not valid. Use postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters as"
    " %XX, or sqlite:///FILE."
)


def connect(url: str) -> Engine:
    """Create an engine for SQLite or PostgreSQL without opening a connection.

    Parameter values are hidden in its errors, because errors are logged. Raises ConfigError, which contains no part
    of the URL, if the URL is malformed or names another kind of database."""
    try:
        return _engine(make_url(url))
    except (ArgumentError, ImportError, TypeError, ValueError):
        raise ConfigError(UNUSABLE) from None


def _engine(target: URL) -> Engine:
    if target.drivername in {"postgres", "postgresql"}:
        target = target.set(drivername=POSTGRES)
    if target.get_backend_name() == "sqlite":
        pool = CONNECTIONS if file_of(target) else {}
        return _sqlite(create_engine(target, hide_parameters=True, **pool), file_of(target))
    arguments = {"application_name": "treaty", "options": NO_JIT, **target.query}
    return _pinged(create_engine(target, connect_args=arguments, hide_parameters=True, **CONNECTIONS))


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """Yield a session that is rolled back unless `commit()` is called.

    SIGINT and SIGTERM are deferred until the session is closed, because a half-finished transaction would block
    other writers."""
    with defer_interrupts(), Session(engine, expire_on_commit=False) as session:
        yield session


@contextmanager
def read_session(engine: Engine) -> Iterator[Session]:
    """Yield a read-only session, which on SQLite does not wait for writers.

    Changes made in it are never committed."""
    with Session(engine.execution_options(**{READ_ONLY: True}), expire_on_commit=False) as session:
        yield session


def migrate(engine: Engine) -> None:
    """Upgrade the schema to the newest version in one transaction.

    Safe to call from several processes at once: an advisory lock (PostgreSQL) or the write lock (SQLite) serializes
    them."""
    from alembic import command

    with engine.begin() as connection:
        _lock(connection, MIGRATING)
        command.upgrade(migration_config(connection), "head")


def insert(session: Session, table: Any) -> Any:
    """Build an insert statement of the database's dialect, which supports `on conflict` clauses."""
    return INSERTS[session.get_bind().dialect.name](table)


def lock(session: Session, number: int) -> None:
    """Acquire the lock of that number until the transaction ends.

    On SQLite this does nothing, because a write transaction already excludes all others."""
    _lock(session.connection(), number)


def number_of(words: str) -> int:
    """Return the lock number derived from a name."""
    return int.from_bytes(sha256(words.encode()).digest()[:8], signed=True)


def forget(engine: Engine) -> None:
    """Truncate SQLite's write-ahead log, which still contains deleted data.

    Content that an open reader needs stays. Does nothing on PostgreSQL."""
    if engine.dialect.name == "sqlite":
        connection = engine.raw_connection()
        try:
            connection.cursor().execute("pragma wal_checkpoint(truncate)")
        finally:
            connection.close()


def migration_config(connection: Connection) -> "Config":
    """Return Alembic's configuration for a connection, with the migrations of the installed package."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("treaty.migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migration_of(session: Session) -> str:
    """Return the schema version of the database; '' if it was never migrated."""
    if not inspect(session.connection()).has_table("alembic_version"):
        return ""
    return str(session.connection().scalar(text("select version_num from alembic_version")))


def newest_migration() -> str:
    """Return the schema version that this code requires."""
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory(str(files("treaty.migrations"))).get_current_head())


def file_of(url: URL) -> Path | None:
    """Return the file of a SQLite database; None for an in-memory database or another kind."""
    is_file = url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:"
    return Path(str(url.database)) if is_file else None


def _lock(connection: Connection, number: int) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:number)"), {"number": number})


def _pinged(engine: Engine) -> Engine:
    """Return the engine, which now pings connections that were idle for more than FRESH seconds.

    A ping at every checkout would cost about as much again as most queries."""

    def returned(_: Any, record: ConnectionPoolEntry) -> None:
        record.info[RETURNED] = time.monotonic()

    def on_checkout(connection: DBAPIConnection, record: ConnectionPoolEntry, _: Any) -> None:
        if time.monotonic() - record.info.get(RETURNED, math.inf) > FRESH and not _answers(engine, connection):
            raise DisconnectionError

    event.listen(engine, "checkin", returned)
    event.listen(engine, "checkout", on_checkout)
    return engine


def _answers(engine: Engine, connection: DBAPIConnection) -> bool:
    try:
        return bool(engine.dialect.do_ping(connection))
    except engine.dialect.loaded_dbapi.Error:
        return False


def _sqlite(engine: Engine, file: Path | None) -> Engine:
    if file is not None and not str(file).startswith("file:"):
        event.listen(engine, "do_connect", lambda *_: _make_private(file))
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _make_private(file: Path) -> None:
    """Create or restrict the database's file before SQLite opens it; its other files get the same mode."""
    # SQLite reports a folder that is missing or cannot be written itself.
    with suppress(OSError):
        private_files.make_file(file)
    private_files.restrict((file, Path(f"{file}-wal"), Path(f"{file}-shm")))


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    # The driver begins its transactions late, which lets two writers deadlock; `_begin` starts them instead.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        _set(connection, pragma)


# Two processes that open a new database at once both change its journal mode, and SQLite does not make either wait.
@retry(
    retry=retry_if_exception_type(sqlite3.OperationalError),
    wait=wait_random(0.01, 0.1),
    stop=stop_after_delay(10),
    reraise=True,
)
def _set(connection: sqlite3.Connection, pragma: str) -> None:
    connection.execute(f"pragma {pragma}").close()


def _begin(connection: Connection) -> None:
    read_only = connection.get_execution_options().get(READ_ONLY)
    connection.exec_driver_sql("begin" if read_only else "begin immediate")
