"""The columns of a document's tables as plain data, each under the path that predicates and arguments write."""

from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.quoting import quote

Element = tuple[str, Mapping[str, Any]]


def members(element: Mapping[str, Any], key: str, path: str = "") -> Iterator[Element]:
    """The mappings of a list within an element; what is not one is left to the schema's faults."""
    found = element.get(key)
    for index, member in enumerate(found if isinstance(found, list) else ()):
        if isinstance(member, dict):
            yield join(join(path, key), index), member


def text(content: Mapping[str, Any], key: str) -> str | None:
    """The text under the key; None where there is none."""
    found = content.get(key)
    return found if isinstance(found, str) else None


def columns(element: Element, parent: str = "") -> Iterator[tuple[str, Element]]:
    """Every property within an element by its column path: `a`, `a.b`; `tags[]` for the elements of an array."""
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
