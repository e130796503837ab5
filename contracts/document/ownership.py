"""Owners of columns, and the owners affected by a change of the document.

A column's owner is the value of its customProperties `owner`; without one, it inherits the owner of the enclosing
column or table. Checks of the table belong to no column."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document.columns import members, text

OWNER = "owner"
NESTING = ("properties", "items")


@dataclass(frozen=True)
class ColumnOwnership:
    """A column's owner and its own keys, without those of nested columns. `owner`: None means none."""

    owner: str | None
    words: Mapping[str, Any]


def affected_owners(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> dict[str, str]:
    """Return the owners of all added, removed and changed columns, by "table.column".

    An existing column counts with its previous owner, so that a change cannot transfer a column to its author."""
    before, after = _owned(old or {}), _owned(new)
    changed = [name for name in {**before, **after} if _words(before.get(name)) != _words(after.get(name))]
    owners = {name: (before.get(name) or after[name]).owner for name in changed}
    return {name: owner for name, owner in sorted(owners.items()) if owner}


def _words(column: ColumnOwnership | None) -> Mapping[str, Any] | None:
    return column.words if column else None


def _owned(document: Mapping[str, Any]) -> dict[str, ColumnOwnership]:
    return dict(
        pair
        for _, table in members(document, "schema")
        for pair in _within(table, text(table, "name") or "", _owner(table))
    )


def _within(element: Mapping[str, Any], path: str, owner: str | None) -> Iterator[tuple[str, ColumnOwnership]]:
    for _, member in members(element, "properties"):
        yield from _column(member, f"{path}.{text(member, 'name') or ''}", owner)
    items = element.get("items")
    if isinstance(items, dict):
        yield from _column(items, f"{path}[]", owner)


def _column(content: Mapping[str, Any], path: str, around: str | None) -> Iterator[tuple[str, ColumnOwnership]]:
    owner = _owner(content) or around
    yield path, ColumnOwnership(owner, {key: value for key, value in content.items() if key not in NESTING})
    yield from _within(content, path, owner)


def _owner(content: Mapping[str, Any]) -> str | None:
    named = (each for _, each in members(content, "customProperties") if each.get("property") == OWNER)
    return next((text(each, "value") for each in named), None)
