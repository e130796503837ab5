"""Add a lineage alias to a document, and compute the next version number."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

PROPERTIES, OWN = "customProperties", "treaty"
Name = tuple[str, str]


def with_alias(
    document: Mapping[str, Any], object_name: str, name: Name, *, existing: Iterable[Name]
) -> dict[str, Any]:
    """Return the document with one more lineage name (namespace, name) for the object.

    `existing`: the current names of the object. If the document declares none, they follow from the table's location,
    but only until one is declared; so they are declared along with the new one. An existing alias changes nothing."""
    changed = deepcopy(dict(document))
    aliases = _terms(changed).setdefault("aliases", [])
    declared = {(each["namespace"], each["name"]) for each in aliases if each.get("object") == object_name}
    names = [name] if declared else [*existing, name]
    for namespace, one in dict.fromkeys(names):
        if (namespace, one) not in declared:
            aliases.append({"object": object_name, "namespace": namespace, "name": one})
    return changed


def next_version_number(version: str) -> str | None:
    """Return the version number with its last part increased by one; None if that is no number."""
    before, dot, last = version.rpartition(".")
    return f"{before}{dot}{int(last) + 1}" if last.isascii() and last.isdigit() else None


def _terms(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document's own terms, added if missing."""
    properties = document.setdefault(PROPERTIES, [])
    entry = next((each for each in properties if each.get("property") == OWN), None)
    if entry is None:
        entry = {"property": OWN, "value": {}}
        properties.append(entry)
    terms: dict[str, Any] = entry["value"]
    return terms
