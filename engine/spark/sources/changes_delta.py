"""What changed in a Delta table: by the versions that were made since it was looked at last, else by its files.

Each version is a file of the log that says which files of which partition came and went, and whether rows changed with
them: a commit that only writes rows anew (OPTIMIZE) is passed over. Where the log does not tell, for it was cleaned or
the table's columns changed, fingerprints do: more may count as changed then, never less."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from treaty.engine.core.filesystems import open_filesystem
from treaty.engine.core.partitions import partition_names
from treaty.engine.protocol.gate_requests import LOG
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.write_hints import ChangeHints, DetectionMethod, TableVersion
from treaty.engine.spark.process.errors import is_cancelled
from treaty.engine.spark.sources import delta
from treaty.engine.spark.sources.delta import DeltaSnapshot
from treaty.engine.spark.sources.readers import plain
from treaty.engine.spark.sources.versioned import MOST, NO_FILES, UnknownChanges, VersionedLayout, stable_fingerprints


def versioned_layout(
    session: Any, source: TableSource, look: ChangeHints, known: Mapping[str, str]
) -> VersionedLayout | None:
    """How the table stands at the version that the look asks for, else at its newest; as one partition, named "", where
    it is parted by other columns than the source's. None where this Spark does not read it.

    A partition in which no row changed since the look's version has the fingerprint that is `known` of it."""
    try:
        here = delta.snapshot(session, source.location)
        if here is None:
            return None
        by = source.partition_by if set(here.by) == set(source.partition_by) else ()
        pinned = replace(here, by=by, version=_version(here, look))
        found = _versioned(pinned, pinned.fingerprints() or ({} if by else {"": NO_FILES}), look, known)
        return replace(found, is_outdated=pinned.version < here.version)
    except Exception as error:
        if is_cancelled(error):
            raise
        return None


def _version(here: DeltaSnapshot, look: ChangeHints) -> int:
    """That of the event, where it is older than the newest and nothing as new was looked at before."""
    asked, since = look.hint.version, look.since_version
    if asked is None or (since is not None and since.table == here.id and asked <= since.version):
        return here.version
    return min(asked, here.version)


def _versioned(
    pinned: DeltaSnapshot, marks: Mapping[str, str], look: ChangeHints, known: Mapping[str, str]
) -> VersionedLayout:
    at, since = TableVersion(pinned.id, pinned.version), look.since_version
    found = touched(pinned.location, pinned.by, since, at) if since and known else None
    if found is None or not found <= marks.keys() | known.keys():
        return VersionedLayout(fingerprints=marks, at=at, method=DetectionMethod.FINGERPRINTS)
    return VersionedLayout(
        fingerprints=stable_fingerprints(marks, known, found), at=at, method=DetectionMethod.VERSIONS
    )


def touched(
    location: str, partition_by: Sequence[str], since: TableVersion, until: TableVersion
) -> frozenset[str] | None:
    """The partitions in which a version after `since`, up to `until`, changed rows; None: the log does not tell."""
    if since.table != until.table or not 0 <= until.version - since.version <= MOST:
        return None
    versions = range(since.version + 1, until.version + 1)
    try:
        return frozenset(name for each in versions for name in _named(_actions(location, each), partition_by))
    except (UnknownChanges, OSError, ValueError):
        return None


def _actions(location: str, version: int) -> Iterator[Mapping[str, Any]]:
    """The actions of a version. Raises OSError where its file is gone, ValueError where it is none."""
    filesystem, root = open_filesystem(plain(location))
    with filesystem.open_input_stream(f"{root.rstrip('/')}/{LOG}/{version:020}.json") as file:
        lines = file.read().splitlines()
    return (json.loads(line) for line in lines if line.strip())


def _named(actions: Iterable[Mapping[str, Any]], partition_by: Sequence[str]) -> Iterator[str]:
    """The partitions of the files that came or went with rows. Raises Untold."""
    for action in actions:
        if "metaData" in action:
            raise UnknownChanges("columns may have other names since")
        for change in filter(None, (action.get("add"), action.get("remove"))):
            if change.get("dataChange", True):
                yield _partition(change.get("partitionValues"), partition_by)


def _partition(values: Mapping[str, str | None] | None, partition_by: Sequence[str]) -> str:
    if not partition_by:
        return ""
    if values is None or set(values) != set(partition_by):
        raise UnknownChanges("the values stand under names that are not those of the columns")
    return partition_names.name(partition_by, [values[column] or None for column in partition_by])
