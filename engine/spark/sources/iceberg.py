"""Read Iceberg metadata: snapshots, columns, partitions and the files of a snapshot.

The newest metadata file is read once, as Iceberg's specification describes it, so that everything is of one moment.
Iceberg's own metadata tables provide its location and the files of a snapshot, whatever the catalog."""

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
from treaty.engine.core.filesystems import is_path, open_filesystem, plain
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources.allowed_files import check_files
from treaty.engine.spark.sources.iceberg_tables import metadata_table

# The operation of a commit that rewrites rows without changing them.
REPLACE = "replace"
# Status of a file's entry in a snapshot.
ADDED, DELETED = 1, 2
IDENTITY, DAY = "identity", "day"


@dataclass(frozen=True)
class IcebergMetadata:
    """The contents of a table's metadata file. `document`: the parsed file."""

    document: Mapping[str, Any]

    @property
    def id(self) -> str:
        """Return the table's own id; a table recreated at the same location has another."""
        return str(self.document.get("table-uuid", ""))

    @property
    def current(self) -> int | None:
        """Return the newest snapshot of the main branch; None if the table was never written."""
        snapshot = self.document.get("current-snapshot-id")
        return None if snapshot in (None, -1) else int(snapshot)

    @cached_property
    def snapshots(self) -> dict[int, Mapping[str, Any]]:
        """Return the snapshots that have not expired, by id."""
        return {each["snapshot-id"]: each for each in self.document.get("snapshots") or ()}

    def ancestors(self, snapshot: int | None) -> list[int]:
        """Return the snapshot and its known ancestors, newest first."""
        chain: list[int] = []
        while snapshot in self.snapshots and snapshot not in chain:
            chain.append(snapshot)
            snapshot = self.snapshots[snapshot].get("parent-snapshot-id")
        return chain

    def is_rewritten(self, snapshot: int) -> bool:
        """Return True if the snapshot changed no rows."""
        return (self.snapshots[snapshot].get("summary") or {}).get("operation") == REPLACE

    @cached_property
    def schemas(self) -> dict[int, Mapping[str, Any]]:
        documents = self.document.get("schemas") or [self.document["schema"]]
        return {each.get("schema-id", 0): each for each in documents}

    @property
    def schema(self) -> int:
        """Return the id of the table's current schema."""
        return int(self.document.get("current-schema-id", max(self.schemas)))

    def schema_of(self, snapshot: int | None) -> int:
        """Return the id of the schema that a snapshot is read with."""
        schema = self.snapshots.get(snapshot or 0, {}).get("schema-id")
        return self.schema if schema not in self.schemas else int(schema)

    def root(self, schema: int) -> int:
        """Return the oldest schema since which columns were only added.

        Two schemas of one root read the same rows from a file, except for columns that one of them lacks."""
        older = sorted((each for each in self.schemas if each <= schema), reverse=True)
        for newer, before in pairwise(older):
            if not _fields(self.schemas[before]) <= _fields(self.schemas[newer]):
                return newer
        return older[-1]

    @cached_property
    def specs(self) -> dict[int, Sequence[Mapping[str, Any]]]:
        """Return the fields of every partition spec the table has ever had, by spec id."""
        documents = self.document.get("partition-specs")
        return (
            {each["spec-id"]: each["fields"] for each in documents}
            if documents
            else {0: self.document["partition-spec"]}
        )

    def parted(self, by: Sequence[str]) -> "IcebergPartition | None":
        """Map partition columns to the table's own partition fields; None if they do not match."""
        fields = [self._field(word) for word in by]
        matching = [each for each in fields if each is not None]
        if not matching or len(matching) < len(fields):
            return None
        identities = {_identity(each) for each in matching}
        specs = (id for id, fields in self.specs.items() if identities <= {_identity(each) for each in fields})
        return IcebergPartition(tuple(each["name"] for each in matching), frozenset(specs))

    def _field(self, word: str) -> Mapping[str, Any] | None:
        """Return the current partition field that has the values of a partition column."""
        columns = {each["id"]: each["name"] for each in self.schemas[self.schema]["fields"]}
        fields = self.specs[int(self.document.get("default-spec-id", max(self.specs)))]
        named = ((each, columns.get(each.get("source-id"))) for each in fields)
        return next((each for each, column in named if column and _tells(each["transform"], column, word)), None)


@dataclass(frozen=True)
class IcebergPartition:
    """Fields of a file's partition, in the order of the partition columns.

    `specs`: ids of the partition specs that have these fields; files of other specs do not show their partition."""

    fields: tuple[str, ...]
    specs: frozenset[int]

    def keys(self, partition: str) -> list[str]:
        """Return the SQL of the partition values, written as those of rows are."""
        return [f"nullif(cast({partition}.{quote(each)} as string), '')" for each in self.fields]


def _tells(transform: str, column: str, word: str) -> bool:
    """Return True if the column's transform has the values of the partition column.

    The values of `day` are dates in UTC, as Spark computes them here."""
    name, by = split(word)
    if by is None:
        return transform == IDENTITY and name == column
    return transform == DAY and scalar(by).sql == scalar(f"to_date({quote(column)})").sql


def _identity(field: Mapping[str, Any]) -> tuple[Any, ...]:
    return field.get("source-id"), field["transform"], field.get("field-id")


def _fields(schema: Mapping[str, Any]) -> set[str]:
    """Return each column as a text of all properties that decide how it is read."""
    properties = ("id", "name", "type", "initial-default")
    return {json.dumps({key: each.get(key) for key in properties}, sort_keys=True) for each in schema["fields"]}


def metadata(session: Any, source: TableSource) -> IcebergMetadata:
    """Read the table's newest metadata. Raises errors of Spark and of the file's storage."""
    if not is_path(source.location):
        session.catalog.refreshTable(quote_path(source.location))
    newest = plain(metadata_table(session, source, "metadata_log_entries").collect()[-1]["file"])
    check_files(source, [newest])
    filesystem, path = open_filesystem(newest)
    with filesystem.open_input_file(path) as file:
        text = file.read()
    return IcebergMetadata(json.loads(gzip.decompress(text) if ".gz." in newest else text))


def fingerprints(
    session: Any, source: TableSource, parted: IcebergPartition | None, root: int
) -> dict[str, str] | None:
    """Return the fingerprint by partition in the source's version; one under the key "" without partitions.

    Computed from the names of data and delete files, which Iceberg never reuses, and the schema's root. None if some
    files do not show their partition."""
    from pyspark.sql import functions

    files = metadata_table(session, source, "files")
    keys = [f"{key} as p{at}" for at, key in enumerate(parted.keys("partition"))] if parted else []
    named = files.selectExpr(*keys, "spec_id", "xxhash64(content, file_path) as h")
    counts = functions.expr("count(1) as n"), functions.expr("sum(cast(h as decimal(38, 0))) as h")
    rows = named.groupBy(*named.columns[:-1]).agg(*counts).collect()
    if parted and not {row["spec_id"] for row in rows} <= parted.specs:
        return None
    lines_by_partition: dict[str, list[str]] = {}
    for row in rows:
        lines_by_partition.setdefault(_name(source, parted, row), []).append(f"{row['spec_id']} {row['n']} {row['h']}")
    return {name: _hash([str(root), *sorted(lines)]) for name, lines in lines_by_partition.items()}


def touched(
    session: Any, source: TableSource, snapshots: Sequence[int], parted: IcebergPartition | None
) -> frozenset[str] | None:
    """Return the partitions whose files the snapshots added or removed; None if files do not show them."""
    if not snapshots:
        return frozenset()
    condition = f"snapshot_id in ({', '.join(map(str, snapshots))}) and status in ({ADDED}, {DELETED})"
    keys = [f"{key} as p{at}" for at, key in enumerate(parted.keys("data_file.partition"))] if parted else []
    entries = metadata_table(session, source, "all_entries").where(condition)
    rows = entries.selectExpr(*keys, "data_file.spec_id as spec_id").distinct().collect()
    if parted and not {row["spec_id"] for row in rows} <= parted.specs:
        return None
    return frozenset(_name(source, parted, row) for row in rows)


def _name(source: TableSource, parted: IcebergPartition | None, row: Any) -> str:
    if parted is None:
        return ""
    return partition_names.name(source.partition_by, [row[f"p{at}"] for at in range(len(parted.fields))])


def _hash(lines: Sequence[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:32]
