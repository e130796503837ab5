"""Partitions that no column names: `day=to_date(ts)` names a partition column and what it is computed from.

Wherever partition columns are named, a word is a column's name, or such a definition, which has brackets in it. What
stands behind the sign is a text of what predicates may be made of, null where it cannot be evaluated: such rows are of
the partition without a value."""

import re
from collections.abc import Iterable, Sequence

from treaty.contracts.document.model import DataObject, Partition
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Fault, Faults, suggest_nearest
from treaty.contracts.predicates.parser import PredicateError, Scalar, inspect, quote, scalar
from treaty.contracts.schema import Column, Schema

# A name, and something with brackets: a column may have an equals sign in its name.
_DEFINITION = re.compile(r"\s*(\w+)\s*=\s*(.*\(.*\).*?)\s*", re.DOTALL)
_PIECES = re.compile(r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)+`", re.DOTALL)
PLAIN = frozenset({"string", "integer", "number", "boolean", "date", "timestamp"})


def split(word: str) -> tuple[str, str | None]:
    """The name of the partition column, and what it is computed from; None for a column of the table."""
    found = _DEFINITION.fullmatch(word)
    return (found[1], found[2]) if found else (word, None)


def names(words: Iterable[str]) -> tuple[str, ...]:
    """The names of the partition columns."""
    return tuple(split(word)[0] for word in words)


def sql(word: str) -> str:
    """The SQL of a row's value. Raises PredicateError."""
    name, by = split(word)
    return quote(name) if by is None else scalar(by).sql


def reads(words: Iterable[str]) -> frozenset[str]:
    """The columns that the words are read from, as they are written, and what fields are of. Raises PredicateError."""
    columns = [column for word in words for column in _read(word)]
    return frozenset((*columns, *(column.partition(".")[0] for column in columns)))


def partition_columns(of: DataObject, given: Sequence[str] | None, schema: Schema) -> list[str]:
    """What a table of that schema is parted by: as is `given`, else as the contract says, where the table has the
    columns."""
    if given is not None:
        return list(given)
    return [word for word in of.partition_by if all(schema.find(column) for column in _read(word))]


def _read(word: str) -> tuple[str, ...]:
    name, by = split(word)
    return (quote(name),) if by is None else scalar(by).columns


def spelled_out(condition: str, words: Iterable[str]) -> str:
    """The written condition with what the computed partition columns stand for in their places."""
    meant = {quote(name): f"({scalar(by).sql})" for name, by in map(split, words) if by is not None}
    return _PIECES.sub(lambda found: meant.get(found[0], found[0]), condition)


def computed_column_types(words: Sequence[str], schema: Schema) -> Schema:
    """The computed ones among the partition columns with the types that their values have on a table of that schema.

    Raises PredicateError for what cannot be computed there, or not without a cast that is not written out."""
    pairs = [(name, by) for name, by in map(split, words) if by is not None]
    return Schema(tuple(Column(name, _type(name, scalar(by, schema=schema), scalar(by))) for name, by in pairs))


def _type(name: str, found: Scalar, plain: Scalar) -> str:
    # What runs is written without types; where they change it, Spark would cast by itself, and end at a bad row.
    if found.sql != plain.sql:
        raise _refused(f"of {name} needs a cast", "write the cast out: year(to_date(ts))")
    if Column(name, found.type).logical_type not in PLAIN:
        raise _refused(f"of {name} has values of type {found.type}", "compute a text, a number, a date or a time")
    return found.type


def _refused(message: str, remedy: str) -> PredicateError:
    return PredicateError([Fault(code="partition-type", where="partition", message=message, remedy=remedy)])


def inspect_partitions(named: Sequence[Partition], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Keeps a fault for objects that the contract does not have, names that are none or taken, and for what they are
    computed from where that is not admitted."""
    known = {each.name: each for each in objects}
    taken = {(each.name, column.name) for each in objects for column in each.properties}
    for index, each in enumerate(named):
        where = join(path, index)
        if each.object not in known:
            message = "names an object that the contract does not have"
            faults.add("terms-object", join(where, "object"), message, suggest_nearest(each.object, known))
        if not re.fullmatch(r"\w+", each.name):
            faults.add("partition-name", join(where, "name"), "is no plain name", "write letters, digits and _")
        if (each.object, each.name) in taken:
            message = "is a column or a partition already"
            faults.add("partition-name", join(where, "name"), message, "give it a name of its own")
        taken.add((each.object, each.name))
        inspect(scalar, each.by, join(where, "by"), faults)
