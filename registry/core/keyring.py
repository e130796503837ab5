"""Rings of keys, from files or from the environment: the first signs, all are recognised.

A key is changed by putting another before it: what it signed is recognised until it is taken out. Nobody's session ends
with that: secrets of sessions and tokens are random and kept as hashes, no key signs them."""

from collections.abc import Sequence
from pathlib import Path

from treaty.engine.core import key_files
from treaty.engine.core.hash_key import SIZE, HashKey
from treaty.registry.core.settings import ConfigError


def ring(name: str, *, texts: str, files: Sequence[str]) -> tuple[HashKey, ...]:
    """The keys that `texts` has as hexadecimal digits, comma-separated, then those in the files; each once.

    A file that is not there is no key: () where there is none at all. Raises ConfigError, naming the setting and never
    the key, for a text that is none; EngineError for a file that is none, or that others of this machine may read."""
    given = [_of(name, each.strip()) for each in texts.split(",") if each.strip()]
    kept = [key_files.read(each) for each in files if Path(each).exists()]
    return tuple({each.id: each for each in (*given, *kept)}.values())


def _of(name: str, text: str) -> HashKey:
    try:
        content = bytes.fromhex(text)
    except ValueError:
        content = b""
    if len(content) != SIZE:
        raise ConfigError(f"{name}: a key is {2 * SIZE} hexadecimal digits")
    return HashKey(content)
