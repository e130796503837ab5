"""Columns that came, went or changed their type between partitions: what their states can still say together.

A state is named by its SQL, in which every column that it reads is quoted. Of two bags that were read on other columns:

- a state is put together only where all columns that it reads are of like types in both: whole numbers of any width,
  floats and doubles, texts, decimals of one scale, or else exactly one type. Counts of values are alike for all types.
- a state that one bag lacks because none of its columns was there yet, or is there any more, is that of no rows: Spark
  reads such columns as null, and all components but counts of conditions leave nulls out. It stays as it is.
- every other state that one bag lacks cannot be said of both."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from treaty.contracts.schema import Schema
from treaty.engine.components.base import Component
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL, TEXT, Operand

MOST = 5
_MENTION = re.compile(r"`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*")
_FILTER_CLAUSE = " where "
_FAMILIES = {**dict.fromkeys(INTEGRAL, "whole"), **dict.fromkeys(FRACTIONAL, "fraction"), **dict.fromkeys(TEXT, "text")}


def family(type_: str) -> str:
    """What a type's states are alike with."""
    operand = Operand(sql="", type=type_)
    alike = f"decimal {operand.scale}" if operand.base_type == "decimal" else type_.lower()
    return _FAMILIES.get(operand.base_type, alike)


@lru_cache(maxsize=10_000)
def _mentioned(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_MENTION.findall(text)))


def unlike(component: Component, key: str, mine: Schema, theirs: Schema) -> str | None:
    """The first column that the state reads and that is of types in the two schemas whose states are not alike."""
    # How many values there are is told alike of all types; which rows count is not.
    read = key.partition(_FILTER_CLAUSE)[2] if component.kind == "count" else key
    for path in _mentioned(read):
        here, there = mine.find(path), theirs.find(path)
        if here and there and family(here.type) != family(there.type):
            return path.strip("`")
    return None


def is_of_none(component: Component, key: str, schema: Schema) -> bool:
    """Whether the state says nothing of rows that were read on that schema: it leaves nulls out, and has none of the
    columns that the state reads."""
    paths = _mentioned(key)
    leaves_out = component.kind != "count_if" and not component.needs_own_statement and _FILTER_CLAUSE not in key
    return bool(leaves_out and schema.columns and paths) and not any(schema.find(path) for path in paths)


def union(mine: Schema, theirs: Schema) -> Schema:
    """The columns of both: those of the first, then what only the second has."""
    added = tuple(column for column in theirs if mine.get(column.name) is None)
    return Schema((*mine.columns, *added)) if added else mine


def of_several(schemas: Mapping[str, Schema]) -> Mapping[str, Schema]:
    """The schemas by partition where there is more than one; none where all are one."""
    return schemas if len(set(schemas.values())) > 1 else {}


def missing_columns_text(paths: Iterable[str], schemas: Mapping[str, Schema]) -> str | None:
    """In words, which of the columns some of the partitions do not have; None where all have all. Partitions of which
    no schema is known are left out."""
    told = [_difference_text(path, schemas) for path in paths if _kinds(path, schemas).keys() & {None}]
    return "; ".join(told) or None


def differing_columns_text(paths: Iterable[str], schemas: Mapping[str, Schema]) -> str | None:
    """In words, in which partitions the columns are of which type, or are not there; None where there is no difference
    between their states."""
    told = [_difference_text(path, schemas) for path in paths if len(_kinds(path, schemas)) > 1]
    return "; ".join(told) or None


def _kinds(path: str, schemas: Mapping[str, Schema]) -> dict[str | None, list[str]]:
    """The partitions by the family of the column's type; None: they have no such column."""
    found: dict[str | None, list[str]] = {}
    for name in sorted(schemas):
        if schemas[name].columns:
            column = schemas[name].find(path)
            found.setdefault(family(column.type) if column else None, []).append(name)
    return found


def _difference_text(path: str, schemas: Mapping[str, Schema]) -> str:
    kinds = _kinds(path, schemas)
    every = sorted(name for names in kinds.values() for name in names)
    parts = []
    for kind, names in kinds.items():
        column = schemas[names[-1]].find(path)
        parts.append(f"{'not' if kind is None or column is None else f'of type {column.type}'} {_span(names, every)}")
    return f"{path} is {' and '.join(parts)}"


def _span(names: list[str], every: list[str]) -> str:
    """Where that is: from one partition to another, or from one on, where no other lies between."""
    first = every.index(names[0])
    if len(names) > 1 and every[first : first + len(names)] == names:
        return f"from {names[0]} on" if names[-1] == every[-1] else f"in {names[0]} to {names[-1]}"
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"in {', '.join(name or 'the table' for name in names[:MOST])}{more}"
