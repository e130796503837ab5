"""Read parts of answers that several kinds of catalogs have. Pure: no requests."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from treaty.registry.catalogs.errors import CatalogPermissionMissing, CatalogRefused
from treaty.registry.catalogs.model import OWN_PREFIX, Identifier
from treaty.registry.catalogs.requests import CatalogRequest, Steps, expect

Item = TypeVar("Item")


def text(value: Any) -> str:
    """Return the text; '' if it is none."""
    return value if isinstance(value, str) else ""


def texts(value: Any, request: CatalogRequest, what: str) -> tuple[str, ...]:
    """Return the texts of a list; () if it is absent. Raises CatalogAnswerInvalid."""
    return tuple(expect(str, each, request, what) for each in expect(list, value or [], request, what))


def entries(content: Mapping[str, Any], key: str, request: CatalogRequest) -> list[dict[str, Any]]:
    """Return the objects of a list; [] if it is absent. Raises CatalogAnswerInvalid."""
    return [expect(dict, each, request, key) for each in expect(list, content.get(key) or [], request, key)]


def rows(content: Mapping[str, Any], key: str, request: CatalogRequest) -> list[dict[str, Any]]:
    """Return the objects of a list. Raises CatalogAnswerInvalid if it is absent: a listing would look empty."""
    return entries({key: expect(list, content.get(key), request, key)}, key, request)


def part(content: Mapping[str, Any], key: str, request: CatalogRequest) -> dict[str, Any]:
    """Return an object; {} if it is absent. Raises CatalogAnswerInvalid."""
    return expect(dict, content.get(key) or {}, request, key)


def name(content: Mapping[str, Any], request: CatalogRequest, key: str = "name") -> str:
    """Return the name of something. Raises CatalogAnswerInvalid if it has none."""
    return expect(str, content.get(key) or None, request, key)


def own_properties(properties: Mapping[str, Any]) -> dict[str, str]:
    """Return the properties that Treaty wrote."""
    return {key: text(value) for key, value in properties.items() if key.startswith(OWN_PREFIX)}


def words(listing: str) -> list[str]:
    """Return the words of a comma-separated list."""
    return [each.strip() for each in listing.split(",") if each.strip()]


def dotted(listing: str) -> Identifier:
    """Return the parts of a dotted name."""
    return tuple(listing.split("."))


def scopes(listing: str, most: int, split: Callable[[str], Identifier] = dotted) -> tuple[Identifier, ...]:
    """Return the names of a comma-separated list: what the option `only` limits reading to.

    `most`: parts of a name. Raises CatalogRefused for more: nothing would be read, as if all tables were dropped."""
    names = tuple(map(split, words(listing)))
    if any(not 0 < len(each) <= most for each in names):
        raise CatalogRefused(f"The option `only` has names of {most} parts at most. Correct the connection.")
    return names


def unless_denied(steps: Steps[list[Item]], problems: list[str]) -> Steps[list[Item]]:
    """Return the items; none if the catalog denies access, which is added to the problems."""
    try:
        return (yield from steps)
    except CatalogPermissionMissing as error:
        problems.append(str(error))
        return []


def distinct(items: Iterable[str]) -> tuple[str, ...]:
    """Return the texts that are not empty, each once, in order."""
    return tuple(dict.fromkeys(filter(None, items)))
