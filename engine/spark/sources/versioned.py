"""Layouts of table formats with versions."""

from collections.abc import Mapping
from dataclasses import dataclass

from treaty.engine.protocol.requests import UNREAD
from treaty.engine.protocol.write_hints import DetectionMethod, TableVersion

# Beyond this number of versions, comparing files is faster.
MOST = 1000
NO_FILES = "no files"


class UnknownChanges(Exception):
    """Raised when the versions do not show which partitions they changed."""


@dataclass(frozen=True, kw_only=True)
class VersionedLayout:
    """The fingerprints of a table's partitions at a version, and how changes were detected.

    `pinned`: that version is read, otherwise the current table. `is_outdated`: there are newer versions."""

    fingerprints: Mapping[str, str]
    at: TableVersion
    method: DetectionMethod
    pinned: bool = True
    is_outdated: bool = False


def stable_fingerprints(
    marks: Mapping[str, str], stored_fingerprints: Mapping[str, str], changed: frozenset[str]
) -> dict[str, str]:
    """Return the fingerprints, with stored ones for partitions that did not change.

    `marks`: current fingerprints. `stored_fingerprints`: stored ones. `changed`: changed partitions. A stored
    fingerprint of a partition that could not be read is not reused."""
    if set(marks) == {""} and not changed and len(set(stored_fingerprints.values())) == 1:
        # Without partition folders, all partitions were read together.
        stored_fingerprints = {"": next(iter(stored_fingerprints.values()))}
    untouched = {
        name for name in marks if name not in changed and not stored_fingerprints.get(name, UNREAD).startswith(UNREAD)
    }
    return {name: stored_fingerprints[name] if name in untouched else mark for name, mark in marks.items()}
