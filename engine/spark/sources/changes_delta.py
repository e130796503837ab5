"""Detect changed partitions of a Delta table by its new versions, else by its files.

Each version is a log file that lists the added and removed files with their partitions, and whether rows changed:
commits that only rewrite rows (OPTIMIZE) are skipped. If the log is incomplete, because it was cleaned or columns
changed, fingerprints are compared: more partitions may then count as changed, never fewer."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treaty.engine.core.filesystems import open_filesystem, plain
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.gate_requests import LOG
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled
from treaty.engine.spark.sources import delta
from treaty.engine.spark.sources.delta import DeltaSnapshot
from treaty.engine.spark.sources.versioned import MOST, NO_FILES, UnknownChanges, VersionedLayout, stable_fingerprints


def versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, stored_fingerprints: Mapping[str, str]
) -> VersionedLayout | None:
    """Return the layout at the version in the hints, else at the newest; None if Spark cannot read it.

    A table partitioned by other columns than the source's is one partition, named "". `stored_fingerprints`: stored
    fingerprints; a partition without changed rows since the hints' version keeps its stored fingerprint."""
    try:
        newest = delta.snapshot(session, source.location)
        if newest is None:
            return None
        by = source.partition_by if set(newest.by) == set(source.partition_by) else ()
        pinned = replace(newest, by=by, version=_version(newest, look))
        versioned = _versioned(
            pinned, pinned.fingerprints() or ({} if by else {"": NO_FILES}), look, stored_fingerprints
        )
        return replace(versioned, is_outdated=pinned.version < newest.version)
    except Exception as error:
        if is_cancelled(error):
            raise
        return None


def _version(here: DeltaSnapshot, look: ChangeHints) -> int:
    """Return the version to read.

    It is the event's version if that is older than the newest and newer than the last one read; else the newest."""
    version, since = look.hint.version, look.since_version
    if version is None or (since is not None and since.table == here.id and version <= since.version):
        return here.version
    return min(version, here.version)


def _versioned(
    pinned: DeltaSnapshot, marks: Mapping[str, str], look: ChangeHints, stored_fingerprints: Mapping[str, str]
) -> VersionedLayout:
    at, since = TableVersion(pinned.id, pinned.version), look.since_version
    changed = touched(pinned.location, pinned.by, since, at) if since and stored_fingerprints else None
    if changed is None or not changed <= marks.keys() | stored_fingerprints.keys():
        return VersionedLayout(fingerprints=marks, at=at, method=DetectionMethod.FINGERPRINTS)
    return VersionedLayout(
        fingerprints=stable_fingerprints(marks, stored_fingerprints, changed), at=at, method=DetectionMethod.VERSIONS
    )


def touched(
    location: str, partition_by: Sequence[str], since: TableVersion, until: TableVersion
) -> frozenset[str] | None:
    """Return the partitions in which a version after `since`, up to `until`, changed rows.

    None if the log does not show them."""
    if since.table != until.table or not 0 <= until.version - since.version <= MOST:
        return None
    versions = range(since.version + 1, until.version + 1)
    try:
        return frozenset(name for each in versions for name in _named(_actions(location, each), partition_by))
    except (UnknownChanges, OSError, ValueError):
        return None


def _actions(location: str, version: int) -> Iterator[Mapping[str, Any]]:
    """Return the actions of a version. Raises OSError if its file is gone, ValueError if it is not valid."""
    filesystem, root = open_filesystem(plain(location))
    with filesystem.open_input_stream(f"{root.rstrip('/')}/{LOG}/{version:020}.json") as file:
        lines = file.read().splitlines()
    return (json.loads(line) for line in lines if line.strip())


def _named(actions: Iterable[Mapping[str, Any]], partition_by: Sequence[str]) -> Iterator[str]:
    """Yield the partitions of the files added or removed with rows. Raises UnknownChanges."""
    for action in actions:
        if "metaData" in action:
            raise UnknownChanges("columns may have been renamed since")
        for change in filter(None, (action.get("add"), action.get("remove"))):
            if change.get("dataChange", True):
                yield _partition(change.get("partitionValues"), partition_by)


def _partition(values: Mapping[str, str | None] | None, partition_by: Sequence[str]) -> str:
    if not partition_by:
        return ""
    if values is None or set(values) != set(partition_by):
        raise UnknownChanges("the names of the partition values are not those of the columns")
    return partition_names.name(partition_by, [values[column] or None for column in partition_by])
