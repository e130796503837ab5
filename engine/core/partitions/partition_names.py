"""Partitions by name, 'day=2026-11-20/country=DE': the names are those of the folders that Spark writes."""

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
    """The SQL of a row's partition values; null for those that Spark's folders have no name for."""
    return [f"nullif(cast({computed_partitions.sql(column)} as string), '')" for column in columns]


def refuse(columns: Sequence[str], schema: Schema) -> None:
    """Raises Unreadable where the table lacks a partition column, or cannot compute one."""
    missing = [name for name, by in map(computed_partitions.split, columns) if by is None and schema.get(name) is None]
    if missing:
        known = ", ".join(schema.names)
        raise UnreadableTable(
            f"there is no column {', '.join(missing)} to partition by; there is: {known}", retry=False
        )
    try:
        computed_partitions.computed_column_types(columns, schema)
    except PredicateError as error:
        told = "; ".join(f"{fault.message} ({fault.remedy})" for fault in error.faults)
        raise UnreadableTable(f"what the table is partitioned by {told}", retry=False) from None


def name(columns: Sequence[str], values: Sequence[str | None]) -> str:
    """The partition of these values; "" where there is no partition column."""
    pairs = zip(computed_partitions.names(columns), values, strict=True)
    return "/".join(f"{escape_name(column)}={NULL if value is None else escape_name(value)}" for column, value in pairs)


def values(partition: str) -> dict[str, str | None]:
    """The values that a partition's name says, by column: what `name` was given. {} where there is no column."""
    return {column: None if value == NULL else value for column, value in _pairs(f"{partition}/")}


def escape_name(text: str) -> str:
    """A name or value as it stands in the name of a partition folder."""
    return "".join(f"%{ord(each):02X}" if each in ESCAPED else each for each in text)


def of_path(path: str, columns: Sequence[str]) -> str:
    """The partition of a file's path below the table; "" where the folders do not name all columns."""
    named = dict(_pairs(path))
    if not columns or any(column not in named for column in columns):
        return ""
    return name(columns, [None if named[column] == NULL else named[column] for column in columns])


def folder(path: str, columns: Sequence[str]) -> str:
    """The folder of the path that names the last of the columns: all files beneath it are of one partition."""
    parts = path.split("/")[:-1]
    last = max((at for at, part in enumerate(parts) if unquote(part.partition("=")[0]) in columns), default=-1)
    return "/".join(parts[: last + 1])


def _pairs(path: str) -> list[tuple[str, str]]:
    folders = [part.partition("=") for part in path.split("/")[:-1]]
    return [(unquote(column), unquote(value)) for column, equals, value in folders if equals]


def only(frame: Any, columns: Sequence[str], names: Sequence[str]) -> Any:
    """The rows of the named partitions. Spark reads no others where the columns are the table's partition columns."""
    return frame.where(condition(columns, names))


def without(frame: Any, columns: Sequence[str], names: Sequence[str]) -> Any:
    """All rows but those of the named partitions, of which there is at least one."""
    return frame.where(f"not {condition(columns, names)}")


def condition(columns: Sequence[str], names: Sequence[str]) -> str:
    """The SQL that is true for the rows of the named partitions, of which there is at least one."""
    row = ", ".join(f"coalesce({key}, {literal(NULL)})" for key in keys(columns))
    wanted = (", ".join(literal(value) for _, value in _pairs(f"{each}/")) for each in names)
    return f"struct({row}) in ({', '.join(f'struct({values})' for values in wanted)})"


def is_dated(partition: str) -> bool:
    """Whether one of the values that name the partition is a day, a month or a moment: of such there is a newest."""
    return any(_DATED.match(value or "") for value in values(partition).values())


def newest(frame: Any, columns: Sequence[str], count: int) -> tuple[str, ...]:
    """The names of so many partitions with the greatest values, those without a value left out."""
    sort, there = [computed_partitions.sql(each) for each in columns], keys(columns)
    present = frame.where(" and ".join(f"{key} is not null" for key in there))
    listed = present.selectExpr(*(f"{sql} as _{at}" for at, sql in enumerate(sort)), *there).distinct()
    rows = listed.orderBy(*(f"_{at}" for at in range(len(sort))), ascending=False).limit(count).collect()
    return tuple(sorted(name(columns, list(row)[len(sort) :]) for row in rows))
