"""The base of all tables, and the column types that mean the same on SQLite and PostgreSQL."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, Dialect, Enum, ForeignKey, MetaData
from sqlalchemy.types import DateTime, TypeDecorator
from sqlmodel import Field, SQLModel

NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "pk": "pk_%(table_name)s",
}


class BaseRow(SQLModel):
    """A row of the registry. Constraints are named by one convention, so that migrations can speak of them."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMES)

    def __init__(self, **fields: Any) -> None:
        # Without this a name that the table has not would be dropped without a word.
        if unknown := fields.keys() - type(self).model_fields.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        super().__init__(**fields)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC, aware on both databases. Refuses naive times with ValueError."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The moment in UTC as the database keeps it; None stays None."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without a zone cannot be stored: hand in an aware one")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """The stored moment, aware. SQLite keeps no zone: what it returns is UTC by construction."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def time_column(**options: Any) -> Any:
    """A field that keeps an aware UTC time."""
    return Field(sa_type=UtcTime, **options)


def enum_column(kind: type[StrEnum], **options: Any) -> Any:
    """A field that keeps a word of a closed vocabulary as its text."""
    values = Enum(kind, native_enum=False, length=32, values_callable=lambda words: [each.value for each in words])
    return Field(sa_type=values, **options)


def json_column(**options: Any) -> Any:
    """A field that keeps plain data as JSON. Assign a new value: changes inside the old one are not seen."""
    return Field(sa_type=JSON(none_as_null=True), **options)


def big_integer_column(**options: Any) -> Any:
    """A field for a count that may pass 2^31."""
    return Field(sa_type=BigInteger, **options)


def foreign_key_column(target: str, **options: Any) -> Any:
    """A field that refers to another row; the database checks it at commit, so the order of inserts is free."""
    deferred = ForeignKey(target, deferrable=True, initially="DEFERRED")
    return Field(sa_column_args=[deferred], **options)
