"""Convert types that are written as JSON into Spark types and nested columns. Pure: no requests."""

from collections.abc import Callable, Mapping
from typing import Any

from treaty.contracts.quoting import quote
from treaty.registry.catalogs.kinds.answers import entries, name, part, text
from treaty.registry.catalogs.model import ColumnFacts
from treaty.registry.catalogs.requests import CatalogRequest, expect

# Names of types in Spark's own JSON.
SPARK_NAMES = {"long": "bigint", "integer": "int", "short": "smallint", "byte": "tinyint", "null": "void"}
Primitive = Callable[[str], str]
NESTED = ("elementType", "valueType")


def quoted(field: str) -> str:
    """Return the name of a field as in a Spark type."""
    return field if field.replace("_", "a").isalnum() else quote(field)


def struct(fields: Mapping[str, str]) -> str:
    """Return the type of a struct. `fields`: types by name."""
    return f"struct<{','.join(f'{quoted(field)}:{kind}' for field, kind in fields.items())}>"


def spark_name(kind: str) -> str:
    """Return the Spark name of a primitive type of Spark's JSON."""
    return SPARK_NAMES.get(kind, kind.replace(", ", ","))


def json_type(kind: Any, request: CatalogRequest, primitive: Primitive = spark_name) -> str:
    """Return the Spark type of a JSON type. Raises CatalogAnswerInvalid if it is none."""
    if isinstance(kind, str):
        return primitive(kind)
    content = expect(dict, kind, request, "the type of a field")
    match content.get("type"):
        case "struct":
            fields = entries(content, "fields", request)
            return struct({name(each, request): json_type(each.get("type"), request, primitive) for each in fields})
        case "array" | "list":
            return f"array<{json_type(content.get('elementType'), request, primitive)}>"
        case "map":
            parts = (json_type(content.get(key), request, primitive) for key in ("keyType", "valueType"))
            return f"map<{','.join(parts)}>"
        case "udt":
            return json_type(content.get("sqlType"), request, primitive)
    return _other(content, request, primitive)


def json_fields(kind: Any, request: CatalogRequest, primitive: Primitive = spark_name) -> tuple[ColumnFacts, ...]:
    """Return the fields of a struct, or of the structs in an array or map."""
    if not isinstance(kind, dict):
        return ()
    if kind.get("type") == "struct":
        return tuple(_field(each, request, primitive) for each in entries(kind, "fields", request))
    return next((json_fields(kind[key], request, primitive) for key in NESTED if key in kind), ())


def _field(content: Mapping[str, Any], request: CatalogRequest, primitive: Primitive) -> ColumnFacts:
    return ColumnFacts(
        name=name(content, request),
        type=json_type(content.get("type"), request, primitive),
        comment=text(content.get("comment")) or text(part(content, "metadata", request).get("comment")),
        required=content.get("nullable") is False,
        fields=json_fields(content.get("type"), request, primitive),
    )


def _other(content: Mapping[str, Any], request: CatalogRequest, primitive: Primitive) -> str:
    """Return a type that Spark does not have: as the catalog spells it."""
    if content.get("type") == "union":
        kinds = expect(list, content.get("types") or [], request, "types")
        return f"union<{','.join(json_type(each, request, primitive) for each in kinds)}>"
    spelled = text(content.get("catalogString")) or text(content.get("unparsedType"))
    return spelled or expect(str, content.get("type"), request, "the type of a field")
