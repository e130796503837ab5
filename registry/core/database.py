"""The database: one way to connect, one kind of transaction, one way up to the newest schema."""

import math
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
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

from treaty.engine.core.interrupts import defer_interrupts
from treaty.registry.core.settings import ConfigError

if TYPE_CHECKING:
    from alembic.config import Config

POSTGRES = "postgresql+psycopg"
# WAL lets readers go on while one writes; FULL makes a commit survive a power cut; what is deleted is overwritten.
PRAGMAS = ("busy_timeout=10000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON")
INSERTS = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
# A connection is asked whether it still answers once it was not used for so many seconds.
FRESH, RETURNED = 1.0, "treaty.returned"
MIGRATING = 7_268_392_101
# How a row is locked whose key stays: who merely refers to it does not wait.
UNKEYED: Any = {"key_share": True}
READ_ONLY = "treaty_read_only"
# As many as the service has threads: a connection more than are kept is made anew each time.
CONNECTIONS = {"pool_size": 40, "max_overflow": 10}
# To compile a query takes PostgreSQL longer than any of ours takes.
NO_JIT = "-c jit=off"
UNUSABLE = (
    "TREATY_DATABASE_URL cannot be used: write postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters as"
    " %XX, or sqlite:///FILE"
)


def connect(url: str) -> Engine:
    """An engine for SQLite or PostgreSQL. Opens no connection yet. Its errors, which are logged, name no values.

    Raises ConfigError, which holds nothing of the URL, for one that is of no such database."""
    try:
        return _engine(make_url(url))
    except (ArgumentError, ImportError, TypeError, ValueError):
        raise ConfigError(UNUSABLE) from None


def _engine(target: URL) -> Engine:
    if target.drivername in {"postgres", "postgresql"}:
        target = target.set(drivername=POSTGRES)
    if target.get_backend_name() == "sqlite":
        kept = CONNECTIONS if file_of(target) else {}
        return _sqlite(create_engine(target, hide_parameters=True, **kept))
    given = {"application_name": "treaty", "options": NO_JIT, **target.query}
    return _pinged(create_engine(target, connect_args=given, hide_parameters=True, **CONNECTIONS))


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A session whose work lasts only if `commit()` is called: leaving without it undoes everything.

    SIGINT and SIGTERM wait until it is left: a transaction that is begun by half would keep others from writing."""
    with defer_interrupts(), Session(engine, expire_on_commit=False) as session:
        yield session


@contextmanager
def read_session(engine: Engine) -> Iterator[Session]:
    """A session for reading, which on SQLite waits for no writer. What it writes is never committed."""
    with Session(engine.execution_options(**{READ_ONLY: True}), expire_on_commit=False) as session:
        yield session


def migrate(engine: Engine) -> None:
    """Brings the schema to the newest version, in one transaction; several processes may ask at once."""
    from alembic import command

    with engine.begin() as connection:
        _lock(connection, MIGRATING)
        command.upgrade(migration_config(connection), "head")


def insert(session: Session, table: Any) -> Any:
    """An insert into the table, of the database's own kind, which knows what to do where a row is there already."""
    return INSERTS[session.get_bind().dialect.name](table)


def lock(session: Session, number: int) -> None:
    """Holds the lock of that number until the transaction ends. On SQLite the transaction itself is that lock."""
    _lock(session.connection(), number)


def number_of(words: str) -> int:
    """The number of the lock that the words name."""
    return int.from_bytes(sha256(words.encode()).digest()[:8], signed=True)


def forget(engine: Engine) -> None:
    """Has SQLite empty its journal, where what was deleted still lies; as far as no reader needs it."""
    if engine.dialect.name == "sqlite":
        connection = engine.raw_connection()
        try:
            connection.cursor().execute("pragma wal_checkpoint(truncate)")
        finally:
            connection.close()


def migration_config(connection: Connection) -> "Config":
    """Alembic's configuration for a connection: the migrations of the installed package, wherever we run."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(files("treaty.migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migration_of(session: Session) -> str:
    """The schema version that the database is at; '' where it was never migrated."""
    if not inspect(session.connection()).has_table("alembic_version"):
        return ""
    return str(session.connection().scalar(text("select version_num from alembic_version")))


def newest_migration() -> str:
    """The schema version that this code works with."""
    from alembic.script import ScriptDirectory

    return str(ScriptDirectory(str(files("treaty.migrations"))).get_current_head())


def file_of(url: URL) -> Path | None:
    """The file of a SQLite database; None for any other, and for one in memory."""
    kept = url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:"
    return Path(str(url.database)) if kept else None


def _lock(connection: Connection, number: int) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(text("select pg_advisory_xact_lock(:number)"), {"number": number})


def _pinged(engine: Engine) -> Engine:
    """The engine, which asks a connection that nobody used for a while whether it still answers: to ask each time would
    cost as much again as most of what is asked."""

    def returned(_: Any, record: ConnectionPoolEntry) -> None:
        record.info[RETURNED] = time.monotonic()

    def on_checkout(given: DBAPIConnection, record: ConnectionPoolEntry, _: Any) -> None:
        if time.monotonic() - record.info.get(RETURNED, math.inf) > FRESH and not _answers(engine, given):
            raise DisconnectionError

    event.listen(engine, "checkin", returned)
    event.listen(engine, "checkout", on_checkout)
    return engine


def _answers(engine: Engine, given: DBAPIConnection) -> bool:
    try:
        return bool(engine.dialect.do_ping(given))
    except engine.dialect.loaded_dbapi.Error:
        return False


def _sqlite(engine: Engine) -> Engine:
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _: Any) -> None:
    # The driver's own transactions begin late and let two writers deadlock; `_begin` takes them over.
    connection.isolation_level = None
    for pragma in PRAGMAS:
        _set(connection, pragma)


# Two that open a new database at once both change its journal's mode; of these SQLite makes none wait for the other.
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
