"""Convert the metadata of an Iceberg table into facts. Pure: no requests."""

from collections.abc import Iterator, Mapping
from typing import Any

from treaty.contracts.quoting import quote
from treaty.registry.catalogs.model import OWN_PREFIX, ColumnFacts, Identifier, PartitionColumn, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest, expect

SPARK_TYPES = {
    "long": "bigint",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "uuid": "string",
    "unknown": "void",
}
Fields = dict[int, str]


def table_facts(identifier: Identifier, content: Mapping[str, Any], request: CatalogRequest) -> TableFacts:
    """Return the facts of a loaded table. Raises CatalogAnswerInvalid if the metadata has another form."""
    metadata = expect(dict, content.get("metadata"), request, "metadata")
    schema = _schema(metadata, request)
    fields = _fields(schema, request)
    names = dict(_names(fields, request))
    properties = expect(dict, metadata.get("properties") or {}, request, "properties")
    keys = expect(list, schema.get("identifier-field-ids") or [], request, "identifier-field-ids")
    return TableFacts(
        identifier=identifier,
        location=_text(metadata.get("location")) or None,
        columns=tuple(_column(each, request) for each in fields),
        primary_key=tuple(names[each] for each in keys if isinstance(each, int) and each in names),
        partition_columns=tuple(_partitioning(metadata, names, request)),
        owners=tuple(filter(None, (_text(properties.get("owner")),))),
        description=_text(properties.get("comment")),
        properties={name: _text(value) for name, value in properties.items() if name.startswith(OWN_PREFIX)},
    )


def _schema(metadata: Mapping[str, Any], request: CatalogRequest) -> dict[str, Any]:
    """Return the current schema; the first version of the format has only one."""
    schemas = expect(list, metadata.get("schemas") or [metadata.get("schema")], request, "schemas")
    current = metadata.get("current-schema-id", 0)
    current_schemas = [each for each in schemas if isinstance(each, dict) and each.get("schema-id", current) == current]
    return expect(dict, next(iter(current_schemas), None), request, "the current schema")


def _fields(struct: Mapping[str, Any], request: CatalogRequest) -> list[dict[str, Any]]:
    fields = expect(list, struct.get("fields"), request, "fields")
    return [expect(dict, each, request, "a field") for each in fields]


def _names(fields: list[dict[str, Any]], request: CatalogRequest, above: str = "") -> Iterator[tuple[int, str]]:
    """Yield the id and the path of each field, also of those within structs."""
    for each in fields:
        path = above + _quoted(expect(str, each.get("name"), request, "the name of a field"))
        yield expect(int, each.get("id"), request, "the id of a field"), path
        if isinstance(each.get("type"), dict) and each["type"].get("type") == "struct":
            yield from _names(_fields(each["type"], request), request, f"{path}.")


def _column(content: Mapping[str, Any], request: CatalogRequest) -> ColumnFacts:
    kind = content.get("type")
    return ColumnFacts(
        name=expect(str, content.get("name"), request, "the name of a field"),
        type=_type(kind, request),
        comment=_text(content.get("doc")),
        required=content.get("required") is True,
        fields=tuple(_column(each, request) for each in _inner(kind, request)),
    )


def _inner(kind: Any, request: CatalogRequest) -> list[dict[str, Any]]:
    """Return the fields of a struct, or of the structs in a list or map."""
    if not isinstance(kind, dict):
        return []
    if kind.get("type") == "struct":
        return _fields(kind, request)
    return _inner(kind.get("element", kind.get("value")), request)


def _type(kind: Any, request: CatalogRequest) -> str:
    """Return the Spark type, or that of the catalog if Spark has none."""
    if isinstance(kind, str):
        text = SPARK_TYPES.get(kind, kind).replace(", ", ",")
        return "binary" if text.startswith("fixed[") else text
    content = expect(dict, kind, request, "the type of a field")
    match content.get("type"):
        case "struct":
            fields = ((each.get("name"), _type(each.get("type"), request)) for each in _fields(content, request))
            return f"struct<{','.join(f'{_quoted(_text(name))}:{inner}' for name, inner in fields)}>"
        case "list":
            return f"array<{_type(content.get('element'), request)}>"
        case "map":
            return f"map<{_type(content.get('key'), request)},{_type(content.get('value'), request)}>"
    return expect(str, content.get("type"), request, "the type of a field")


def _partitioning(metadata: Mapping[str, Any], names: Fields, request: CatalogRequest) -> Iterator[PartitionColumn]:
    """Yield the columns of the default partition spec, without those that were removed from it."""
    default = metadata.get("default-spec-id", 0)
    only = {"spec-id": default, "fields": metadata.get("partition-spec") or []}
    specs = expect(list, metadata.get("partition-specs") or [only], request, "partition-specs")
    fields = [_fields(each, request) for each in specs if isinstance(each, dict) and each.get("spec-id") == default]
    for each in (field for spec in fields for field in spec):
        source, transform = each.get("source-id"), _text(each.get("transform"))
        if isinstance(source, int) and source in names and transform != "void":
            yield PartitionColumn(names[source], transform)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _quoted(name: str) -> str:
    return name if name.replace("_", "a").isalnum() else quote(name)
