"""Iceberg tables: what their metadata tell of snapshots, columns and partitions, and the files of a snapshot.

The newest metadata file is read once, as Iceberg's specification describes it, so that all that it tells is of one
moment. Which one is the newest and which files a snapshot has, Iceberg's own metadata tables say, wherever a catalog
keeps them."""

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import pairwise
from typing import Any

from treaty.contracts.document.computed_partitions import split
from treaty.contracts.predicates.parser import quote, quote_path, scalar
from treaty.engine.core.filesystems import is_path, open_filesystem
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources.readers import plain

FORMAT = "iceberg"
# A commit of this kind writes rows anew and changes none.
REPLACE = "replace"
# What a file's entry in a snapshot says of it.
ADDED, DELETED = 1, 2
IDENTITY, DAY = "identity", "day"


@dataclass(frozen=True)
class IcebergMetadata:
    """What a metadata file tells of a table: `document` is the file."""

    document: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The table's own id: one that is made anew in the same place has another."""
        return str(self.document.get("table-uuid", ""))

    @property
    def current(self) -> int | None:
        """The newest snapshot of the main branch; None where nothing was ever written."""
        found = self.document.get("current-snapshot-id")
        return None if found in (None, -1) else int(found)

    @cached_property
    def snapshots(self) -> dict[int, Mapping[str, Any]]:
        """The snapshots that have not expired, by their ids."""
        return {each["snapshot-id"]: each for each in self.document.get("snapshots") or ()}

    def ancestors(self, snapshot: int | None) -> list[int]:
        """The snapshot and those that it was made of, the newest first, as far back as they are known."""
        found: list[int] = []
        while snapshot in self.snapshots and snapshot not in found:
            found.append(snapshot)
            snapshot = self.snapshots[snapshot].get("parent-snapshot-id")
        return found

    def is_rewritten(self, snapshot: int) -> bool:
        """Whether that snapshot was made without any change of rows."""
        return (self.snapshots[snapshot].get("summary") or {}).get("operation") == REPLACE

    @cached_property
    def schemas(self) -> dict[int, Mapping[str, Any]]:
        listed = self.document.get("schemas") or [self.document["schema"]]
        return {each.get("schema-id", 0): each for each in listed}

    @property
    def schema(self) -> int:
        """The id of the schema that the table has now."""
        return int(self.document.get("current-schema-id", max(self.schemas)))

    def schema_of(self, snapshot: int | None) -> int:
        """The id of the schema that a snapshot is read with."""
        told = self.snapshots.get(snapshot or 0, {}).get("schema-id")
        return self.schema if told not in self.schemas else int(told)

    def root(self, schema: int) -> int:
        """The oldest schema from which on columns were only added. What is read of the same files by two schemas of
        one root differs in columns that one of them lacks, and in nothing else."""
        older = sorted((each for each in self.schemas if each <= schema), reverse=True)
        for newer, before in pairwise(older):
            if not _fields(self.schemas[before]) <= _fields(self.schemas[newer]):
                return newer
        return older[-1]

    @cached_property
    def specs(self) -> dict[int, Sequence[Mapping[str, Any]]]:
        """The fields of every way in which the table was ever partitioned, by the id of that."""
        listed = self.document.get("partition-specs")
        return {each["spec-id"]: each["fields"] for each in listed} if listed else {0: self.document["partition-spec"]}

    def parted(self, by: Sequence[str]) -> "IcebergPartition | None":
        """How the table's own partitions tell these; None where they do not."""
        fields = [self._field(word) for word in by]
        known = [each for each in fields if each is not None]
        if not known or len(known) < len(fields):
            return None
        wanted = {_identity(each) for each in known}
        specs = (id for id, fields in self.specs.items() if wanted <= {_identity(each) for each in fields})
        return IcebergPartition(tuple(each["name"] for each in known), frozenset(specs))

    def _field(self, word: str) -> Mapping[str, Any] | None:
        """The field of the partitioning in force that has the values of that partition column."""
        columns = {each["id"]: each["name"] for each in self.schemas[self.schema]["fields"]}
        fields = self.specs[int(self.document.get("default-spec-id", max(self.specs)))]
        named = ((each, columns.get(each.get("source-id"))) for each in fields)
        return next((each for each, column in named if column and _tells(each["transform"], column, word)), None)


@dataclass(frozen=True)
class IcebergPartition:
    """`fields` of a file's partition, in the order of the partition columns; `specs` are the ids of the partitionings
    that have them: the files of others tell nothing."""

    fields: tuple[str, ...]
    specs: frozenset[int]

    def keys(self, partition: str) -> list[str]:
        """The SQL of the values, as those of rows are written."""
        return [f"nullif(cast({partition}.{quote(each)} as string), '')" for each in self.fields]


def _tells(transform: str, column: str, word: str) -> bool:
    """Whether the transform of the column has the values of that partition column: those of a day are dates in UTC, as
    Spark computes them here."""
    name, by = split(word)
    if by is None:
        return transform == IDENTITY and name == column
    return transform == DAY and scalar(by).sql == scalar(f"to_date({quote(column)})").sql


def _identity(field: Mapping[str, Any]) -> tuple[Any, ...]:
    return field.get("source-id"), field["transform"], field.get("field-id")


def _fields(schema: Mapping[str, Any]) -> set[str]:
    """Each column by all that decides what is read of it."""
    kept = ("id", "name", "type", "initial-default")
    return {json.dumps({key: each.get(key) for key in kept}, sort_keys=True) for each in schema["fields"]}


def metadata(session: Any, source: TableSource) -> IcebergMetadata:
    """What the table's newest metadata tell. Raises what Spark, and the place where the file lies, raise."""
    if not is_path(source.location):
        session.catalog.refreshTable(quote_path(source.location))
    newest = plain(_table(session, source, "metadata_log_entries").collect()[-1]["file"])
    filesystem, path = open_filesystem(newest)
    with filesystem.open_input_file(path) as file:
        text = file.read()
    return IcebergMetadata(json.loads(gzip.decompress(text) if ".gz." in newest else text))


def fingerprints(
    session: Any, source: TableSource, parted: IcebergPartition | None, root: int
) -> dict[str, str] | None:
    """The fingerprint of every partition in the source's version, one for the key "" where they are not told apart: of
    the names of its data and delete files, which Iceberg gives but once, and of the schema's root.

    None where there are files that do not tell their partition."""
    from pyspark.sql import functions

    files = _table(session, source, "files")
    keys = [f"{key} as p{at}" for at, key in enumerate(parted.keys("partition"))] if parted else []
    named = files.selectExpr(*keys, "spec_id", "xxhash64(content, file_path) as h")
    counts = functions.expr("count(1) as n"), functions.expr("sum(cast(h as decimal(38, 0))) as h")
    rows = named.groupBy(*named.columns[:-1]).agg(*counts).collect()
    if parted and not {row["spec_id"] for row in rows} <= parted.specs:
        return None
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(_name(source, parted, row), []).append(f"{row['spec_id']} {row['n']} {row['h']}")
    return {name: _hash([str(root), *sorted(lines)]) for name, lines in found.items()}


def touched(
    session: Any, source: TableSource, snapshots: Sequence[int], parted: IcebergPartition | None
) -> frozenset[str] | None:
    """The partitions of which files came or went with these snapshots; None where files do not tell theirs."""
    if not snapshots:
        return frozenset()
    made = f"snapshot_id in ({', '.join(map(str, snapshots))}) and status in ({ADDED}, {DELETED})"
    keys = [f"{key} as p{at}" for at, key in enumerate(parted.keys("data_file.partition"))] if parted else []
    entries = _table(session, source, "all_entries").where(made)
    rows = entries.selectExpr(*keys, "data_file.spec_id as spec_id").distinct().collect()
    if parted and not {row["spec_id"] for row in rows} <= parted.specs:
        return None
    return frozenset(_name(source, parted, row) for row in rows)


def _name(source: TableSource, parted: IcebergPartition | None, row: Any) -> str:
    if parted is None:
        return ""
    return partition_names.name(source.partition_by, [row[f"p{at}"] for at in range(len(parted.fields))])


def _table(session: Any, source: TableSource, what: str) -> Any:
    """A metadata table, of the source's version where it names one."""
    reader = session.read if source.version is None else session.read.option("versionAsOf", source.version)
    if is_path(source.location):
        return reader.format(FORMAT).load(f"{plain(source.location)}#{what}")
    return reader.table(f"{quote_path(source.location)}.{what}")


def _hash(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:32]
