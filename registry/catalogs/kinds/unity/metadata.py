"""Convert tables of Unity Catalog into facts. Pure: no requests."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import Any

from treaty.registry.catalogs.errors import CatalogAnswerInvalid
from treaty.registry.catalogs.kinds.answers import entries, name, own_properties, part, text, texts
from treaty.registry.catalogs.kinds.spark_types import json_fields, json_type, spark_name
from treaty.registry.catalogs.model import ColumnFacts, ForeignKeyFacts, Identifier, PartitionColumn, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest, expect
from treaty.registry.core import json_text
from treaty.registry.core.json_text import JsonTooComplex

Tags = Mapping[str, str | None]


@dataclass(frozen=True)
class TableTags:
    """Tags of a table and of its columns, by name of the column."""

    table: Tags = field(default_factory=dict)
    columns: Mapping[str, Tags] = field(default_factory=dict)


def identifier_of(content: Mapping[str, Any], request: CatalogRequest) -> Identifier:
    """Return the parts of a table's name. Raises CatalogAnswerInvalid."""
    return tuple(name(content, request, key) for key in ("catalog_name", "schema_name", "name"))


def table_facts(content: Mapping[str, Any], request: CatalogRequest, tags: TableTags | None = None) -> TableFacts:
    """Return the facts of a table. Raises CatalogAnswerInvalid if it has another form."""
    tags = tags or TableTags()
    columns = entries(content, "columns", request)
    constraints = entries(content, "table_constraints", request)
    owner = text(content.get("owner"))
    return TableFacts(
        identifier=identifier_of(content, request),
        location=text(content.get("storage_location")) or None,
        columns=tuple(_column(each, request, tags) for each in sorted(columns, key=_position)),
        primary_key=next(_primary_keys(constraints, request), ()),
        foreign_keys=tuple(_foreign_keys(constraints, request)),
        partition_columns=tuple(_partitioning(columns, request)),
        owners=(owner,) if owner else (),
        tags=dict(tags.table),
        description=text(content.get("comment")),
        properties=own_properties(part(content, "properties", request)),
    )


def _column(content: Mapping[str, Any], request: CatalogRequest, tags: TableTags) -> ColumnFacts:
    column = name(content, request)
    kind, fields = _type(content, request)
    return ColumnFacts(
        name=column,
        type=kind,
        comment=text(content.get("comment")),
        required=content.get("nullable") is False,
        tags=dict(tags.columns.get(column, {})),
        fields=fields,
    )


def _type(content: Mapping[str, Any], request: CatalogRequest) -> tuple[str, tuple[ColumnFacts, ...]]:
    """Return the Spark type and the nested columns: of the JSON of the type, else of its text.

    Any client may have written that JSON, so that it is not relied on."""
    try:
        kind = _spark_json(text(content.get("type_json")))
        return json_type(kind, request), json_fields(kind, request)
    except (CatalogAnswerInvalid, JSONDecodeError, JsonTooComplex, ValueError):
        spelled = text(content.get("type_text")) or text(content.get("type_name"))
        return spark_name(spelled.lower() if spelled.isalnum() else spelled), ()


def _spark_json(written: str) -> Any:
    """Return the type in the JSON of a type or of a field."""
    kind = json_text.decode(written.encode())
    return kind["type"] if isinstance(kind, dict) and "name" in kind else kind


def _primary_keys(constraints: list[dict[str, Any]], request: CatalogRequest) -> Iterator[tuple[str, ...]]:
    for each in constraints:
        if key := part(each, "primary_key_constraint", request):
            yield texts(key.get("child_columns"), request, "child_columns")


def _foreign_keys(constraints: list[dict[str, Any]], request: CatalogRequest) -> Iterator[ForeignKeyFacts]:
    for each in constraints:
        if key := part(each, "foreign_key_constraint", request):
            yield ForeignKeyFacts(
                columns=texts(key.get("child_columns"), request, "child_columns"),
                table=tuple(name(key, request, "parent_table").split(".")),
                referenced=texts(key.get("parent_columns"), request, "parent_columns"),
            )


def _partitioning(columns: list[dict[str, Any]], request: CatalogRequest) -> Iterator[PartitionColumn]:
    partitioned = [each for each in columns if each.get("partition_index") is not None]
    for each in sorted(partitioned, key=lambda one: expect(int, one["partition_index"], request, "partition_index")):
        yield PartitionColumn(name(each, request))


def _position(content: Mapping[str, Any]) -> int:
    position = content.get("position")
    return position if isinstance(position, int) else 0
