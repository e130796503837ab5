"""Convert the schema of a dataset in DataHub into columns and keys. Pure: no requests."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from treaty.registry.catalogs.bounds import DEEPEST
from treaty.registry.catalogs.kinds.answers import entries, name, part, text, texts
from treaty.registry.catalogs.kinds.datahub.names import Labels, field_of, label, plain_path
from treaty.registry.catalogs.kinds.spark_types import spark_name
from treaty.registry.catalogs.model import ColumnFacts, ForeignKeyFacts, PartitionColumn
from treaty.registry.catalogs.requests import CatalogRequest

Content = Mapping[str, Any]
Tags = dict[str, str | None]


@dataclass(frozen=True)
class DatasetSchema:
    """The schema of a dataset, and what people wrote over it. `labels`: names by URN."""

    schema: Content
    edited: Content
    labels: Labels
    request: CatalogRequest

    def columns(self) -> tuple[ColumnFacts, ...]:
        """Return the columns. A field whose path begins with that of another is nested in it."""
        edits = {plain_path(name(each, self.request, "fieldPath")): each for each in self._edits()}
        fields = {path: self._column(each, edits.get(path, {})) for path, each in self._fields()}
        inner: dict[str, list[str]] = {}
        for path in fields:
            inner.setdefault(_parent(path, fields), []).append(path)
        return _nested("", inner, fields)

    def primary_key(self) -> tuple[str, ...]:
        """Return the columns of the key: as declared, else those that are marked as part of it."""
        declared = texts(self.schema.get("primaryKeys"), self.request, "primaryKeys")
        marked = (path for path, each in self._fields() if each.get("isPartOfKey") is True)
        return tuple(map(plain_path, declared)) or tuple(marked)

    def partition_columns(self) -> tuple[PartitionColumn, ...]:
        """Return the columns that are marked as partitioning."""
        return tuple(PartitionColumn(path) for path, each in self._fields() if each.get("isPartitioningKey") is True)

    def foreign_keys(self) -> Iterator[ForeignKeyFacts]:
        """Yield the foreign keys whose columns can be read."""
        for each in entries(self.schema, "foreignKeys", self.request):
            sources = self._referred(each, "sourceFields")
            targets = self._referred(each, "foreignFields")
            if sources and targets:
                columns, referenced = (tuple(path for _, path in side) for side in (sources, targets))
                yield ForeignKeyFacts(columns=columns, table=targets[0][0], referenced=referenced)

    def _fields(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the fields with their paths, the first of each path."""
        paths: set[str] = set()
        for each in entries(self.schema, "fields", self.request):
            path = plain_path(name(each, self.request, "fieldPath"))
            if path and path not in paths and path.count(".") <= DEEPEST:
                paths.add(path)
                yield path, each

    def _edits(self) -> list[dict[str, Any]]:
        return entries(self.edited, "editableSchemaFieldInfo", self.request)

    def _column(self, content: Content, edit: Content) -> ColumnFacts:
        kind = text(content.get("nativeDataType"))
        return ColumnFacts(
            name=plain_path(name(content, self.request, "fieldPath")),
            type=spark_name(kind.lower() if kind.isalnum() else kind),
            comment=text(edit.get("description")) or text(content.get("description")),
            required=content.get("nullable") is False,
            tags=tag_names(content, self.labels, self.request) | tag_names(edit, self.labels, self.request),
        )

    def _referred(self, content: Content, key: str) -> Sequence[Any]:
        return [field for urn in texts(content.get(key), self.request, key) if (field := field_of(urn))]


def tag_names(content: Content, labels: Labels, request: CatalogRequest) -> Tags:
    """Return the names of the tags of a dataset or field."""
    tags = entries(part(content, "globalTags", request), "tags", request)
    return {label(name(each, request, "tag"), labels): None for each in tags}


def _parent(path: str, fields: Mapping[str, ColumnFacts]) -> str:
    """Return the longest path that contains this one; '' for a column of the table."""
    while path:
        path = path.rpartition(".")[0]
        if path in fields:
            return path
    return ""


def _nested(above: str, inner: Mapping[str, list[str]], fields: Mapping[str, ColumnFacts]) -> tuple[ColumnFacts, ...]:
    """Return the columns within one, each with those within it."""
    prefix = f"{above}." if above else ""
    return tuple(
        replace(fields[path], name=path.removeprefix(prefix), fields=_nested(path, inner, fields))
        for path in inner.get(above, ())
    )
