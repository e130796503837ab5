"""Build the initial document of a table: its schema, and no checks."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from treaty.contracts.document.computed_partitions import split
from treaty.contracts.schema import Column, Schema, struct_fields


def skeleton(  # noqa: PLR0913
    *,
    contract_id: str,
    name: str,
    object_name: str,
    physical_name: str,
    schema: Schema,
    partition_by: Sequence[str] = (),
    aliases: Iterable[tuple[str, str]] = (),
) -> dict[str, Any]:
    """Return the ODCS 3.1.0 document of one table, version 1.0.0 with status draft.

    `aliases`: its (namespace, name) pairs. Column names are taken as they are; reading the document reports invalid
    ones."""
    table = {
        "name": object_name,
        "physicalName": physical_name,
        "physicalType": "table",
        "logicalType": "object",
        "properties": [_property(column, partition_by) for column in schema],
    }
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": contract_id, "name": name}
    return {
        **head,
        "version": "1.0.0",
        "status": "draft",
        "schema": [table],
        **_terms(object_name, aliases, partition_by),
    }


def _terms(object_name: str, aliases: Iterable[tuple[str, str]], partition_by: Sequence[str]) -> dict[str, Any]:
    alias_entries = [{"object": object_name, "namespace": namespace, "name": name} for namespace, name in aliases]
    pairs = ((name, by) for name, by in map(split, partition_by) if by is not None)
    computed = [{"object": object_name, "name": name, "by": by} for name, by in pairs]
    value = {term: each for term, each in {"aliases": alias_entries, "partitions": computed}.items() if each}
    return {"customProperties": [{"property": "treaty", "value": value}]} if value else {}


def _property(column: Column, partition_by: Sequence[str] = ()) -> dict[str, Any]:
    entry = {"name": column.name, **_type(column)}
    if not column.nullable:
        entry["required"] = True
    if column.name in partition_by:
        entry |= {"partitioned": True, "partitionKeyPosition": partition_by.index(column.name) + 1}
    return entry


def _type(column: Column) -> dict[str, Any]:
    """Return the keys that declare a type, including struct fields and array elements."""
    entry: dict[str, Any] = {"logicalType": column.logical_type, "physicalType": column.type}
    fields = struct_fields(column.type)
    if fields:
        entry["properties"] = [_property(field) for field in fields]
    element = re.fullmatch(r"array<(.*)>", column.type.strip(), flags=re.DOTALL | re.IGNORECASE)
    if element:
        entry["items"] = _type(Column("", element.group(1)))
    return entry
