"""Apply patches to a document as plain data; each function returns a new document."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document.columns import columns, members
from treaty.contracts.editing.skeleton import skeleton
from treaty.contracts.errors import Faults, suggest_nearest

__all__ = ["Patch", "apply", "skeleton"]


@dataclass(frozen=True)
class Patch:
    """Keys to set on a column, or on the table itself if `column` is None.

    Each key replaces the present value, with two exceptions. `quality` is one entry, which is added or replaces the
    entry with the same id. So is `slaProperties`, which belongs to the root of the document; its `element` names the
    part that the service level applies to."""

    object: str
    column: str | None
    set: Mapping[str, Any]


def apply(document: Mapping[str, Any], patches: Iterable[Patch]) -> dict[str, Any]:
    """Return the document with the patches applied in order.

    Raises ContractError with a fault for each unknown table and column."""
    changed = deepcopy(dict(document))
    faults = Faults()
    for patch in patches:
        element = _element(changed, patch, faults)
        if element is not None:
            words = deepcopy(dict(patch.set))
            _add(changed, words, "slaProperties")
            _add(element, words, "quality")
            element.update(words)
    faults.settle()
    return changed


def _element(document: Mapping[str, Any], patch: Patch, faults: Faults) -> Any:
    tables = {each[1].get("name"): each for each in members(document, "schema")}
    table = tables.get(patch.object)
    if table is None:
        table_names = filter(None, tables)
        faults.add(
            "unknown-object", "schema", f"has no table '{patch.object}'", suggest_nearest(patch.object, table_names)
        )
        return None
    if patch.column is None:
        return table[1]
    by_path = dict(columns(table))
    if patch.column not in by_path:
        faults.add(
            "unknown-column", table[0], f"has no column '{patch.column}'", suggest_nearest(patch.column, by_path)
        )
        return None
    return by_path[patch.column][1]


def _add(element: dict[str, Any], words: dict[str, Any], name: str) -> None:
    entry = words.get(name)
    # Anything else is set as it is; reading the document reports the fault.
    if isinstance(entry, Mapping):
        element[name] = _with_entry(element.get(name) or [], words.pop(name))


def _with_entry(entries: list[Any], entry: Mapping[str, Any]) -> list[Any]:
    identity = entry.get("id")
    places = [index for index, each in enumerate(entries) if identity is not None and each.get("id") == identity]
    if not places:
        return [*entries, entry]
    return [*entries[: places[0]], entry, *entries[places[0] + 1 :]]
