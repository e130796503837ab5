"""Load key rings from files or the environment: the first key signs, all keys verify.

To rotate a key, put a new one before it: signatures of the old key verify until it is removed. Rotation ends no user
sessions, because session and token secrets are random and stored as hashes; no key signs them."""

from collections.abc import Sequence
from pathlib import Path

from treaty.engine.core import key_files
from treaty.engine.core.hash_key import SIZE, HashKey
from treaty.registry.core.settings import ConfigError


def ring(name: str, *, texts: str, files: Sequence[str]) -> tuple[HashKey, ...]:
    """Return the keys of a setting, without duplicates.

    Files that do not exist are skipped; () if there is no key at all. Raises ConfigError, which names the setting and
    never the key, if a text is not a valid key. Raises EngineError if a file is not a valid key or other users of this
    machine may read it.

    `name`: the setting, for errors.
    `texts`: keys as hexadecimal digits, comma-separated; they come first.
    `files`: paths of key files."""
    text_keys = [_of(name, each.strip()) for each in texts.split(",") if each.strip()]
    file_keys = [key_files.read(each) for each in files if Path(each).exists()]
    return tuple({each.id: each for each in (*text_keys, *file_keys)}.values())


def _of(name: str, text: str) -> HashKey:
    try:
        content = bytes.fromhex(text)
    except ValueError:
        content = b""
    if len(content) != SIZE:
        raise ConfigError(f"{name}: a key must have {2 * SIZE} hexadecimal digits.")
    return HashKey(content)
