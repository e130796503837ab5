"""Describe a column by its name: hashed n-grams and facts, from which models predict whether it is unique.

After Deequ (VLDB 2018, sections 3.3 and 4.2): character n-grams of the names of table and column and the column's
type. These features also include how the column's name relates to the table's and which columns surround it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import sqrt
from zlib import crc32

# Set by hand, like the word lists below: n-grams are as long as the paper's, and each fact about the name weighs a
# tenth of all its n-grams.
BUCKETS, LONGEST, FACT_WEIGHT = 2**17, 5, 0.3
# Letters beyond A to Z do not split words: only ASCII capitals mark a word's start in camel case.
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# Type families by the first word of Spark's type.
FAMILIES = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint", "integer"), "integer"),
    **dict.fromkeys(("string", "char", "varchar"), "string"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "timestamp"),
    **dict.fromkeys(("float", "double"), "float"),
    **{name: name for name in ("boolean", "decimal", "binary", "date")},
}
IDS = frozenset({"id", "uuid", "guid", "uid", "pk", "oid", "rowid", "key", "code", "no", "nr", "number", "num", "sk"})
OWN = frozenset({"itself", "table", "end of table"})


@dataclass(frozen=True)
class SchemaColumnName:
    """A column as its table's schema describes it.

    `columns`: names of all columns in order, itself included; () if unknown."""

    table: str
    column: str
    type: str
    columns: tuple[str, ...] = ()


def words(name: str) -> tuple[str, ...]:
    """Split a name into lower-case words: 'customerAddress_ID' has three."""
    return tuple(each.lower() for each in _WORD.findall(name))


def features(column_name: SchemaColumnName) -> Iterator[tuple[str, float]]:
    """Yield the model's features as texts with weights.

    They are n-grams of both names, the relation of the names, and the column's position."""
    table, column = words(column_name.table), words(column_name.column)
    for of, named in (("c", column), ("t", table)):
        grams = tuple(dict.fromkeys(_grams(of, named)))
        yield from ((each, 1 / sqrt(len(grams))) for each in grams)
    facts = (f"type {FAMILIES.get(column_name.type, 'other')}", *shape(table, column), *_place(column_name))
    yield from ((each, FACT_WEIGHT) for each in (*facts, *(" & ".join(pair) for pair in combinations(facts, 2))))


def hashed(column: SchemaColumnName) -> tuple[list[int], list[float]]:
    """Return the buckets of the features, which may coincide, and their weights."""
    pairs = list(features(column))
    return [crc32(text.encode()) % BUCKETS for text, _ in pairs], [weight for _, weight in pairs]


def _grams(of: str, named: Sequence[str]) -> Iterator[str]:
    text = f"<{'_'.join(named)}>"
    for length in range(1, LONGEST + 1):
        yield from (f"{of}:{text[at : at + length]}" for at in range(len(text) - length + 1))


def shape(table: Sequence[str], column: Sequence[str]) -> Iterator[str]:
    """Yield the relation of the column's name to the table's."""
    yield f"last {column[-1] if column and column[-1] in IDS else '-'}"
    yield f"words {min(len(column), 4)}"
    yield f"of {_owner(table, column)}"


def _owner(table: Sequence[str], column: Sequence[str]) -> str:
    """Return the subject of the name: itself, the table, the end of its name, part of it, or another."""
    stem = [singular(each) for each in (column[:-1] if column and column[-1] in IDS else column)]
    own = [singular(each) for each in table]
    if not stem:
        return "itself"
    if "".join(stem) == "".join(own):
        return "table"
    if "".join(own).endswith("".join(stem)):
        return "end of table"
    return "part" if set(stem) & set(own) else "other"


def singular(word: str) -> str:
    """Return an approximate singular of an English word."""
    for end, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(end) and len(word) > len(end) + 1 and not word.endswith("ss"):
            return word.removesuffix(end) + instead
    return word


def _place(column: SchemaColumnName) -> Iterator[str]:
    """Yield the column's position, and whether another column looks more like the key."""
    if not column.columns:
        return
    places, at = _id_positions(column.table, column.columns), column.columns.index(column.column)
    yield f"at {min(at, 3)} of {min(len(column.columns), 5)}"
    yield f"own {at in places.own}, before {bool(places.own) and places.own[0] < at}, many {min(len(places.own), 2)}"
    yield f"ids {min(len(places.ids), 4)}"
    yield f"ids in front {sum(1 for each in places.ids if each < 3)}"


@dataclass(frozen=True)
class _IdPositions:
    """Positions of the columns named like ids, and of those named after the table."""

    ids: tuple[int, ...]
    own: tuple[int, ...]


@lru_cache(maxsize=64)
def _id_positions(table: str, columns: tuple[str, ...]) -> _IdPositions:
    named = [words(each) for each in columns]
    ids = tuple(at for at, each in enumerate(named) if each and each[-1] in IDS)
    return _IdPositions(ids, tuple(at for at in ids if _owner(words(table), named[at]) in OWN))
