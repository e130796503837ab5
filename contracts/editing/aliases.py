"""A document in which an object goes by one more lineage name."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any

PROPERTIES, OWN = "customProperties", "treaty"
Name = tuple[str, str]


def with_alias(document: Mapping[str, Any], object_name: str, name: Name, *, known: Iterable[Name]) -> dict[str, Any]:
    """The document in which lineage knows the object by that (namespace, name), too.

    `known`: the names that it goes by now. Where the document declares none, they follow from where the object lies,
    which holds only as long as none is declared: so they are declared with the new one. An alias that is there already
    changes nothing."""
    changed = deepcopy(dict(document))
    aliases = _terms(changed).setdefault("aliases", [])
    declared = {(each["namespace"], each["name"]) for each in aliases if each.get("object") == object_name}
    wanted = [name] if declared else [*known, name]
    for namespace, one in dict.fromkeys(wanted):
        if (namespace, one) not in declared:
            aliases.append({"object": object_name, "namespace": namespace, "name": one})
    return changed


def next_version_number(version: str) -> str | None:
    """The version number after that one, its last part one more; None where that is no number."""
    before, dot, last = version.rpartition(".")
    return f"{before}{dot}{int(last) + 1}" if last.isascii() and last.isdigit() else None


def _terms(document: dict[str, Any]) -> dict[str, Any]:
    """The document's own terms, which are put into it where it has none."""
    properties = document.setdefault(PROPERTIES, [])
    found = next((each for each in properties if each.get("property") == OWN), None)
    if found is None:
        found = {"property": OWN, "value": {}}
        properties.append(found)
    terms: dict[str, Any] = found["value"]
    return terms
