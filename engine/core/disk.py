"""Changes to files of this machine, each of them whole on disk before the next begins, and locks that end with their
process."""

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
    """The few ways in which files are changed. Tests hand in one that ends at a chosen step."""

    def write(self, path: str, content: bytes) -> None:
        """Makes or overwrites a file; after a crash half of it may be there."""
        with open(path, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())

    def rename(self, origin: str, target: str) -> None:
        """Gives a file or folder another name, in one step; missing parents of the target are made.

        Raises OSError where the target is a folder that holds something."""
        self.folder(os.path.dirname(target))
        os.rename(origin, target)
        for parent in dict.fromkeys([os.path.dirname(target), os.path.dirname(origin)]):
            _synced(parent)

    def folder(self, path: str) -> None:
        """Makes a folder with its missing parents; of one that is there the name lasts from now on."""
        if os.path.isdir(path):
            self.anchor(path)
            return
        parent = os.path.dirname(path)
        self.folder(parent)
        with suppress(FileExistsError):
            os.mkdir(path)
        _synced(parent)

    def anchor(self, path: str) -> None:
        """Has what is there under this name, or that nothing is, last: who made it so may have ended before that."""
        # Where we may not look, another one made it.
        with suppress(FileNotFoundError, PermissionError):
            _synced(os.path.dirname(path))

    def remove(self, path: str) -> None:
        """Removes a file; one that is gone is no matter."""
        with suppress(FileNotFoundError):
            os.remove(path)
        self.anchor(path)

    def clear(self, folder: str) -> None:
        """Removes a folder with all that is in it, not in one step; one that is gone is no matter."""
        shutil.rmtree(folder, ignore_errors=True)

    def replace(self, path: str, content: bytes) -> None:
        """Gives a file new content in one step: whoever reads it sees the old or the new."""
        self.write(aside(path), content)
        self.rename(aside(path), path)

    def settle(self, folder: str) -> None:
        """Has a folder and all files beneath it written out, so that a loss of power takes nothing of them."""
        for place, _, names in os.walk(folder):
            for name in names:
                _synced(os.path.join(place, name))
            _synced(place)
        self.anchor(folder)


def aside(path: str) -> str:
    """Where the new content of a file is written first; a crash may leave it there."""
    return f"{path}.new"


def _synced(path: str) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextmanager
def file_lock(path: str, *, patience: float) -> Iterator[None]:
    """Holds the lock of that file, which is made where it is missing; it ends with the process, whatever ends that.

    Raises Busy where another one holds it for longer than `patience` seconds."""
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
                raise LockHeld(f"another process holds {path}: try again when it has ended") from None
        time.sleep(PAUSE_SECONDS)


def dump_checked(document: Mapping[str, Any]) -> bytes:
    """Plain data as JSON with its checksum."""
    body = json.dumps(document, sort_keys=True).encode()
    return sha256(body).hexdigest().encode() + b"\n" + body


def load_checked(content: bytes, what: str) -> dict[str, Any]:
    """The plain data that was sealed. Raises StateError, naming `what`, where a bit of it is other than it was."""
    seal, body = content[:SEAL], content[SEAL + 1 :]
    if content[SEAL : SEAL + 1] != b"\n" or sha256(body).hexdigest().encode() != seal:
        raise StateError(f"{what} is damaged: the checksum differs")
    found: dict[str, Any] = json.loads(body)
    return found
