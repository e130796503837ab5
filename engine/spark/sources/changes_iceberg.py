"""What changed in an Iceberg table: by the snapshots that were made since it was looked at last, else by its files.

Each snapshot says which files of which partition came and went; one that only writes rows anew (rewrite_data_files) is
passed over. Where the snapshots do not tell, for they expired, the table was rolled back or partitioned otherwise, or
its columns changed, fingerprints do: more may count as changed then, never less."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import UNORDERED, ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled, of_spark
from treaty.engine.spark.sources import iceberg
from treaty.engine.spark.sources.iceberg import IcebergMetadata
from treaty.engine.spark.sources.versioned import MOST, NO_FILES, VersionedLayout, stable_fingerprints

# Stands for the snapshot of a table into which nothing was ever written.
EMPTY = 0


def versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, known: Mapping[str, str]
) -> VersionedLayout | None:
    """How the table stands at the snapshot that the look asks for, else at its newest; as one partition, named "",
    where its own partitions are not those of the source. None where this Spark does not read it, or its metadata
    are not where it says.

    A partition in which no row changed since the look's snapshot has the fingerprint that is `known` of it."""
    try:
        return _versioned_layout(session, source, look, known)
    except of_spark(OSError) as error:
        if is_cancelled(error):
            raise
        return None


def _versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, known: Mapping[str, str]
) -> VersionedLayout:
    told = iceberg.metadata(session, source)
    version = snapshot_to_read(told, look)
    schema = told.schema if version == told.current else told.schema_of(version)
    root, parted = told.root(schema), told.parted(source.partition_by)
    # Iceberg reads a snapshot with the columns of its time. Where others came since, the table is read as it is: what
    # is written meanwhile is found by the next look.
    pinned, behind = version is not None and schema == told.schema_of(version), version != told.current
    here = replace(source, version=version)
    marks = iceberg.fingerprints(session, here, parted, root) if version is not None else {}
    if marks is None:
        parted, marks = None, iceberg.fingerprints(session, here, None, root)
    marks = marks or ({} if parted else {"": NO_FILES})
    at = TableVersion(f"{UNORDERED}{told.id}:{root}", EMPTY if version is None else version)
    made = steps(told, look.since_version, at) if look.since_version and known else None
    found = None if made is None else iceberg.touched(session, source, made, parted)
    if found is None or not found <= marks.keys() | known.keys():
        return VersionedLayout(
            fingerprints=marks, at=at, method=DetectionMethod.FINGERPRINTS, pinned=pinned, is_outdated=behind
        )
    return VersionedLayout(
        fingerprints=stable_fingerprints(marks, known, found),
        at=at,
        method=DetectionMethod.VERSIONS,
        pinned=pinned,
        is_outdated=behind,
    )


def snapshot_to_read(told: IcebergMetadata, look: ChangeHints) -> int | None:
    """The snapshot to be read: the newest that the events name, where all that they name are of the main branch and
    none as new was looked at before; else the branch's newest. None where there is none."""
    line, asked = told.ancestors(told.current), look.hint.versions
    if not asked or not set(asked) <= set(line):
        return told.current
    newest = min(map(line.index, asked))
    passed = look.since_version is not None and look.since_version.version in line[: newest + 1]
    return told.current if passed else line[newest]


def steps(told: IcebergMetadata, since: TableVersion, until: TableVersion) -> list[int] | None:
    """The snapshots after one up to another that changed rows; None where they are not known, or are too many."""
    line = told.ancestors(until.version)[: MOST + 1]
    if since.table != until.table or since.version not in line:
        return None
    return [each for each in line[: line.index(since.version)] if not told.is_rewritten(each)]
