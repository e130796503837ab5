"""Read Delta tables at a version and replace their partitions in one commit.

Everything uses Delta's own readers, writers and history; the log is not read here.

A partition's fingerprint is that of its data files at the version, whose names Delta never reuses. Two things change
rows while files stay: a deletion vector marks rows of a file as deleted, and columns may be renamed or dropped. In
tables that can do so, every fingerprint includes the newest commit that may have done it: all partitions then count as
changed, more than necessary, never fewer. A commit that rewrites files without changing rows (OPTIMIZE) changes the
fingerprints of the rewritten partitions: they are read again."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from treaty.contracts.predicates.parser import literal, quote
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import open_filesystem, plain
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.gate_requests import (
    LOG,
    CommitRequest,
    FenceRequest,
    TableKind,
    TableStatus,
    TableStatusRequest,
)
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.process.errors import safe_message
from treaty.engine.spark.sources.readers import cast, read, schema_of
from treaty.engine.states.generations import GenerationConflict

# Table features that let rows change while their files stay.
UNSTABLE = frozenset({"deletionVectors", "columnMapping"})
RENAMING = "columnMapping"
# Commits that add or remove whole files, or no rows at all. WRITE does too, unless it replaces by a condition.
WHOLE = frozenset({
    "CREATE TABLE", "CREATE TABLE AS SELECT", "CREATE OR REPLACE TABLE AS SELECT", "REPLACE TABLE AS SELECT",
    "OPTIMIZE", "STREAMING UPDATE", "SET TBLPROPERTIES", "VACUUM START", "VACUUM END", "ADD COLUMNS",
})  # fmt: skip
PREFIX = "treaty-gate-"
UNDONE = "treaty-gate: undone"
CONFLICT = ("DELTA_CONCURRENT", "DELTA_PATH_EXISTS", "DELTA_TABLE_ALREADY_EXISTS", "DELTA_METADATA_CHANGED")
CONFLICTS = ("Concurrent", "MetadataChanged", "ProtocolChanged")


@dataclass(frozen=True, kw_only=True)
class DeltaSnapshot:
    """A Delta table at a version, by default the newest.

    `by`: its partition columns. `features`: those of its protocol. `id`: the table's own id; a table recreated at
    the same location has another."""

    session: Any
    location: str
    version: int
    by: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    id: str = ""

    @property
    def frame(self) -> Any:
        """Return the rows at this version."""
        reader = self.session.read.format(TableKind.DELTA).option("versionAsOf", self.version)
        return reader.load(self.location)

    def files(self) -> dict[str, list[str]]:
        """Return the data files by partition."""
        paths = self.frame.inputFiles()
        # Written like folder names: unlike Spark's own partition paths these are not URLs, where "%" is escaped.
        named = [(partition_names.of_path(path, self.by), path) for path in paths]
        if self.by and (RENAMING in self.features or not all(name for name, _ in named)):
            named = [(name, path) for name, path in self._query_files() if path]
        files_by_partition: dict[str, list[str]] = {}
        for name, path in named:
            files_by_partition.setdefault(name, []).append(path)
        return files_by_partition

    def _query_files(self) -> list[tuple[str, str]]:
        """Return partition and path of every file, read from its rows."""
        rows = self.frame.selectExpr(*partition_names.keys(self.by), "_metadata.file_path").distinct().collect()
        return [(partition_names.name(self.by, list(row)[:-1]), row[-1]) for row in rows]

    def fingerprints(self) -> dict[str, str]:
        """Return the fingerprint by partition; one under the key "" without partition columns."""
        mark = self._mark() if self.features & UNSTABLE else ""
        return {name: _hash([mark, *sorted(map(os.path.basename, paths))]) for name, paths in self.files().items()}

    def _mark(self) -> str:
        """Return the newest version that may have changed rows in existing files.

        If none is known, the oldest known version."""
        history = [row for row in self.history() if row["version"] <= self.version]
        unsure = (row["version"] for row in history if not _is_whole(row))
        return str(max(unsure, default=min(row["version"] for row in history)))

    def history(self, since: int = -1) -> list[Any]:
        """Return the commits after a version, newest first, except those that the log has dropped."""
        limit = max(self.version - since, 1)
        commits = self.session.sql(f"describe history {_name(self.location)} limit {limit}")
        rows = commits.select("version", "operation", "operationParameters", "userMetadata").collect()
        newest = max(row["version"] for row in rows)
        if newest - since > limit:
            # Concurrent commits have pushed some of the requested ones beyond the limit.
            return replace(self, version=newest).history(since)
        return [row for row in rows if row["version"] > since]

    def committed(self, ident: str, since: int) -> int | None:
        """Return the version that a publication made after `since`; None if it made none."""
        return next((row["version"] for row in self.history(since) if row["userMetadata"] == PREFIX + ident), None)


def snapshot(session: Any, location: str) -> DeltaSnapshot | None:
    """Return the table's newest version; None if no table exists. Raises EngineError if Spark cannot read it."""
    newest = _newest(session, location)
    if newest is None:
        return None
    try:
        (detail,) = session.sql(f"describe detail {_name(location)}").collect()
    except Exception as error:
        raise _unread(location, error) from error
    by, features = tuple(detail["partitionColumns"]), frozenset(detail["tableFeatures"] or ())
    return replace(newest, by=by, features=features, id=str(detail["id"]))


def _newest(session: Any, location: str) -> DeltaSnapshot | None:
    """Return the newest version without reading the table's columns and features."""
    if not _has_log(plain(location)):
        return None
    try:
        (newest,) = session.sql(f"describe history {_name(location)} limit 1").select("version").collect()
    except Exception as error:
        raise _unread(location, error) from error
    return DeltaSnapshot(session=session, location=plain(location), version=newest["version"])


def _has_log(location: str) -> bool:
    from pyarrow.fs import FileType

    filesystem, path = open_filesystem(location)
    return bool(filesystem.get_file_info(f"{path.rstrip('/')}/{LOG}").type == FileType.Directory)


def table_status(session: Any, location: str, request: TableStatusRequest) -> TableStatus:
    """Return the status of the table in the folder. Raises EngineError."""
    newest = snapshot(session, location)
    if newest is None:
        return TableStatus(kind=TableKind.DELTA, location=location, fingerprints={})
    newest = replace(newest, by=partitioned(location, newest.by, request.partition_by))
    try:
        committed = newest.committed(request.ident, request.since_version) if request.ident else None
        version = newest if committed is None else replace(newest, version=committed)
        return TableStatus(
            kind=TableKind.DELTA,
            location=location,
            fingerprints=version.fingerprints(),
            version=version.version,
            committed=committed,
        )
    except Exception as error:
        raise _unread(location, error) from error


def partitioned(table: str, by: tuple[str, ...], requested: tuple[str, ...]) -> tuple[str, ...]:
    """Return the table's partition columns in the requested order. Raises EngineError if it has others."""
    if requested and set(requested) != set(by):
        raise EngineError(
            f"{table} is partitioned by {', '.join(by) or 'no column'}: specify exactly these", retry=False
        )
    return requested or by


def _unread(location: str, error: Exception) -> EngineError:
    return EngineError(f"{location} is a Delta table, which this Spark cannot read: {safe_message(error)}", retry=False)


def commit(session: Any, request: CommitRequest) -> None:
    """Replace the partitions in one commit; do nothing if it was already made or is fenced off.

    Raises GenerationConflict, with nothing changed, if the table has another version or another writer committed first.
    Raises EngineError if the commit failed."""
    newest = _newest(session, request.table)
    if (newest.version if newest else None) != request.version:
        raise GenerationConflict(f"{request.table} has changed since it was validated: nothing was written")
    try:
        rows = read(session, TableSource(request.staged, "parquet", request.partition_by))
        _writer(rows, request, newest).save(request.table)
    except Exception as error:
        if any(each in safe_message(error) for each in (*CONFLICT, *CONFLICTS)):
            raise GenerationConflict(
                f"another writer committed to {request.table} first: nothing was written"
            ) from error
        raise EngineError(f"the commit to {request.table} failed: {safe_message(error)}") from error


def _writer(rows: Any, request: CommitRequest, here: DeltaSnapshot | None) -> Any:
    types = request.types if here is None else {each.name: each.type for each in schema_of(here.frame).columns}
    typed = rows.selectExpr(*(cast(each, types.get(each)) for each in rows.columns))
    if here is None:
        writer = typed.write.format(TableKind.DELTA).mode("error").partitionBy(*request.partition_by)
        return _signed(writer, request.ident)
    writer = typed.write.format(TableKind.DELTA).mode("overwrite").option("mergeSchema", "true")
    if request.partition_by:
        writer = writer.option("replaceWhere", _condition(request.partition_by, request.names))
    return _signed(writer, request.ident)


def _signed(writer: Any, ident: str) -> Any:
    """Attach the publication's id to the commit: it is recorded in the history and prevents a second commit."""
    return writer.options(**_once(ident), userMetadata=PREFIX + ident)


def _once(ident: str) -> dict[str, str]:
    return {"txnAppId": PREFIX + ident, "txnVersion": "1"}


def fence(session: Any, request: FenceRequest) -> None:
    """Use up the id of a publication with a commit without rows: a pending one then fails.

    A table that does not exist is left alone. Raises EngineError."""
    newest = _newest(session, request.table)
    if newest is None:
        return
    try:
        no_rows = newest.frame.limit(0).write.format(TableKind.DELTA).mode("append")
        no_rows.options(**_once(request.ident), userMetadata=UNDONE).save(newest.location)
    except Exception as error:
        raise EngineError(f"{request.table} rejected the commit: {safe_message(error)}") from error


def _condition(columns: Sequence[str], names: Iterable[str]) -> str:
    """Return SQL for the rows of these partitions that Delta evaluates on partition values alone."""
    return " or ".join(f"({_holds(columns, partition_names.values(name))})" for name in names)


def _holds(columns: Sequence[str], values: Mapping[str, str | None]) -> str:
    return " and ".join(_is(quote(each), values[each]) for each in columns)


def _is(column: str, value: str | None) -> str:
    return f"{column} is null" if value is None else f"cast({column} as string) = {literal(value)}"


def _is_whole(row: Any) -> bool:
    own = str(row["userMetadata"]).startswith(PREFIX)
    plain_write = row["operation"] == "WRITE" and "predicate" not in row["operationParameters"]
    return own or plain_write or row["operation"] in WHOLE


def _name(location: str) -> str:
    return f"delta.{quote(plain(location))}"


def _hash(lines: Iterable[str]) -> str:
    return sha256("\n".join(lines).encode()).hexdigest()[:32]
