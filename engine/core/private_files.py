"""Files and folders that only their owner can read."""

import logging
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import IO

from treaty.engine.core.errors import EngineError

FILE, FOLDER, OTHERS = 0o600, 0o700, 0o077
log = logging.getLogger("treaty.files")


def make_folder(path: str | os.PathLike[str]) -> bool:
    """Create a folder, with missing parents, for its owner only; return whether it was missing.

    An existing folder is not changed."""
    folder = Path(path)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=FOLDER)
    except FileExistsError:
        return False
    return True


def open_log(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a log file for its owner only, to append to it.

    Its folder is created if it is missing."""
    make_folder(Path(path).parent)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE), "wb")


def make_file(path: str | os.PathLike[str]) -> None:
    """Create an empty file for its owner only; an existing file is not changed. Raises OSError."""
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, FILE))


def restrict(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Restrict existing files and folders to their owner, with a warning for each change.

    Missing ones are skipped. Raises EngineError if the mode of one cannot be changed."""
    for path in map(Path, paths):
        # SQLite removes its additional files at any time.
        with suppress(FileNotFoundError):
            if path.stat().st_mode & OTHERS:
                _restrict(path)


def _restrict(path: Path) -> None:
    try:
        path.chmod(FOLDER if path.is_dir() else FILE)
    except FileNotFoundError:
        raise
    except OSError as error:
        reason = f"other users can access {path}, and its mode cannot be changed: {error.strerror}"
        raise EngineError(f"{reason}; restrict it to its owner (chmod go-rwx)", retry=False) from None
    log.warning("other users could access %s; it is restricted to its owner now", path)
