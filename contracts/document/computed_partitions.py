"""Computed partition columns: `day=to_date(ts)` names a partition column and its expression.

Each item in a list of partition columns is a column name or such a definition, which contains parentheses. The
expression is restricted to the grammar of predicates. It is null if it cannot be evaluated; such rows belong to the
partition without a value."""

import re
from collections.abc import Iterable, Sequence

from treaty.contracts.document.model import DataObject, Partition
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Fault, Faults, suggest_nearest
from treaty.contracts.predicates.parser import PredicateError, Scalar, inspect, quote, scalar
from treaty.contracts.schema import Column, Schema

# A name and something with parentheses: a column name may contain an equals sign.
_DEFINITION = re.compile(r"\s*(\w+)\s*=\s*(.*\(.*\).*?)\s*", re.DOTALL)
_PIECES = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)+`", re.DOTALL)
PLAIN = frozenset({"string", "integer", "number", "boolean", "date", "timestamp"})


def split(word: str) -> tuple[str, str | None]:
    """Return the name and the expression of a partition column; no expression for a stored column."""
    match = _DEFINITION.fullmatch(word)
    return (match[1], match[2]) if match else (word, None)


def names(words: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the partition columns."""
    return tuple(split(word)[0] for word in words)


def sql(word: str) -> str:
    """Return the SQL of a row's partition value. Raises PredicateError."""
    name, by = split(word)
    return quote(name) if by is None else scalar(by).sql


def reads(words: Iterable[str]) -> frozenset[str]:
    """Return the columns that the definitions read, including the parents of nested fields.

    Raises PredicateError."""
    columns = [column for word in words for column in _read(word)]
    return frozenset((*columns, *(column.partition(".")[0] for column in columns)))


def partition_columns(of: DataObject, requested: Sequence[str] | None, schema: Schema) -> list[str]:
    """Return the partition columns of a table with this schema.

    They are those in `requested`; None takes those of the contract whose columns the table has."""
    if requested is not None:
        return list(requested)
    return [word for word in of.partition_by if all(schema.find(column) for column in _read(word))]


def _read(word: str) -> tuple[str, ...]:
    name, by = split(word)
    return (quote(name),) if by is None else scalar(by).columns


def spelled_out(condition: str, words: Iterable[str]) -> str:
    """Return the condition with each computed partition column replaced by its expression."""
    expressions = {quote(name): f"({scalar(by).sql})" for name, by in map(split, words) if by is not None}
    return _PIECES.sub(lambda match: expressions.get(match[0], match[0]), condition)


def computed_column_types(words: Sequence[str], schema: Schema) -> Schema:
    """Return the computed partition columns with the types of their values in this schema.

    Raises PredicateError if an expression cannot be computed there, or only with an implicit cast."""
    pairs = [(name, by) for name, by in map(split, words) if by is not None]
    return Schema(tuple(Column(name, _type(name, scalar(by, schema=schema), scalar(by))) for name, by in pairs))


def _type(name: str, value: Scalar, plain: Scalar) -> str:
    # The executed SQL is written without types; if types change it, Spark would cast implicitly and fail on a bad row.
    if value.sql != plain.sql:
        raise _refused(f"partition column {name} needs an explicit cast", "add the cast: year(to_date(ts))")
    if Column(name, value.type).logical_type not in PLAIN:
        raise _refused(
            f"partition column {name} has the unsupported type {value.type}",
            "compute a text, number, boolean, date or timestamp",
        )
    return value.type


def _refused(message: str, remedy: str) -> PredicateError:
    return PredicateError([Fault(code="partition-type", where="partition", message=message, remedy=remedy)])


def inspect_partitions(named: Sequence[Partition], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Add a fault for each invalid computed partition.

    Invalid are unknown objects, expressions outside the grammar of predicates, and names that are not plain or already
    used for a column or partition of the object."""
    by_name = {each.name: each for each in objects}
    used_names = {(each.name, column.name) for each in objects for column in each.properties}
    for index, each in enumerate(named):
        location = join(path, index)
        if each.object not in by_name:
            message = "refers to an object that the contract does not define"
            faults.add("terms-object", join(location, "object"), message, suggest_nearest(each.object, by_name))
        if not re.fullmatch(r"\w+", each.name):
            faults.add("partition-name", join(location, "name"), "is not a plain name", "use letters, digits and _")
        if (each.object, each.name) in used_names:
            message = "is already the name of a column or a partition"
            faults.add("partition-name", join(location, "name"), message, "use a unique name")
        used_names.add((each.object, each.name))
        inspect(scalar, each.by, join(location, "by"), faults)
