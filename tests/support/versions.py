"""Pairs of small contract documents that differ in one thing."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from treaty.contracts.comparison.compatibility import VersionComparison, compare
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.checks.argument_order import order

COLUMNS: list[dict[str, Any]] = [
    {"name": "id", "logicalType": "integer"},
    {"name": "amount", "logicalType": "number"},
    {"name": "status", "logicalType": "string"},
    {"name": "day", "logicalType": "date"},
]


def document(*checks: Mapping[str, Any], terms: Mapping[str, Any] | None = None, **root: Any) -> dict[str, Any]:
    """A contract of the table `orders` with these checks, as plain data."""
    own = {"customProperties": [{"property": "treaty", "value": dict(terms)}]} if terms is not None else {}
    table = {"name": "orders", "properties": deepcopy(COLUMNS), "quality": [dict(each) for each in checks]}
    head = {"apiVersion": "v3.2.0", "kind": "DataContract", "id": "shop", "version": "1.0.0", "status": "active"}
    return {**head, "schema": [table], **own, **root}


def with_column(name: str, /, **words: Any) -> dict[str, Any]:
    """The contract with these words on a column; a column of that name is added where there is none."""
    made = document()
    columns = made["schema"][0]["properties"]
    found = next((each for each in columns if each["name"] == name), None)
    if found is None:
        columns.append({"name": name, **words})
    else:
        found.update(words)
    return made


def without_column(name: str) -> dict[str, Any]:
    """The contract without a column."""
    made = document()
    made["schema"][0]["properties"] = [each for each in made["schema"][0]["properties"] if each["name"] != name]
    return made


def contract(content: Mapping[str, Any]) -> Contract:
    """The document as it is read."""
    return read(write(content))


def compared(old: Mapping[str, Any], new: Mapping[str, Any]) -> VersionComparison:
    """What differs, with the engine's order of arguments."""
    return compare(contract(old), contract(new), order)
