"""Partition names, 'day=2026-11-20/country=DE', as in the folders that Spark writes."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from treaty.contracts.document import computed_partitions
from treaty.contracts.predicates.parser import PredicateError, literal
from treaty.contracts.schema import Schema
from treaty.engine.core.errors import UnreadableTable

NULL = "__HIVE_DEFAULT_PARTITION__"
_DATED = re.compile(r"(19|20)\d\d-?(0[1-9]|1[0-2])(-?([0-2]\d|3[01])([ T].*)?)?$")
ESCAPED = frozenset("".join(chr(code) for code in range(1, 32)) + "\"#%'*/:=?\\\x7f{[]^")


def keys(columns: Sequence[str]) -> list[str]:
    """Return SQL for a row's partition values; null for values that Spark writes to the default partition."""
    return [f"nullif(cast({computed_partitions.sql(column)} as string), '')" for column in columns]


def refuse(columns: Sequence[str], schema: Schema) -> None:
    """Raise UnreadableTable if the table lacks a partition column or cannot compute one."""
    missing = [name for name, by in map(computed_partitions.split, columns) if by is None and schema.get(name) is None]
    if missing:
        available = ", ".join(schema.names)
        raise UnreadableTable(
            f"the table has no partition column {', '.join(missing)}; its columns are {available}", retry=False
        )
    try:
        computed_partitions.computed_column_types(columns, schema)
    except PredicateError as error:
        errors = "; ".join(f"{fault.message} ({fault.remedy})" for fault in error.faults)
        raise UnreadableTable(f"the partition columns are invalid: {errors}", retry=False) from None


def name(columns: Sequence[str], values: Sequence[str | None]) -> str:
    """Return the name of the partition with these values; "" without partition columns."""
    pairs = zip(computed_partitions.names(columns), values, strict=True)
    return "/".join(f"{escape_name(column)}={NULL if value is None else escape_name(value)}" for column, value in pairs)


def values(partition: str) -> dict[str, str | None]:
    """Parse the values in a partition name, by column: the inverse of `name`. {} without columns."""
    return {column: None if value == NULL else value for column, value in _pairs(f"{partition}/")}


def escape_name(text: str) -> str:
    """Escape a column name or value as in the name of a partition folder."""
    return "".join(f"%{ord(each):02X}" if each in ESCAPED else each for each in text)


def of_path(path: str, columns: Sequence[str]) -> str:
    """Return the partition of a file's path below the table; "" if a column is missing in the folders."""
    named = dict(_pairs(path))
    if not columns or any(column not in named for column in columns):
        return ""
    return name(columns, [None if named[column] == NULL else named[column] for column in columns])


def folder(path: str, columns: Sequence[str]) -> str:
    """Return the folder of the last of the columns in the path; its files all belong to one partition."""
    parts = path.split("/")[:-1]
    last = max((at for at, part in enumerate(parts) if unquote(part.partition("=")[0]) in columns), default=-1)
    return "/".join(parts[: last + 1])


def _pairs(path: str) -> list[tuple[str, str]]:
    folders = [part.partition("=") for part in path.split("/")[:-1]]
    return [(unquote(column), unquote(value)) for column, equals, value in folders if equals]


def only(frame: Any, columns: Sequence[str], names: Sequence[str]) -> Any:
    """Return the rows of the named partitions.

    Spark prunes all others if the columns are the table's partition columns."""
    return frame.where(condition(columns, names))


def without(frame: Any, columns: Sequence[str], names: Sequence[str]) -> Any:
    """Return all rows except those of the named partitions (at least one)."""
    return frame.where(f"not {condition(columns, names)}")


def condition(columns: Sequence[str], names: Sequence[str]) -> str:
    """Return SQL that is true for the rows of the named partitions (at least one)."""
    row = ", ".join(f"coalesce({key}, {literal(NULL)})" for key in keys(columns))
    structs = (", ".join(literal(value) for _, value in _pairs(f"{each}/")) for each in names)
    return f"struct({row}) in ({', '.join(f'struct({values})' for values in structs)})"


def is_dated(partition: str) -> bool:
    """Return whether a value in the name is a day, a month or a time.

    Such partitions have a newest one."""
    return any(_DATED.match(value or "") for value in values(partition).values())


def newest(frame: Any, columns: Sequence[str], count: int) -> tuple[str, ...]:
    """Return the names of `count` partitions with the greatest values, without null values."""
    sort, key_sql = [computed_partitions.sql(each) for each in columns], keys(columns)
    present = frame.where(" and ".join(f"{key} is not null" for key in key_sql))
    distinct_rows = present.selectExpr(*(f"{sql} as _{at}" for at, sql in enumerate(sort)), *key_sql).distinct()
    rows = distinct_rows.orderBy(*(f"_{at}" for at in range(len(sort))), ascending=False).limit(count).collect()
    return tuple(sorted(name(columns, list(row)[len(sort) :]) for row in rows))
