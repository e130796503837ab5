"""Define the base of all tables and portable column types for SQLite and PostgreSQL."""

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
    """A row of the registry. Constraints have conventional names, so that migrations can refer to them."""

    metadata: ClassVar[MetaData] = MetaData(naming_convention=NAMES)

    def __init__(self, **fields: Any) -> None:
        # SQLModel would silently ignore a field that the table does not have.
        if unknown := fields.keys() - type(self).model_fields.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        super().__init__(**fields)


class UtcTime(TypeDecorator[datetime]):
    """A timezone-aware time in UTC on both databases. Raises ValueError for naive times."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert the time to UTC for the database; None stays None."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("cannot store a time without a time zone: pass a timezone-aware datetime")
        return value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the stored time as timezone-aware. SQLite stores no zone; its values are always UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def time_column(**options: Any) -> Any:
    """Declare a field for a timezone-aware UTC time."""
    return Field(sa_type=UtcTime, **options)


def enum_column(kind: type[StrEnum], **options: Any) -> Any:
    """Declare a field that stores an enum member as text."""
    values = Enum(kind, native_enum=False, length=32, values_callable=lambda words: [each.value for each in words])
    return Field(sa_type=values, **options)


def json_column(**options: Any) -> Any:
    """Declare a JSON field. Assign a new value to change it: mutations are not detected."""
    return Field(sa_type=JSON(none_as_null=True), **options)


def big_integer_column(**options: Any) -> Any:
    """Declare a field for a count that may exceed 2^31."""
    return Field(sa_type=BigInteger, **options)


def foreign_key_column(target: str, **options: Any) -> Any:
    """Declare a foreign key that is checked at commit. Rows can be inserted in any order."""
    deferred = ForeignKey(target, deferrable=True, initially="DEFERRED")
    return Field(sa_column_args=[deferred], **options)
