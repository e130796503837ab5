"""Whether a column's name promises that its values are unique: a linear model over hashed n-grams of names.

After Deequ (VLDB 2018, sections 3.3 and 4.2): a logistic regression over hashed character n-grams of the names of table
and column and the column's type. Here it also sees how the column's name goes with the table's, and which columns stand
beside it. `bench/suggestions/train_keys.py` trains it; `keys_model.json` is its card and `keys_model.npz` its
weights."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from math import exp, sqrt
from pathlib import Path
from typing import Any
from zlib import crc32

CARD, WEIGHTS = (Path(__file__).with_name(f"keys_model.{ending}") for ending in ("json", "npz"))
# Chosen by hand, as are the lists of words below: n-grams as long as the paper's, and what is said of a name as heavy
# as a tenth of all its n-grams.
BUCKETS, LONGEST, SAID = 2**17, 5, 0.3
# Letters beyond A to Z part no words: only of those does a name in camel case tell where one begins.
_WORD = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|\d+")
# The families that types are told apart by, of Spark's types by their first word.
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
    """A column by what its table's schema says: `columns` are the names of all its columns in their order, itself among
    them; () where they are not known."""

    table: str
    column: str
    type: str
    columns: tuple[str, ...] = ()


def words(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: 'customerAddress_ID' has three."""
    return tuple(each.lower() for each in _WORD.findall(name))


def features(given: SchemaColumnName) -> Iterator[tuple[str, float]]:
    """What the model sees, as texts with their weights: n-grams of both names, how they go together, and the place."""
    table, column = words(given.table), words(given.column)
    for of, named in (("c", column), ("t", table)):
        grams = tuple(dict.fromkeys(_grams(of, named)))
        yield from ((each, 1 / sqrt(len(grams))) for each in grams)
    told = (f"type {FAMILIES.get(given.type, 'other')}", *shape(table, column), *_place(given))
    yield from ((each, SAID) for each in (*told, *(" & ".join(pair) for pair in combinations(told, 2))))


def hashed(given: SchemaColumnName) -> tuple[list[int], list[float]]:
    """The buckets of its features, of which two may share one, and their weights."""
    found = list(features(given))
    return [crc32(text.encode()) % BUCKETS for text, _ in found], [weight for _, weight in found]


def _grams(of: str, named: Sequence[str]) -> Iterator[str]:
    text = f"<{'_'.join(named)}>"
    for length in range(1, LONGEST + 1):
        yield from (f"{of}:{text[at : at + length]}" for at in range(len(text) - length + 1))


def shape(table: Sequence[str], column: Sequence[str]) -> Iterator[str]:
    """The column's name beside the table's."""
    yield f"last {column[-1] if column and column[-1] in IDS else '-'}"
    yield f"words {min(len(column), 4)}"
    yield f"of {_owner(table, column)}"


def _owner(table: Sequence[str], column: Sequence[str]) -> str:
    """Whose the name is: of nothing but itself, the table's, that of its last words, or another's."""
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
    """About the singular of an English word."""
    for end, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("s", "")):
        if word.endswith(end) and len(word) > len(end) + 1 and not word.endswith("ss"):
            return word.removesuffix(end) + instead
    return word


def _place(given: SchemaColumnName) -> Iterator[str]:
    """Where the column stands among the others, and whether another one looks more like the key."""
    if not given.columns:
        return
    beside, at = _id_positions(given.table, given.columns), given.columns.index(given.column)
    yield f"at {min(at, 3)} of {min(len(given.columns), 5)}"
    yield f"own {at in beside.own}, before {bool(beside.own) and beside.own[0] < at}, many {min(len(beside.own), 2)}"
    yield f"ids {min(len(beside.ids), 4)}"
    yield f"ids in front {sum(1 for each in beside.ids if each < 3)}"


@dataclass(frozen=True)
class _IdPositions:
    """The places of the columns whose names are those of ids, and of those that are the table's own."""

    ids: tuple[int, ...]
    own: tuple[int, ...]


@lru_cache(maxsize=64)
def _id_positions(table: str, columns: tuple[str, ...]) -> _IdPositions:
    named = [words(each) for each in columns]
    ids = tuple(at for at, each in enumerate(named) if each and each[-1] in IDS)
    return _IdPositions(ids, tuple(at for at in ids if _owner(words(table), named[at]) in OWN))


@dataclass(frozen=True, eq=False)
class KeyNameModel:
    """Weights of the buckets, and the line that makes a share of their sum: both as they were trained."""

    weights: Any
    slope: float
    intercept: float
    threshold: float

    def probability(self, given: SchemaColumnName) -> float:
        """The chance that the column alone is a key of its table, as far as names tell."""
        buckets, weights = hashed(given)
        return 1 / (1 + exp(-(self.intercept + self.slope * float(self.weights[buckets] @ weights))))


@cache
def model() -> KeyNameModel:
    """The model that comes with the package."""
    import numpy

    card = json.loads(CARD.read_text("utf-8"))
    with numpy.load(WEIGHTS) as stored:
        weights = stored["weights"].astype("float64") * card["step"]
    return KeyNameModel(weights, card["slope"], card["intercept"], card["threshold"])


def probability(given: SchemaColumnName) -> float:
    """The chance that the column alone is a key of its table, as far as names tell; between 0 and 1."""
    return model().probability(given)
