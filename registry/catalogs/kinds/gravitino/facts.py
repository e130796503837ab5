"""Convert tables of Gravitino into facts. Pure: no requests."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from treaty.registry.catalogs.kinds.answers import entries, name, own_properties, part, text, texts
from treaty.registry.catalogs.kinds.spark_types import json_fields, json_type
from treaty.registry.catalogs.model import ColumnFacts, Identifier, PartitionColumn, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest, expect
from treaty.registry.datasets.names import LineageName

Tags = dict[str, str | None]
SIZED = re.compile(r"(\w+)\(([\d, ]+)\)")
SPARK_TYPES = {
    "byte": "tinyint",
    "short": "smallint",
    "integer": "int",
    "long": "bigint",
    "byte unsigned": "smallint",
    "short unsigned": "int",
    "integer unsigned": "bigint",
    "long unsigned": "decimal(20,0)",
    "timestamp": "timestamp_ntz",
    "timestamp_tz": "timestamp",
    "interval_year": "interval year to month",
    "interval_day": "interval day to second",
    "fixed": "binary",
    "uuid": "string",
    "null": "void",
}
# Types whose size is part of the Spark type.
WITH_SIZE = frozenset({"decimal", "char", "varchar"})


@dataclass(frozen=True)
class TagIndex:
    """Tags of a metalake by the dotted name of a catalog, schema, table or column."""

    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def of_table(self, identifier: Identifier) -> Tags:
        """Return the tags of a table, with those of its schema and catalog."""
        names = (".".join(identifier[:length]) for length in range(1, len(identifier) + 1))
        return {tag: None for each in names for tag in self.tags.get(each, ())}

    def of_column(self, identifier: Identifier, column: str) -> Tags:
        """Return the tags of a column itself."""
        return dict.fromkeys(self.tags.get(".".join((*identifier, column)), ()))


def table_facts(
    identifier: Identifier, content: Mapping[str, Any], request: CatalogRequest, tags: TagIndex, owners: tuple[str, ...]
) -> TableFacts:
    """Return the facts of a table. `identifier`: begins with the metalake. Raises CatalogAnswerInvalid."""
    metalake, *names = identifier
    properties = part(content, "properties", request)
    within = tuple(names)
    return TableFacts(
        identifier=identifier,
        location=text(properties.get("location")) or None,
        # The lineage plug-in of Gravitino names the metalake as the namespace.
        names=(LineageName(metalake, ".".join(names)),),
        columns=tuple(
            _column(each, request, tags.of_column(within, text(each.get("name"))))
            for each in _columns(content, request)
        ),
        primary_key=next(_primary_keys(content, request), ()),
        partition_columns=tuple(_partitioning(content, request)),
        owners=owners,
        tags=tags.of_table(within),
        description=text(content.get("comment")),
        properties=own_properties(properties),
    )


def spark_name(kind: str) -> str:
    """Return the Spark type of a primitive type; that of the catalog if Spark has none."""
    kind = kind.lower()
    sized = SIZED.fullmatch(kind)
    if sized and sized[1] in WITH_SIZE:
        return kind.replace(" ", "")
    base = sized[1] if sized else kind
    return SPARK_TYPES.get(base, base if base != "time" else kind)


def _columns(content: Mapping[str, Any], request: CatalogRequest) -> list[dict[str, Any]]:
    return entries(content, "columns", request)


def _column(content: Mapping[str, Any], request: CatalogRequest, tags: Tags) -> ColumnFacts:
    kind = content.get("type")
    return ColumnFacts(
        name=name(content, request),
        type=json_type(kind, request, spark_name),
        comment=text(content.get("comment")),
        required=content.get("nullable") is False,
        tags=tags,
        fields=json_fields(kind, request, spark_name),
    )


def _primary_keys(content: Mapping[str, Any], request: CatalogRequest) -> Iterator[tuple[str, ...]]:
    for each in entries(content, "indexes", request):
        if text(each.get("indexType")).upper() == "PRIMARY_KEY":
            paths = expect(list, each.get("fieldNames") or [], request, "fieldNames")
            yield tuple(_path(path, request) for path in paths)


def _partitioning(content: Mapping[str, Any], request: CatalogRequest) -> Iterator[PartitionColumn]:
    """Yield the columns of each partitioning, with its transform as Iceberg writes it."""
    for each in entries(content, "partitioning", request):
        for path in _partitioned(each, request):
            yield PartitionColumn(_path(path, request), _transform(each))


def _partitioned(content: Mapping[str, Any], request: CatalogRequest) -> list[Any]:
    """Return the paths of the columns: of one, of several, or of the arguments of a function."""
    if content.get("strategy") == "function":
        arguments = entries(content, "funcArgs", request)
        return [each["fieldName"] for each in arguments if each.get("fieldName")]
    if "fieldNames" in content:
        return expect(list, content["fieldNames"], request, "fieldNames")
    return [content.get("fieldName")]


def _transform(content: Mapping[str, Any]) -> str:
    strategy = text(content.get("strategy")).lower() or "identity"
    size = content.get("numBuckets", content.get("width"))
    if strategy == "function":
        return text(content.get("funcName")) or strategy
    return f"{strategy}[{size}]" if isinstance(size, int) else strategy


def _path(value: Any, request: CatalogRequest) -> str:
    return ".".join(texts(value, request, "the name of a column"))
