"""Cut a table without partition columns into arrivals, by when its files appeared.

`arrival=000007` is a partition like any other, except that no column distinguishes it. Its fingerprint lists its
files, each by a short hash of path, size and time. This shows, without reading a row, which arrival a file belongs
to, which files are new, and from which arrivals a file was removed or rewritten."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256

from treaty.engine.core.filesystems import is_path, open_filesystem
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.allowed_files import check_source
from treaty.engine.spark.sources.changes import FileEntry, StorageLayout

COLUMN = "arrival"
# 60 bits per file: among a million files, two have the same hash in one of two million tables.
WIDTH = 10


def layout(source: TableSource, stored_fingerprints: Mapping[str, str]) -> StorageLayout | None:
    """Return the table's current layout by arrivals; None if its files do not show its contents.

    `stored_fingerprints`: fingerprints of stored arrivals; each keeps its files that still exist, and all other files
    form one new arrival. Raises UnreadableTable if the table no longer exists."""
    if source.partition_by or not is_path(source.location):
        return None
    check_source(source)
    entries = changes.found_at(source.location)
    if changes.is_lake(entries) or [each.path for _, each in entries] == [open_filesystem(source.location)[1]]:
        return None
    parted = arrived({_hash(each): each for each in changes.data_of(entries, source.location)}, stored_fingerprints)
    return StorageLayout(
        fingerprints={
            name: f"{changes.hashed(files.values())} {''.join(sorted(files))}" for name, files in parted.items()
        },
        folders={name: tuple(path for path, _ in files.values()) for name, files in parted.items()},
        files={name: tuple(each.path for _, each in files.values()) for name, files in parted.items()},
        read_one_by_one=True,
    )


def _hash(file: FileEntry) -> str:
    path, each = file
    digest = sha256(f"{path} {each.size} {each.mtime_ns}".encode()).digest()
    return urlsafe_b64encode(digest).decode()[:WIDTH]


def arrived(files: Mapping[str, FileEntry], stored_fingerprints: Mapping[str, str]) -> dict[str, dict[str, FileEntry]]:
    """Group files by arrival: stored ones by their fingerprints, new files as one arrival.

    `files`: by hash. Arrivals without any remaining file are left out."""
    numbers = {name: int(name.partition("=")[2]) for name in stored_fingerprints if name.startswith(f"{COLUMN}=")}
    arrival_of = {member: name for name in numbers for member in members(stored_fingerprints[name])}
    new = f"{COLUMN}={max(numbers.values(), default=0) + 1:06}"
    files_by_arrival: dict[str, dict[str, FileEntry]] = {}
    for member, file in files.items():
        files_by_arrival.setdefault(arrival_of.get(member, new), {})[member] = file
    return files_by_arrival


def members(fingerprint: str) -> list[str]:
    """Return the hashes of an arrival's files: the last word of its fingerprint."""
    joined = fingerprint.rpartition(" ")[2]
    return [joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH)]
