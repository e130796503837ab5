"""Detect changed partitions of an Iceberg table by its new snapshots, else by its files.

Each snapshot lists the added and removed files with their partitions; snapshots that only rewrite rows
(rewrite_data_files) are skipped. If the snapshots do not suffice, because they expired, the table was rolled back or
repartitioned, or its columns changed, fingerprints are compared: more partitions may then count as changed, never
fewer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import UNORDERED, ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled, of_spark
from treaty.engine.spark.sources import iceberg
from treaty.engine.spark.sources.iceberg import IcebergMetadata
from treaty.engine.spark.sources.versioned import MOST, NO_FILES, VersionedLayout, stable_fingerprints

# Stands for the snapshot of a table that was never written.
EMPTY = 0


def versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, stored_fingerprints: Mapping[str, str]
) -> VersionedLayout | None:
    """Return the layout at the snapshot in the hints, else at the newest; None if it cannot be read.

    A table whose own partitions do not match the source's is one partition, named "". `stored_fingerprints`: stored
    fingerprints; a
    partition without changed rows since the hints' snapshot keeps its stored fingerprint. None means that Spark cannot
    read the table or that its metadata is missing."""
    try:
        return _versioned_layout(session, source, look, stored_fingerprints)
    except of_spark(OSError) as error:
        if is_cancelled(error):
            raise
        return None


def _versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, stored_fingerprints: Mapping[str, str]
) -> VersionedLayout:
    table_metadata = iceberg.metadata(session, source)
    version = snapshot_to_read(table_metadata, look)
    schema = table_metadata.schema if version == table_metadata.current else table_metadata.schema_of(version)
    root, parted = table_metadata.root(schema), table_metadata.parted(source.partition_by)
    # Iceberg reads a snapshot with the columns of its time. If columns changed since, the current table is read; what
    # is written meanwhile is found at the next validation.
    pinned, behind = (
        version is not None and schema == table_metadata.schema_of(version),
        version != table_metadata.current,
    )
    snapshot_source = replace(source, version=version)
    marks = iceberg.fingerprints(session, snapshot_source, parted, root) if version is not None else {}
    if marks is None:
        parted, marks = None, iceberg.fingerprints(session, snapshot_source, None, root)
    marks = marks or ({} if parted else {"": NO_FILES})
    at = TableVersion(f"{UNORDERED}{table_metadata.id}:{root}", EMPTY if version is None else version)
    snapshots = steps(table_metadata, look.since_version, at) if look.since_version and stored_fingerprints else None
    changed = None if snapshots is None else iceberg.touched(session, source, snapshots, parted)
    if changed is None or not changed <= marks.keys() | stored_fingerprints.keys():
        return VersionedLayout(
            fingerprints=marks, at=at, method=DetectionMethod.FINGERPRINTS, pinned=pinned, is_outdated=behind
        )
    return VersionedLayout(
        fingerprints=stable_fingerprints(marks, stored_fingerprints, changed),
        at=at,
        method=DetectionMethod.VERSIONS,
        pinned=pinned,
        is_outdated=behind,
    )


def snapshot_to_read(metadata: IcebergMetadata, look: ChangeHints) -> int | None:
    """Return the snapshot to read; None if there is none.

    It is the newest that the events name, if all of them are on the main branch and none as new was read before;
    else the newest of the branch."""
    branch, hinted = metadata.ancestors(metadata.current), look.hint.versions
    if not hinted or not set(hinted) <= set(branch):
        return metadata.current
    newest = min(map(branch.index, hinted))
    already_read = look.since_version is not None and look.since_version.version in branch[: newest + 1]
    return metadata.current if already_read else branch[newest]


def steps(metadata: IcebergMetadata, since: TableVersion, until: TableVersion) -> list[int] | None:
    """Return the snapshots between two versions that changed rows; None if unknown or too many."""
    branch = metadata.ancestors(until.version)[: MOST + 1]
    if since.table != until.table or since.version not in branch:
        return None
    return [each for each in branch[: branch.index(since.version)] if not metadata.is_rewritten(each)]
