"""Validate names and ids in a document: unique regardless of case and Unicode form."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.document.odcs import elements, root_model
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults

NAMED = frozenset({"SchemaObject", "SchemaProperty"})
# Scripts with letters that look alike.
ALIKE = frozenset({"LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})


def inspect_ids(document: Mapping[str, Any], faults: Faults) -> None:
    """Add a fault for each id that an earlier element of the same list has."""
    first: dict[tuple[str, str], str] = {}
    for path, element, _ in elements(document, root_model()):
        name = element.get("id")
        if not path.endswith("]") or not isinstance(name, str):
            continue
        earlier = first.setdefault((list_of(path), name), path)
        if earlier != path:
            faults.add("id-duplicate", join(path, "id"), f"is also the id of {earlier}", "use a unique id")


def inspect_names(document: Mapping[str, Any], faults: Faults) -> None:
    """Add a fault for each object or property name that is blank, unprintable or ambiguous.

    Names of one list are ambiguous if they differ in nothing but case or Unicode form."""
    first: dict[tuple[str, str], tuple[str, str]] = {}
    for path, name in _names(document):
        if not name.strip() or not name.isprintable():
            message = "is blank or has unprintable characters"
            faults.add("name-form", join(path, "name"), message, "use a visible name")
            continue
        earlier_path, earlier = first.setdefault((list_of(path), _folded(name)), (path, name))
        if earlier_path != path:
            _keep_alike(name, earlier, join(path, "name"), faults)


def disguise(identity: str) -> str | None:
    """Return the reason why the identity could be mistaken for another one; None if it could not.

    Reasons are unprintable characters, surrounding blanks, letters in an unusual Unicode form, and a mix of scripts
    whose letters look alike."""
    if not identity.isprintable() or identity != identity.strip():
        return "has surrounding blanks or unprintable characters"
    if unicodedata.normalize("NFKC", identity) != identity:
        return "has letters in a non-standard Unicode form"
    scripts = {unicodedata.name(each, "?").partition(" ")[0] for each in identity if each.isalpha()} & ALIKE
    return f"mixes scripts with similar letters: {', '.join(sorted(scripts))}" if len(scripts) > 1 else None


def _names(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for path, element, model in elements(document, root_model()):
        if model.__name__ in NAMED and path.endswith("]") and isinstance(element.get("name"), str):
            yield path, element["name"]


def _keep_alike(name: str, earlier: str, where: str, faults: Faults) -> None:
    if unicodedata.normalize("NFC", name) == unicodedata.normalize("NFC", earlier):
        faults.add("name-duplicate", where, f"'{name}' is already the name of an earlier element", "use a unique name")
    else:
        message = f"'{name}' and '{earlier}' differ only in case, and Spark treats them as the same name"
        faults.add("name-case", where, message, "rename one of the two")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def list_of(path: str) -> str:
    """Return the path of the list that contains the member at `path`."""
    return path.rpartition("[")[0]
