"""Iterate over the columns of a document by the paths that predicates and arguments use."""

from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.quoting import quote

Element = tuple[str, Mapping[str, Any]]


def members(element: Mapping[str, Any], key: str, path: str = "") -> Iterator[Element]:
    """Yield the mappings of a list within an element; other members are left to the schema's faults."""
    values = element.get(key)
    for index, member in enumerate(values if isinstance(values, list) else ()):
        if isinstance(member, dict):
            yield join(join(path, key), index), member


def text(content: Mapping[str, Any], key: str) -> str | None:
    """Return the text under the key; None if there is none."""
    value = content.get(key)
    return value if isinstance(value, str) else None


def columns(element: Element, parent: str = "") -> Iterator[tuple[str, Element]]:
    """Yield each property within an element with its column path.

    Paths are `a`, `a.b`, and `tags[]` for the elements of an array."""
    path, content = element
    for member in members(content, "properties", path):
        name = text(member[1], "name") or ""
        column = f"{parent}.{_part(name)}" if parent else name
        yield column, member
        yield from columns(member, column if parent else _part(name))
    items = content.get("items")
    if isinstance(items, dict):
        yield f"{parent}[]", (join(path, "items"), items)
        yield from columns((join(path, "items"), items), parent)


def _part(name: str) -> str:
    return quote(name) if "." in name or "`" in name else name
