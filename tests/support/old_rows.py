"""A row in every table of a database at whatever schema version it is, and how today's models read it back."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Connection,
    DateTime,
    Enum,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Numeric,
    inspect,
    null,
    text,
)
from sqlalchemy.types import TypeEngine, Uuid
from sqlmodel import Session, select
from support.tampering import OLDEST

from treaty.registry.tables import BaseRow, metadata
from treaty.registry.tables.search import declared

ID = "00000000000070008000000000000001"
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
# States that are current, of one partition, and runs of a contract's own checks: older versions know no others.
NOTHING = {
    ("partition_state", "until"), ("partition_state", "until_version"), ("partition_state", "members"),
    ("partition_state", "ended"), ("partition_state", "ended_at"),
    ("run", "subscription_id"), ("measurement", "subscription_id"),
}  # fmt: skip
AUDITED = {**OLDEST, "time": datetime.fromisoformat(OLDEST["time"])}
PLAIN: tuple[tuple[type[TypeEngine[Any]], Any], ...] = (
    (DateTime, NOON), (Boolean, True), (LargeBinary, b"bytes"), (Integer, 1), (Float, 1.0), (Numeric, 1), (Uuid, ID),
)  # fmt: skip
NAMES = import_module("treaty.migrations.versions.0027_names_of_the_field")
MOVED = dict.fromkeys((("dataset", "contract_id"), ("dataset", "object")), "dataset_contract")
Rows = Mapping[str, Mapping[str, Any]]


def fill(connection: Connection) -> Rows:
    """Writes the rows, each of which refers to the others where its table does, and tells what is in them."""
    then = MetaData()
    then.reflect(connection, only=lambda name, _: declared(name, "table", None))
    tables = [each for each in then.sorted_tables if each.name != "alembic_version"]
    if connection.dialect.name == "postgresql":
        connection.execute(text("set constraints all deferred"))
    rows = {each.name: AUDITED if each.name == "audit_entry" else dict(_row(each)) for each in tables}
    for table in tables:
        stored = {name: null() if value is None else value for name, value in rows[table.name].items()}
        connection.execute(table.insert().values(stored))
    return rows


def read(session: Session) -> dict[str, list[BaseRow]]:
    """What today's models find, by table."""
    return {name: list(session.exec(select(kind))) for name, kind in models().items()}


def kept(found: Mapping[str, list[BaseRow]], table: str, column: str) -> Any:
    """What today's one row has of a column, wherever that is kept today."""
    table, column = named_today(MOVED.get((table, column), table), column)
    (row,) = found[table]
    mapped = inspect(type(row))
    return getattr(row, mapped.get_property_by_column(mapped.local_table.columns[column]).key)


def named_today(table: str, column: str) -> tuple[str, str]:
    """What the table and its column are called today."""
    return NAMES.TABLES.get(table, table), NAMES.COLUMNS.get(table, {}).get(column, column)


def models() -> dict[str, type[BaseRow]]:
    """Today's models by the names of their tables."""
    return {str(each.__tablename__): each for each in BaseRow.__subclasses__()}


def same(stored: Any, read_back: Any) -> bool:
    """Whether a model gives what was stored: ids may come as such, times from another zone."""
    if isinstance(read_back, datetime):
        return bool(read_back == stored)
    return getattr(read_back, "hex", None) == stored or read_back == stored


def _row(table: Any) -> Iterator[tuple[str, Any]]:
    for column in table.columns:
        yield column.name, _value(column)


def _value(column: Column[Any]) -> Any:
    for reference in column.foreign_keys:
        return _value(reference.column)
    name = column.table.name, column.name
    if name in NOTHING:
        return None
    known = named_today(*name)
    today = metadata.tables[known[0]].columns.get(known[1]) if known[0] in metadata.tables else None
    if today is not None and isinstance(today.type, Enum):
        return today.type.enums[0]
    if isinstance(column.type, JSON):
        return _empty(*known)
    if today is not None and isinstance(today.type, Uuid):
        return ID
    if str(column.type) == "TSVECTOR":
        return "'word'"
    return next((value for kind, value in PLAIN if isinstance(column.type, kind)), column.name)


def _empty(table: str, column: str) -> Any:
    kind = models().get(table)
    annotated = str(kind.model_fields[column].annotation) if kind and column in kind.model_fields else ""
    return [] if annotated.startswith("list") or "list[" in annotated.split("|")[0] else {}
