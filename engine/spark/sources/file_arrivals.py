"""Arrivals: a table without partition columns that grows by files, cut by when the files came.

`arrival=000007` is a partition like any other, only that no column tells it: its fingerprint names its files, each by
a short hash of its path, size and time. So it is told without reading a row which arrival a file belongs to, which
files are new, and of which arrivals a file is gone or was written again."""

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256

from treaty.engine.core.filesystems import is_path, open_filesystem
from treaty.engine.protocol.requests import TableSource
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.changes import FileEntry, StorageLayout

COLUMN = "arrival"
# 60 bits a file: of a million files no two are alike but once in two million tables.
WIDTH = 10


def layout(source: TableSource, known: Mapping[str, str]) -> StorageLayout | None:
    """The layout of a table now by its arrivals: those that are `known` by their fingerprints as far as their files are
    still there, and all other files as one new arrival. None for a table whose files do not tell what is in it.

    Raises Unreadable where it is gone."""
    if source.partition_by or not is_path(source.location):
        return None
    found = changes.found_at(source.location)
    if changes.is_lake(found) or [each.path for _, each in found] == [open_filesystem(source.location)[1]]:
        return None
    parted = arrived({_hash(each): each for each in changes.data_of(found, source.location)}, known)
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


def arrived(files: Mapping[str, FileEntry], known: Mapping[str, str]) -> dict[str, dict[str, FileEntry]]:
    """The files, which are given by their hashes, by arrival: as the known fingerprints name them, new ones together.

    Arrivals of which no file is left are not among them."""
    numbers = {name: int(name.partition("=")[2]) for name in known if name.startswith(f"{COLUMN}=")}
    of = {member: name for name in numbers for member in members(known[name])}
    new = f"{COLUMN}={max(numbers.values(), default=0) + 1:06}"
    found: dict[str, dict[str, FileEntry]] = {}
    for member, file in files.items():
        found.setdefault(of.get(member, new), {})[member] = file
    return found


def members(fingerprint: str) -> list[str]:
    """The hashes of an arrival's files: the last word of its fingerprint."""
    joined = fingerprint.rpartition(" ")[2]
    return [joined[at : at + WIDTH] for at in range(0, len(joined), WIDTH)]
