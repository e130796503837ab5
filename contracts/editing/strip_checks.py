"""A document without its promises: the tables and columns alone, for checks of somebody else to stand on."""

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any

from treaty.contracts.document.columns import columns, members, text

# The words of a table or a column that promise something about its values.
PROMISES = frozenset(
    {"quality", "required", "unique", "primaryKey", "primaryKeyPosition", "enum", "logicalTypeOptions"}
)
TERMS = "treaty"


def strip_checks(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document without the promises of its tables and columns, however deep; types and classifications stay."""
    changed = deepcopy(dict(document))
    for element in _elements(changed):
        for word in PROMISES & element.keys():
            del element[word]
    return changed


def select_columns(document: Mapping[str, Any], object_name: str, names: Collection[str]) -> dict[str, Any]:
    """The document with only those columns of the object, and with those that it is partitioned by.

    Its other columns are neither promised nor unwelcome then, nor is their order."""
    changed = deepcopy(dict(document))
    wanted = {each.casefold() for each in names}
    for _, table in members(changed, "schema"):
        if table.get("name") == object_name:
            _keep(_changeable(table), wanted)
    changed["customProperties"] = [*_open_terms(changed)]
    return changed


def _changeable(element: Mapping[str, Any]) -> dict[str, Any]:
    """The element as what it is within a document's plain data, to be changed in place."""
    assert isinstance(element, dict)
    return element


def _elements(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for table in members(document, "schema"):
        yield _changeable(table[1])
        for _, (_, column) in columns(table):
            yield _changeable(column)


def _keep(table: dict[str, Any], wanted: Collection[str]) -> None:
    kept = [
        each
        for _, each in members(table, "properties")
        if (text(each, "name") or "").casefold() in wanted or each.get("partitioned") is True
    ]
    table.pop("properties", None)
    if kept:
        table["properties"] = kept


def _open_terms(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    properties = [each for _, each in members(document, "customProperties")]
    yield from (each for each in properties if each.get("property") != TERMS)
    terms: Mapping[str, Any] = next((each["value"] for each in properties if each.get("property") == TERMS), {})
    yield {"property": TERMS, "value": {**terms, "columns": "open", "order": False}}
