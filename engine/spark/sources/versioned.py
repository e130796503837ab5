"""Tables of versions: what a look at one brings, whatever the format keeps its versions in."""

from collections.abc import Mapping
from dataclasses import dataclass

from treaty.engine.protocol.requests import UNREAD
from treaty.engine.protocol.write_hints import DetectionMethod, TableVersion

# Of more versions the files themselves tell sooner.
MOST = 1000
NO_FILES = "no files"


class UnknownChanges(Exception):
    """The versions do not tell which partitions they touched."""


@dataclass(frozen=True, kw_only=True)
class VersionedLayout:
    """The fingerprints of a table's partitions at a version, and by what it was told which of them changed.

    `pinned`: that version is to be read, else the table as it is. `is_outdated`: there are newer versions."""

    fingerprints: Mapping[str, str]
    at: TableVersion
    method: DetectionMethod
    pinned: bool = True
    is_outdated: bool = False


def stable_fingerprints(marks: Mapping[str, str], known: Mapping[str, str], found: frozenset[str]) -> dict[str, str]:
    """The fingerprints, those of partitions that are not among `found` as they are known; no reading has that of what
    was not read."""
    if set(marks) == {""} and not found and len(set(known.values())) == 1:
        # Partitions that no folder tells apart were read together.
        known = {"": next(iter(known.values()))}
    untouched = {name for name in marks if name not in found and not known.get(name, UNREAD).startswith(UNREAD)}
    return {name: known[name] if name in untouched else mark for name, mark in marks.items()}
