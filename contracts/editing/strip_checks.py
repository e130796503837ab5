"""Remove the checks of a document, for use of its tables and columns alone."""

from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from typing import Any

from treaty.contracts.document.columns import columns, members, text

# The keys of a table or a column that constrain its values.
PROMISES = frozenset(
    {"quality", "required", "unique", "primaryKey", "primaryKeyPosition", "enum", "logicalTypeOptions"}
)
TERMS = "treaty"


def strip_checks(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document without constraints on tables and columns; types and classifications stay."""
    changed = deepcopy(dict(document))
    for element in _elements(changed):
        for word in PROMISES & element.keys():
            del element[word]
    return changed


def select_columns(document: Mapping[str, Any], object_name: str, names: Collection[str]) -> dict[str, Any]:
    """Return the document with only these columns of the object and its partition columns.

    Its other columns are neither required nor reported then, and the order of columns is not checked."""
    changed = deepcopy(dict(document))
    selected = {each.casefold() for each in names}
    for _, table in members(changed, "schema"):
        if table.get("name") == object_name:
            _keep(_changeable(table), selected)
    changed["customProperties"] = [*_open_terms(changed)]
    return changed


def _changeable(element: Mapping[str, Any]) -> dict[str, Any]:
    """Return the element as the mutable mapping that it is, to be changed in place."""
    assert isinstance(element, dict)
    return element


def _elements(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for table in members(document, "schema"):
        yield _changeable(table[1])
        for _, (_, column) in columns(table):
            yield _changeable(column)


def _keep(table: dict[str, Any], columns: Collection[str]) -> None:
    remaining = [
        each
        for _, each in members(table, "properties")
        if (text(each, "name") or "").casefold() in columns or each.get("partitioned") is True
    ]
    table.pop("properties", None)
    if remaining:
        table["properties"] = remaining


def _open_terms(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    properties = [each for _, each in members(document, "customProperties")]
    yield from (each for each in properties if each.get("property") != TERMS)
    terms: Mapping[str, Any] = next((each["value"] for each in properties if each.get("property") == TERMS), {})
    yield {"property": TERMS, "value": {**terms, "columns": "open", "order": False}}
