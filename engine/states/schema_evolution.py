"""Decide which states can be merged if columns were added, removed or retyped between partitions.

A state's key is its SQL, in which every column that it reads is quoted. For two bags with different columns:

- a state is merged only if all columns that it reads have similar types in both: whole numbers of any width, floats
  and doubles, texts, decimals of one scale, or else exactly one type. Counts of values are compatible for all types.
- a state that one bag lacks because none of its columns existed there counts as that of no rows: Spark reads such
  columns as null, and all components except counts of conditions ignore nulls. It is kept unchanged.
- every other state that one bag lacks cannot be computed for both."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from treaty.contracts.predicates.columns import ColumnScope
from treaty.contracts.schema import Schema
from treaty.engine.components.base import Component
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL, TEXT, Operand

MOST = 5
_MENTION = re.compile(r"`(?:[^`]|``)+`(?:\.`(?:[^`]|``)+`)*")
_FILTER_CLAUSE = " where "
_FAMILIES = {**dict.fromkeys(INTEGRAL, "whole"), **dict.fromkeys(FRACTIONAL, "fraction"), **dict.fromkeys(TEXT, "text")}


def family(type_: str) -> str:
    """Return the family of a type; states of one family are compatible."""
    operand = Operand(sql="", type=type_)
    name = f"decimal {operand.scale}" if operand.base_type == "decimal" else type_.lower()
    return _FAMILIES.get(operand.base_type, name)


@lru_cache(maxsize=10_000)
def _mentioned(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_MENTION.findall(text)))


def unlike(component: Component, key: str, mine: Schema, theirs: Schema) -> str | None:
    """Return the first column of the state whose types in the two schemas are incompatible."""
    # The number of values is compatible for all types; the filter's columns still matter.
    relevant = key.partition(_FILTER_CLAUSE)[2] if component.kind == "count" else key
    for path in _mentioned(relevant):
        my_column, their_column = mine.find(path), theirs.find(path)
        if my_column and their_column and family(my_column.type) != family(their_column.type):
            return path.strip("`")
    return None


def is_of_none(component: Component, key: str, schema: Schema) -> bool:
    """Return whether the state is unaffected by rows with that schema.

    True if it ignores nulls and the schema has none of the columns that it reads."""
    paths = _mentioned(key)
    ignores_nulls = component.kind != "count_if" and not component.needs_own_statement and _FILTER_CLAUSE not in key
    return bool(ignores_nulls and schema.columns and paths) and not any(schema.find(path) for path in paths)


def union(mine: Schema, theirs: Schema) -> Schema:
    """Return the columns of both schemas: those of the first, then those only in the second."""
    added = tuple(column for column in theirs if mine.get(column.name) is None)
    return Schema((*mine.columns, *added)) if added else mine


def of_several(schemas: Mapping[str, Schema]) -> Mapping[str, Schema]:
    """Return the schemas by partition if they differ; else an empty mapping."""
    return schemas if len(set(schemas.values())) > 1 else {}


def missing_columns_text(paths: Iterable[str], schemas: Mapping[str, Schema]) -> str | None:
    """Describe which columns some partitions lack; None if all have all.

    Partitions without a known schema are ignored."""
    texts = [_difference_text(path, schemas) for path in paths if _kinds(path, schemas).keys() & {None}]
    return "; ".join(texts) or None


def differing_columns_text(paths: Iterable[str], schemas: Mapping[str, Schema]) -> str | None:
    """Describe which partitions lack the columns or have them with another type; None without differences."""
    texts = [_difference_text(path, schemas) for path in paths if len(_kinds(path, schemas)) > 1]
    return "; ".join(texts) or None


def _kinds(path: str, schemas: Mapping[str, Schema]) -> dict[str | None, list[str]]:
    """Group the partitions by the family of the column's type; None for a missing column."""
    partitions: dict[str | None, list[str]] = {}
    for name in sorted(schemas):
        if schemas[name].columns:
            type_ = _type(path, schemas[name])
            partitions.setdefault(family(type_) if type_ else None, []).append(name)
    return partitions


def _type(path: str, schema: Schema) -> str | None:
    """Return the type of a column or field, also within an array or map; None without one."""
    return ColumnScope(schema=schema).type_of(path)


def _difference_text(path: str, schemas: Mapping[str, Schema]) -> str:
    kinds = _kinds(path, schemas)
    all_names = sorted(name for names in kinds.values() for name in names)
    parts = []
    for kind, names in kinds.items():
        type_ = _type(path, schemas[names[-1]])
        parts.append(f"{'not' if kind is None or type_ is None else f'of type {type_}'} {_span(names, all_names)}")
    return f"{path} is {' and '.join(parts)}"


def _span(names: list[str], every: list[str]) -> str:
    """Describe the partitions as a range if they are consecutive."""
    first = every.index(names[0])
    if len(names) > 1 and every[first : first + len(names)] == names:
        return f"from {names[0]} on" if names[-1] == every[-1] else f"in {names[0]} to {names[-1]}"
    suffix = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"in {', '.join(name or 'the table' for name in names[:MOST])}{suffix}"
