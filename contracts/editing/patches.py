"""Changes to a document as plain data: every function answers a new document and leaves the old one as it was."""

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
    """What to set on a column, or (`column` None) on the table itself. Each key replaces what the element has.

    `quality` is one entry: it is added to the others, or replaces the one with its id. So is `slaProperties`, which a
    document has at its root: its `element` says of what the service level is."""

    object: str
    column: str | None
    set: Mapping[str, Any]


def apply(document: Mapping[str, Any], patches: Iterable[Patch]) -> dict[str, Any]:
    """The document with the patches applied in order. Raises ContractError naming every unknown table and column."""
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
        known = filter(None, tables)
        faults.add("unknown-object", "schema", f"has no table '{patch.object}'", suggest_nearest(patch.object, known))
        return None
    if patch.column is None:
        return table[1]
    found = dict(columns(table))
    if patch.column not in found:
        faults.add("unknown-column", table[0], f"has no column '{patch.column}'", suggest_nearest(patch.column, found))
        return None
    return found[patch.column][1]


def _add(element: dict[str, Any], words: dict[str, Any], name: str) -> None:
    entry = words.get(name)
    # What is no entry is set as it is: whoever reads the document says so.
    if isinstance(entry, Mapping):
        element[name] = _with_entry(element.get(name) or [], words.pop(name))


def _with_entry(entries: list[Any], entry: Mapping[str, Any]) -> list[Any]:
    identity = entry.get("id")
    places = [index for index, each in enumerate(entries) if identity is not None and each.get("id") == identity]
    if not places:
        return [*entries, entry]
    return [*entries[: places[0]], entry, *entries[places[0] + 1 :]]
