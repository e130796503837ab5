"""Compare a table's current columns with the contract's and derive the next document.

Only columns change: whatever the contract declares about a remaining column stays, including its checks. Partition
columns are left unchanged, because Spark infers their types from folder names; so are types named in another system's
terms."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from treaty.contracts.schema import LOGICAL

Property = Mapping[str, Any]
TYPED = ("logicalType", "physicalType", "items")
# Types that Spark reports as string, whatever the table declares.
TEXTS = frozenset({"char", "varchar", "string"})


@dataclass(frozen=True)
class Drift:
    """Columns that were added, removed or changed, by name. `changed`: (name, old type, new type)."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[tuple[str, str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return one sentence for each changed column, removed columns first."""
        return (
            *(f"column {name} was removed" for name in self.removed),
            *(f"column {name} changed from {before} to {now}" for name, before, now in self.changed),
            *(f"column {name} was added" for name in self.added),
        )


def apply_drift(document: Mapping[str, Any], name: str, columns: Sequence[Property]) -> tuple[dict[str, Any], Drift]:
    """Return the document with these columns in the named table, and the difference.

    `columns`: property entries as in a skeleton. A table without declared columns has no drift."""
    changed = deepcopy(dict(document))
    table = next((each for each in changed.get("schema") or () if each.get("name") == name), None)
    before = (table or {}).get("properties") or []
    if table is None or not before:
        return changed, Drift()
    drift = _drift(before, columns)
    table["properties"] = _merged_columns(before, columns)
    return changed, drift


def _drift(before: Sequence[Property], now: Sequence[Property]) -> Drift:
    new_columns, old_columns = _named(now), _named(before)
    removed = [
        each["name"] for key, each in old_columns.items() if key not in new_columns and not each.get("partitioned")
    ]
    both = ((each, new_columns[key]) for key, each in old_columns.items() if key in new_columns)
    changed = [(old["name"], _type(old), _type(new)) for old, new in both if _differs(old, new)]
    return Drift(
        tuple(new["name"] for key, new in new_columns.items() if key not in old_columns), tuple(removed), tuple(changed)
    )


def _merged_columns(before: Sequence[Property], now: Sequence[Property]) -> list[dict[str, Any]]:
    new_columns, old_columns = _named(now), _named(before)
    remaining = [
        _column(each, new_columns[key]) if key in new_columns else dict(each)
        for key, each in old_columns.items()
        if _stays(each, new_columns)
    ]
    return [*remaining, *(dict(each) for key, each in new_columns.items() if key not in old_columns)]


def _stays(each: Property, there: Mapping[str, Property]) -> bool:
    return each["name"].casefold() in there or bool(each.get("partitioned"))


def _column(before: Property, now: Property) -> dict[str, Any]:
    """Return the column with its current type if that differs; struct fields are merged one by one."""
    if not _differs(before, now):
        return dict(before)
    typed = {word: now[word] for word in TYPED if word in now}
    column = {**{word: value for word, value in before.items() if word not in TYPED}, **typed}
    fields = now.get("properties")
    column.pop("properties", None)
    return {**column, "properties": _merged_columns(before.get("properties") or (), fields)} if fields else column


def _differs(before: Property, now: Property) -> bool:
    """Return whether the types differ: as Spark types if both are, otherwise as logical types."""
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
