"""Convert tables of OpenMetadata into facts. Pure: no requests."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from treaty.registry.catalogs.kinds.answers import distinct, entries, name, part, text, texts
from treaty.registry.catalogs.kinds.spark_types import struct
from treaty.registry.catalogs.model import (
    ColumnFacts,
    ForeignKeyFacts,
    GlossaryTermFacts,
    Identifier,
    PartitionColumn,
    TableFacts,
)
from treaty.registry.catalogs.requests import CatalogRequest, expect, segment
from treaty.registry.datasets.names import LineageName

# The number of parts in the name of a table: service, database, schema, table.
PARTS = 4
NAME_PART = re.compile(r'"((?:[^"]|"")*)"|([^."]+)')
SPARK_TYPES = {
    "LONG": "bigint",
    "BYTEINT": "tinyint",
    "NUMBER": "decimal(38,0)",
    "TIMESTAMPZ": "timestamp",
    "DATETIME": "timestamp_ntz",
    "BYTES": "binary",
    "BYTEA": "binary",
    "VARBINARY": "binary",
    "BLOB": "binary",
    "LONGBLOB": "binary",
    "MEDIUMBLOB": "binary",
    "FIXED": "binary",
    "TEXT": "string",
    "MEDIUMTEXT": "string",
    "NTEXT": "string",
    "CLOB": "string",
    "JSON": "string",
    "ENUM": "string",
    "UUID": "string",
    "NULL": "void",
}
DECIMALS, CHARACTERS = frozenset({"DECIMAL", "NUMERIC"}), frozenset({"CHAR", "VARCHAR"})
STRUCTS = frozenset({"STRUCT", "RECORD"})
NESTED = frozenset({"ARRAY", "MAP", *STRUCTS})
REQUIRED = frozenset({"NOT_NULL", "PRIMARY_KEY"})
UNITS = {"hourly": "hour", "daily": "day", "monthly": "month", "yearly": "year"}


def split_name(qualified: str) -> Identifier:
    """Return the parts of a qualified name; parts with dots are in double quotes."""
    return tuple(quoted.replace('""', '"') or plain for quoted, plain in NAME_PART.findall(qualified))


def join_name(identifier: Identifier) -> str:
    """Return the qualified name of these parts."""
    return ".".join(f'"{each.replace(chr(34), chr(34) * 2)}"' if set('."') & set(each) else each for each in identifier)


def identifier_of(content: Mapping[str, Any], request: CatalogRequest) -> Identifier:
    """Return the parts of a table's name. Raises CatalogAnswerInvalid."""
    identifier = split_name(name(content, request, "fullyQualifiedName"))
    expect(str, min(identifier, key=len, default="") or None, request, "fullyQualifiedName")
    return identifier


def table_facts(content: Mapping[str, Any], request: CatalogRequest, pages: str) -> TableFacts:
    """Return the facts of a table. `pages`: URL of the pages. Raises CatalogAnswerInvalid if it has another form."""
    identifier = identifier_of(content, request)
    columns = entries(content, "columns", request)
    owners = entries(content, "owners", request)
    return TableFacts(
        identifier=identifier,
        location=text(content.get("locationPath")) or None,
        names=_names(identifier),
        columns=tuple(_column(each, request) for each in columns),
        primary_key=next(_primary_keys(content, columns, request), ()),
        foreign_keys=tuple(_foreign_keys(content, request)),
        partition_columns=tuple(_partitioning(content, request)),
        owners=distinct(text(each.get("name")) or text(each.get("fullyQualifiedName")) for each in owners),
        tags=_tags(content, request),
        domain=next(iter(_domains(content, request)), None),
        glossary_terms=tuple(_terms(content, request, pages)),
        description=text(content.get("description")),
        link=f"{pages}/table/{segment(join_name(identifier))}",
    )


def _names(identifier: Identifier) -> tuple[LineageName, ...]:
    """Return the name in lineage: a service stands for the namespace, which its name need not be."""
    return (LineageName(identifier[0], ".".join(identifier[1:])),) if len(identifier) > 1 else ()


def _column(content: Mapping[str, Any], request: CatalogRequest) -> ColumnFacts:
    return ColumnFacts(
        name=name(content, request),
        type=_type(content, request),
        comment=text(content.get("description")),
        required=text(content.get("constraint")) in REQUIRED,
        tags=_tags(content, request),
        fields=tuple(_column(each, request) for each in entries(content, "children", request)),
    )


def _type(content: Mapping[str, Any], request: CatalogRequest) -> str:
    """Return the Spark type, or that of the catalog if Spark has none."""
    kind, spelled = name(content, request, "dataType"), text(content.get("dataTypeDisplay"))
    fields = {name(each, request): _type(each, request) for each in entries(content, "children", request)}
    inner = text(content.get("arrayDataType")) or "STRUCT"
    if fields and (kind in STRUCTS or (kind == "ARRAY" and inner in STRUCTS)):
        return struct(fields) if kind in STRUCTS else f"array<{struct(fields)}>"
    if kind in NESTED and spelled:
        return spelled
    return f"array<{_simple(inner)}>" if kind == "ARRAY" else _sized(kind, content)


def _sized(kind: str, content: Mapping[str, Any]) -> str:
    """Return the type with its length, or its precision and scale."""
    precision, scale, length = (content.get(key) for key in ("precision", "scale", "dataLength"))
    if kind in DECIMALS and isinstance(precision, int):
        return f"decimal({precision},{scale if isinstance(scale, int) else 0})"
    if kind in CHARACTERS:
        return f"{kind.lower()}({length})" if isinstance(length, int) and length > 1 else "string"
    return _simple(kind)


def _simple(kind: str) -> str:
    return SPARK_TYPES.get(kind, kind.lower())


def _tags(content: Mapping[str, Any], request: CatalogRequest) -> dict[str, str | None]:
    """Return the confirmed tags of classifications."""
    return {name(each, request, "tagFQN"): None for each in _labels(content, request) if each["source"] != "Glossary"}


def _terms(content: Mapping[str, Any], request: CatalogRequest, pages: str) -> Iterator[GlossaryTermFacts]:
    for each in _labels(content, request):
        if each["source"] == "Glossary":
            term = name(each, request, "tagFQN")
            yield GlossaryTermFacts(term, f"{pages}/glossary/{segment(term)}")


def _labels(content: Mapping[str, Any], request: CatalogRequest) -> Iterator[dict[str, Any]]:
    """Yield the labels of a table or column, without those that are only suggested."""
    for each in entries(content, "tags", request):
        if each.get("state") != "Suggested":
            yield {**each, "source": text(each.get("source"))}


def _domains(content: Mapping[str, Any], request: CatalogRequest) -> tuple[str, ...]:
    domains = entries(content, "domains", request)
    return distinct(text(each.get("fullyQualifiedName")) or text(each.get("name")) for each in domains)


def _primary_keys(
    content: Mapping[str, Any], columns: list[dict[str, Any]], request: CatalogRequest
) -> Iterator[tuple[str, ...]]:
    """Yield the key of the constraints, then a column that is a key alone."""
    for each in entries(content, "tableConstraints", request):
        if each.get("constraintType") == "PRIMARY_KEY":
            yield texts(each.get("columns"), request, "columns")
    yield from ((name(each, request),) for each in columns if each.get("constraint") == "PRIMARY_KEY")


def _foreign_keys(content: Mapping[str, Any], request: CatalogRequest) -> Iterator[ForeignKeyFacts]:
    """Yield the foreign keys. Columns are referred to by their qualified names."""
    for each in entries(content, "tableConstraints", request):
        referred = [split_name(one) for one in texts(each.get("referredColumns"), request, "referredColumns")]
        if each.get("constraintType") == "FOREIGN_KEY" and referred:
            yield ForeignKeyFacts(
                columns=texts(each.get("columns"), request, "columns"),
                table=referred[0][:PARTS],
                referenced=tuple(".".join(one[PARTS:]) for one in referred),
            )


def _partitioning(content: Mapping[str, Any], request: CatalogRequest) -> Iterator[PartitionColumn]:
    for each in entries(part(content, "tablePartition", request), "columns", request):
        kind, unit = text(each.get("intervalType")), text(each.get("interval")).lower()
        transform = UNITS.get(unit, unit) if kind == "TIME-UNIT" and unit else kind.lower()
        if column := text(each.get("columnName")):
            yield PartitionColumn(column, "identity" if kind in {"", "COLUMN-VALUE"} else transform)


def is_deleted(content: Mapping[str, Any], request: CatalogRequest) -> bool:
    """Return whether the table is only retained to be restored."""
    return expect(bool, content.get("deleted") or False, request, "deleted")
