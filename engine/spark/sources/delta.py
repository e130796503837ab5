"""Delta tables: what their partitions hold at a version, and partitions replaced in one commit.

All of it through Delta's own readers, writers and history: no line of its log is read here.

A partition's fingerprint is that of its data files at the version, whose names Delta gives but once. Two things change
what is read while the files stay: rows may be marked as deleted beside a file (a deletion vector), and columns may be
renamed or dropped. In tables that can do so, the newest commit that may have done it is part of every fingerprint: then
all partitions count as changed, more than need be, never fewer. A commit that rewrites files without changing rows
(OPTIMIZE) changes the fingerprint of what it rewrote: it is read again."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from treaty.contracts.predicates.parser import literal, quote
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import open_filesystem
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
from treaty.engine.spark.sources.readers import cast, plain, read, schema_of
from treaty.engine.states.generations import GenerationConflict

# What lets rows change while their files stay.
UNSTABLE = frozenset({"deletionVectors", "columnMapping"})
RENAMING = "columnMapping"
# Commits that add or remove whole files, or no rows at all; WRITE does so unless it replaces by a condition.
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
    """A Delta table at a version, the newest unless another is put in its place. `by` are its partition columns,
    `features` those of its protocol, `id` is its own: a table that is made anew in the same place has another."""

    session: Any
    location: str
    version: int
    by: tuple[str, ...] = ()
    features: frozenset[str] = frozenset()
    id: str = ""

    @property
    def frame(self) -> Any:
        """The rows at this version."""
        reader = self.session.read.format(TableKind.DELTA).option("versionAsOf", self.version)
        return reader.load(self.location)

    def files(self) -> dict[str, list[str]]:
        """The data files of every partition."""
        paths = self.frame.inputFiles()
        # As folders are named: unlike Spark's own, these are no URLs, in which "%" would be written otherwise.
        named = [(partition_names.of_path(path, self.by), path) for path in paths]
        if self.by and (RENAMING in self.features or not all(name for name, _ in named)):
            named = [(name, path) for name, path in self._query_files() if path]
        found: dict[str, list[str]] = {}
        for name, path in named:
            found.setdefault(name, []).append(path)
        return found

    def _query_files(self) -> list[tuple[str, str]]:
        """Partition and path of every file, where the paths themselves do not tell: their rows do."""
        rows = self.frame.selectExpr(*partition_names.keys(self.by), "_metadata.file_path").distinct().collect()
        return [(partition_names.name(self.by, list(row)[:-1]), row[-1]) for row in rows]

    def fingerprints(self) -> dict[str, str]:
        """The fingerprint of every partition, one for the key "" where it has no partition columns."""
        mark = self._mark() if self.features & UNSTABLE else ""
        return {name: _hash([mark, *sorted(map(os.path.basename, paths))]) for name, paths in self.files().items()}

    def _mark(self) -> str:
        """The newest version that may have changed rows in files that stayed; the oldest known, where none is known."""
        history = [row for row in self.history() if row["version"] <= self.version]
        unsure = (row["version"] for row in history if not _is_whole(row))
        return str(max(unsure, default=min(row["version"] for row in history)))

    def history(self, since: int = -1) -> list[Any]:
        """The commits after a version, the newest first; those that the log no longer has are left out."""
        limit = max(self.version - since, 1)
        asked = self.session.sql(f"describe history {_name(self.location)} limit {limit}")
        found = asked.select("version", "operation", "operationParameters", "userMetadata").collect()
        newest = max(row["version"] for row in found)
        if newest - since > limit:
            # Others commit meanwhile: what was asked for has been pushed out.
            return replace(self, version=newest).history(since)
        return [row for row in found if row["version"] > since]

    def committed(self, ident: str, since: int) -> int | None:
        """The version that a publication made after `since`; None where it made none."""
        return next((row["version"] for row in self.history(since) if row["userMetadata"] == PREFIX + ident), None)


def snapshot(session: Any, location: str) -> DeltaSnapshot | None:
    """The table's newest version; None where no table is there. Raises EngineError where Spark cannot read it."""
    here = _newest(session, location)
    if here is None:
        return None
    try:
        (known,) = session.sql(f"describe detail {_name(location)}").collect()
    except Exception as error:
        raise _unread(location, error) from error
    by, features = tuple(known["partitionColumns"]), frozenset(known["tableFeatures"] or ())
    return replace(here, by=by, features=features, id=str(known["id"]))


def _newest(session: Any, location: str) -> DeltaSnapshot | None:
    """The newest version, of which no more is asked: what its columns are is not told."""
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
    """How the table in that folder stands. Raises EngineError."""
    here = snapshot(session, location)
    if here is None:
        return TableStatus(kind=TableKind.DELTA, location=location, fingerprints={})
    here = replace(here, by=partitioned(location, here.by, request.partition_by))
    try:
        committed = here.committed(request.ident, request.since_version) if request.ident else None
        judged = here if committed is None else replace(here, version=committed)
        return TableStatus(
            kind=TableKind.DELTA,
            location=location,
            fingerprints=judged.fingerprints(),
            version=judged.version,
            committed=committed,
        )
    except Exception as error:
        raise _unread(location, error) from error


def partitioned(table: str, by: tuple[str, ...], asked: tuple[str, ...]) -> tuple[str, ...]:
    """The table's partition columns, in the order asked for. Raises EngineError where it has others."""
    if asked and set(asked) != set(by):
        raise EngineError(f"{table} is partitioned by {', '.join(by) or 'no column'}: name these", retry=False)
    return asked or by


def _unread(location: str, error: Exception) -> EngineError:
    return EngineError(
        f"{location} is a Delta table, which this Spark does not read: {safe_message(error)}", retry=False
    )


def commit(session: Any, request: CommitRequest) -> None:
    """Replaces the partitions in one commit, which changes nothing where it was made already or shut out.

    Raises Overtaken, with nothing changed, where the table is of another version or another writer came between,
    EngineError where the commit failed."""
    here = _newest(session, request.table)
    if (here.version if here else None) != request.version:
        raise GenerationConflict(f"{request.table} is of another version than when it was judged: nothing was changed")
    try:
        rows = read(session, TableSource(request.staged, "parquet", request.partition_by))
        _writer(rows, request, here).save(request.table)
    except Exception as error:
        if any(each in safe_message(error) for each in (*CONFLICT, *CONFLICTS)):
            raise GenerationConflict(f"another writer came first to {request.table}: nothing was changed") from error
        raise EngineError(f"the commit to {request.table} failed: {safe_message(error)}") from error


def _writer(rows: Any, request: CommitRequest, here: DeltaSnapshot | None) -> Any:
    known = request.types if here is None else {each.name: each.type for each in schema_of(here.frame).columns}
    typed = rows.selectExpr(*(cast(each, known.get(each)) for each in rows.columns))
    if here is None:
        writer = typed.write.format(TableKind.DELTA).mode("error").partitionBy(*request.partition_by)
        return _signed(writer, request.ident)
    writer = typed.write.format(TableKind.DELTA).mode("overwrite").option("mergeSchema", "true")
    if request.partition_by:
        writer = writer.option("replaceWhere", _condition(request.partition_by, request.names))
    return _signed(writer, request.ident)


def _signed(writer: Any, ident: str) -> Any:
    """The commit with its name: in the history for who looks for it, and so that it is not made twice."""
    return writer.options(**_once(ident), userMetadata=PREFIX + ident)


def _once(ident: str) -> dict[str, str]:
    return {"txnAppId": PREFIX + ident, "txnVersion": "1"}


def fence(session: Any, request: FenceRequest) -> None:
    """Takes the name of a publication with a commit without rows: one that is still under way then fails.

    A table that is not there is left so. Raises EngineError."""
    here = _newest(session, request.table)
    if here is None:
        return
    try:
        none = here.frame.limit(0).write.format(TableKind.DELTA).mode("append")
        none.options(**_once(request.ident), userMetadata=UNDONE).save(here.location)
    except Exception as error:
        raise EngineError(f"{request.table} took no commit: {safe_message(error)}") from error


def _condition(columns: Sequence[str], names: Iterable[str]) -> str:
    """True for the rows of these partitions, in words that Delta evaluates on the partitions' values alone."""
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
