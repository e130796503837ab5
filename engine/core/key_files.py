"""Key files: 32 random bytes from which the keys of datasets are derived, readable only by their owner."""

import os
import secrets

from treaty.engine.core.errors import EngineError
from treaty.engine.core.hash_key import SIZE, HashKey

Path = str | os.PathLike[str]


def read(path: Path) -> HashKey:
    """Read the key from a file.

    Raises EngineError if the file cannot be read, has another size, or is readable by other users."""
    try:
        with open(path, "rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            content = stream.read()
    except OSError as error:
        raise EngineError(f"the key file {path} cannot be read: {error.strerror}", retry=False) from None
    if len(content) != SIZE:
        raise EngineError(f"{path} is not a key file: it must contain {SIZE} random bytes", retry=False)
    if mode & 0o077:
        raise EngineError(
            f"other users can read the key file {path}; restrict it to its owner (chmod 600)", retry=False
        )
    return HashKey(content)


def make(path: Path) -> None:
    """Create a key file for its owner only; an existing file stays unchanged.

    The file appears complete or not at all, even if several processes create it at once."""
    if os.path.exists(path):
        return
    unfinished = f"{path}.{secrets.token_hex(8)}"
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(secrets.token_bytes(SIZE))
            stream.flush()
            os.fsync(stream.fileno())
        # A link, unlike a rename, does not replace a key that another process created first.
        os.link(unfinished, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(unfinished)
