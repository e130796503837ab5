"""The base document of a table: its schema as found, and no promise yet."""

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
    """The ODCS 3.1.0 document of one table, version 1.0.0 and in draft; `aliases` are its (namespace, name) pairs.

    Columns are named as they stand, whatever their names: reading the document says what is wrong with them."""
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
    known = [{"object": object_name, "namespace": namespace, "name": name} for namespace, name in aliases]
    pairs = ((name, by) for name, by in map(split, partition_by) if by is not None)
    computed = [{"object": object_name, "name": name, "by": by} for name, by in pairs]
    value = {term: each for term, each in {"aliases": known, "partitions": computed}.items() if each}
    return {"customProperties": [{"property": "treaty", "value": value}]} if value else {}


def _property(column: Column, partition_by: Sequence[str] = ()) -> dict[str, Any]:
    found = {"name": column.name, **_type(column)}
    if not column.nullable:
        found["required"] = True
    if column.name in partition_by:
        found |= {"partitioned": True, "partitionKeyPosition": partition_by.index(column.name) + 1}
    return found


def _type(column: Column) -> dict[str, Any]:
    """The keys that say a type: of a struct with its fields, of an array with its element."""
    found: dict[str, Any] = {"logicalType": column.logical_type, "physicalType": column.type}
    fields = struct_fields(column.type)
    if fields:
        found["properties"] = [_property(field) for field in fields]
    element = re.fullmatch(r"array<(.*)>", column.type.strip(), flags=re.DOTALL | re.IGNORECASE)
    if element:
        found["items"] = _type(Column("", element.group(1)))
    return found
