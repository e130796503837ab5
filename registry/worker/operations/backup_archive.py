"""Backup file format: a tar file followed by the checksum of its bytes."""

import hashlib
import io
import os
import re
import secrets
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfileobj
from typing import IO

DATABASE, MANIFEST, STATES = "treaty.db", "manifest.json", "states/"
STATE = re.compile(r"states/[0-9a-f]{64}\.parquet")
MARK = b"treaty-backup-1 "
END = len(MARK) + 64 + 1
PIECE = 2**20


class ArchiveError(Exception):
    """The backup cannot be made or used; the database is unchanged."""


class ArchiveWriter:
    """An archive to which members are appended."""

    def __init__(self, tar: tarfile.TarFile, folder: Path) -> None:
        self._tar, self.folder = tar, folder

    def add(self, name: str, content: bytes) -> None:
        """Add a member with the content."""
        self._add(name, len(content), io.BytesIO(content))

    def add_state(self, name: str, content: bytes) -> None:
        """Add a state file."""
        self.add(f"{STATES}{name}", content)

    def add_file(self, name: str, path: Path) -> None:
        """Add a member with the content of a file."""
        with path.open("rb") as stream:
            self._add(name, path.stat().st_size, stream)

    def _add(self, name: str, size: int, content: IO[bytes]) -> None:
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        self._tar.addfile(member, content)


class _Summed(io.RawIOBase):
    """A file that computes the checksum of all bytes written to it."""

    def __init__(self, out: IO[bytes]) -> None:
        self.out, self.sum = out, hashlib.sha256()

    def write(self, content: bytes) -> int:  # type: ignore[override]
        """Write the content and add it to the checksum."""
        self.sum.update(content)
        return self.out.write(content)


@contextmanager
def writing(target: Path) -> Iterator[ArchiveWriter]:
    """Create an archive that appears complete when the block ends, readable by its owner only.

    If the block raises, no file is left. Raises ArchiveError if the target exists or cannot be written."""
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        if target.exists():
            raise FileExistsError
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            summed = _Summed(out)
            with tarfile.open(fileobj=summed, mode="w|", format=tarfile.PAX_FORMAT) as tar:
                yield ArchiveWriter(tar, target.parent)
            out.write(MARK + summed.sum.hexdigest().encode() + b"\n")
            out.flush()
            os.fsync(out.fileno())
        # Unlike a rename, a link does not replace an existing file.
        os.link(part, target)
    except FileExistsError:
        raise ArchiveError(f"{target} already exists: choose a new file name") from None
    except OSError as error:
        raise ArchiveError(f"{target} cannot be written: {error.strerror}") from None
    finally:
        with suppress(FileNotFoundError):
            os.unlink(part)


@dataclass(frozen=True)
class ArchiveReader:
    """An archive whose checksum was verified when it was opened."""

    tar: tarfile.TarFile
    members: dict[str, tarfile.TarInfo]

    @staticmethod
    @contextmanager
    def opened(source: Path) -> "Iterator[ArchiveReader]":
        """Open the archive in the file.

        Raises ArchiveError if the file is damaged or not an archive."""
        try:
            with source.open("rb") as stream:
                _check(source, stream)
                with tarfile.open(fileobj=stream, mode="r:") as tar:
                    yield ArchiveReader(tar, _members(tar))
        except tarfile.TarError:
            raise ArchiveError(f"{source} is not a backup that this version can read") from None
        except OSError as error:
            raise ArchiveError(f"{error.filename or source}: {error.strerror}") from None

    @property
    def states(self) -> frozenset[str]:
        """Return the names of its state files."""
        return frozenset(each.removeprefix(STATES) for each in self.members if each.startswith(STATES))

    def read(self, name: str) -> bytes:
        """Return the content of a member.

        Raises ArchiveError if there is no member of that name."""
        return self._stream(name).read()

    def read_state(self, name: str) -> bytes:
        """Return the content of a state file."""
        return self.read(f"{STATES}{name}")

    def copy(self, name: str, target: Path) -> None:
        """Write the content of a member to a new file, readable by its owner only."""
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            copyfileobj(self._stream(name), out, PIECE)
            out.flush()
            os.fsync(out.fileno())

    def _stream(self, name: str) -> IO[bytes]:
        member = self.members.get(name)
        stream = self.tar.extractfile(member) if member else None
        if stream is None:
            raise ArchiveError(f"the backup has no {name}")
        return stream


def _check(source: Path, stream: IO[bytes]) -> None:
    """Verify the checksum of the whole file, then seek to its start."""
    size, digest = source.stat().st_size - END, hashlib.sha256()
    if size < 0:
        raise ArchiveError(f"{source} is not a backup or is truncated")
    remaining = size
    while remaining and (chunk := stream.read(min(PIECE, remaining))):
        digest.update(chunk)
        remaining -= len(chunk)
    if stream.read(END) != MARK + digest.hexdigest().encode() + b"\n":
        raise ArchiveError(f"{source} is not a backup or is damaged: its checksum does not match")
    stream.seek(0)


def _members(tar: tarfile.TarFile) -> dict[str, tarfile.TarInfo]:
    """Return the members by name.

    Raises ArchiveError for an unexpected member and for duplicate names."""
    members: dict[str, tarfile.TarInfo] = {}
    for each in tar:
        expected = each.name in {DATABASE, MANIFEST} or STATE.fullmatch(each.name)
        if not (expected and each.isreg()) or each.name in members:
            raise ArchiveError("the backup contains an unexpected file")
        members[each.name] = each
    return members
