"""Durable file changes, and locks that end with their process.

Each change is synced to disk before the next one."""

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from typing import Any

from treaty.engine.core.errors import EngineError, StateError

PAUSE_SECONDS = 0.02
SEAL = len(sha256().hexdigest())


class LockHeld(EngineError):
    """Another process holds the lock; nothing was changed."""


class Disk:
    """Durable changes of files. Tests substitute a version that stops at a chosen step."""

    def write(self, path: str, content: bytes) -> None:
        """Create or overwrite a file; after a crash it may be incomplete."""
        with open(path, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())

    def rename(self, origin: str, target: str) -> None:
        """Rename a file or folder atomically and create missing parents of the target.

        Raises OSError if the target is a folder that is not empty."""
        self.folder(os.path.dirname(target))
        os.rename(origin, target)
        for parent in dict.fromkeys([os.path.dirname(target), os.path.dirname(origin)]):
            _synced(parent)

    def folder(self, path: str) -> None:
        """Create a folder with its missing parents; an existing folder's directory entry is synced."""
        if os.path.isdir(path):
            self.anchor(path)
            return
        parent = os.path.dirname(path)
        self.folder(parent)
        with suppress(FileExistsError):
            os.mkdir(path)
        _synced(parent)

    def anchor(self, path: str) -> None:
        """Sync the directory entry of a path, present or absent.

        The process that changed it may have ended before it was synced."""
        # A folder that this process may not read was made by another one.
        with suppress(FileNotFoundError, PermissionError):
            _synced(os.path.dirname(path))

    def remove(self, path: str) -> None:
        """Remove a file, if it exists."""
        with suppress(FileNotFoundError):
            os.remove(path)
        self.anchor(path)

    def clear(self, folder: str) -> None:
        """Remove a folder with its content, if it exists. Not atomic."""
        shutil.rmtree(folder, ignore_errors=True)

    def replace(self, path: str, content: bytes) -> None:
        """Replace the content of a file atomically: readers see the old or the new content."""
        self.write(aside(path), content)
        self.rename(aside(path), path)

    def settle(self, folder: str) -> None:
        """Sync a folder and all files beneath it to disk."""
        for place, _, names in os.walk(folder):
            for name in names:
                _synced(os.path.join(place, name))
            _synced(place)
        self.anchor(folder)


def aside(path: str) -> str:
    """Return the path of a file's new content before the replacement; a crash may leave it behind."""
    return f"{path}.new"


def _synced(path: str) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def file_lock(path: str, *, patience: float) -> Iterator[None]:
    """Hold the lock of a file, which is created if it is missing; the lock ends with the process.

    `patience`: seconds to wait. Raises LockHeld if another process holds the lock for longer."""
    opened = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        _acquire(opened, path, time.monotonic() + patience)
        yield
    finally:
        os.close(opened)


def _acquire(opened: int, path: str, end: float) -> None:
    import fcntl

    while True:
        try:
            return fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise LockHeld(f"another process holds the lock {path}; retry when it has finished") from None
        time.sleep(PAUSE_SECONDS)


def dump_checked(document: Mapping[str, Any]) -> bytes:
    """Return plain data as JSON with its checksum."""
    body = json.dumps(document, sort_keys=True).encode()
    return sha256(body).hexdigest().encode() + b"\n" + body


def load_checked(content: bytes, what: str) -> dict[str, Any]:
    """Return the data that `dump_checked` wrote.

    `what`: name of the content for the error. Raises StateError if the checksum differs."""
    seal, body = content[:SEAL], content[SEAL + 1 :]
    if content[SEAL : SEAL + 1] != b"\n" or sha256(body).hexdigest().encode() != seal:
        raise StateError(f"{what} is damaged: the checksum does not match")
    document: dict[str, Any] = json.loads(body)
    return document
