"""Stable 64-bit ids of patterns: a polynomial hash of their text, composed token by token.

The id of a sequence follows from the ids of its pieces, so that products of options are hashed without building
their texts: `id(xy) = id(x) * B ** len(y) + id(y)` modulo 2 ** 64. Ids are equal on every machine and in every
process."""

from dataclasses import dataclass
from functools import lru_cache

WIDTH = (1 << 64) - 1
_BASE = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class TextSlice:
    """A piece of a pattern's text with its hash.

    `factor`: multiplier of the hash of the text before it."""

    text: str
    id: int
    factor: int


@lru_cache(maxsize=1 << 16)
def piece(text: str) -> TextSlice:
    """Hash a piece of a pattern's text."""
    hashed = 0
    for character in text:
        hashed = (hashed * _BASE + _scattered(ord(character))) & WIDTH
    return TextSlice(text, hashed, pow(_BASE, len(text), 1 << 64))


@lru_cache(maxsize=1 << 12)
def _scattered(code: int) -> int:
    """Return a pseudo-random number for each character (splitmix64's finalizer)."""
    mixed = ((code + 1) * 0xBF58476D1CE4E5B9) & WIDTH
    mixed ^= mixed >> 30
    mixed = (mixed * 0x94D049BB133111EB) & WIDTH
    return mixed ^ (mixed >> 31)


def identity(text: str) -> int:
    """Return the id of a pattern from its text."""
    return piece(text).id
