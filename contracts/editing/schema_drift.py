"""Schema drift: what a table's columns are now, beside what a contract says of them, as the next document.

Only columns are moved: what the contract says of a column that is still there stays with it, its checks too. Partition
columns are left alone, for their types are as their folders are read; and types in words of another system."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from treaty.contracts.schema import LOGICAL

Property = Mapping[str, Any]
TYPED = ("logicalType", "physicalType", "items")
# What Spark tells as a string, whatever the table's own word for it.
TEXTS = frozenset({"char", "varchar", "string"})


@dataclass(frozen=True)
class Drift:
    """Columns that came, went and changed their type, by name: of those that changed, (name, type before, type now)."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[tuple[str, str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What became of each column, those first that readers may miss."""
        return (
            *(f"column {name} is gone" for name in self.removed),
            *(f"column {name} was {before} and is {now}" for name, before, now in self.changed),
            *(f"column {name} is new" for name in self.added),
        )


def apply_drift(document: Mapping[str, Any], name: str, columns: Sequence[Property]) -> tuple[dict[str, Any], Drift]:
    """The document with these columns, as a skeleton has them, in its table of that name, and what differs.

    A table that the document names no columns of has none to drift."""
    changed = deepcopy(dict(document))
    table = next((each for each in changed.get("schema") or () if each.get("name") == name), None)
    before = (table or {}).get("properties") or []
    if table is None or not before:
        return changed, Drift()
    drift = _drift(before, columns)
    table["properties"] = _merged_columns(before, columns)
    return changed, drift


def _drift(before: Sequence[Property], now: Sequence[Property]) -> Drift:
    there, known = _named(now), _named(before)
    gone = [each["name"] for key, each in known.items() if key not in there and not each.get("partitioned")]
    both = ((each, there[key]) for key, each in known.items() if key in there)
    changed = [(old["name"], _type(old), _type(new)) for old, new in both if _differs(old, new)]
    return Drift(tuple(new["name"] for key, new in there.items() if key not in known), tuple(gone), tuple(changed))


def _merged_columns(before: Sequence[Property], now: Sequence[Property]) -> list[dict[str, Any]]:
    there, known = _named(now), _named(before)
    kept = [
        _column(each, there[key]) if key in there else dict(each) for key, each in known.items() if _stays(each, there)
    ]
    return [*kept, *(dict(each) for key, each in there.items() if key not in known)]


def _stays(each: Property, there: Mapping[str, Property]) -> bool:
    return each["name"].casefold() in there or bool(each.get("partitioned"))


def _column(before: Property, now: Property) -> dict[str, Any]:
    """The column with its type of now, where that is another one; the fields of a struct one by one."""
    if not _differs(before, now):
        return dict(before)
    typed = {word: now[word] for word in TYPED if word in now}
    column = {**{word: value for word, value in before.items() if word not in TYPED}, **typed}
    fields = now.get("properties")
    column.pop("properties", None)
    return {**column, "properties": _merged_columns(before.get("properties") or (), fields)} if fields else column


def _differs(before: Property, now: Property) -> bool:
    """Whether the types are others: by the words of Spark where both have them, else by the logical types."""
    if before.get("partitioned"):
        return False
    old, new = _word(before), _word(now)
    if old in LOGICAL and new in LOGICAL:
        if old in TEXTS and new in TEXTS:
            return False
        return (old != new) if "(" not in _type(before) and "<" not in _type(before) else _plain(before) != _plain(now)
    stated = before.get("logicalType")
    return stated is not None and stated != now.get("logicalType")


def _word(of: Property) -> str:
    return str(of.get("physicalType") or "").split("(")[0].split("<")[0].strip().lower()


def _plain(of: Property) -> str:
    return "".join(str(of.get("physicalType") or "").lower().split())


def _type(of: Property) -> str:
    return str(of.get("physicalType") or of.get("logicalType") or "of no type")


def _named(columns: Iterable[Property]) -> dict[str, Property]:
    return {str(each.get("name", "")).casefold(): each for each in columns}
