"""Compute masks of single values in Python, equal to those computed in SQL by `treaty.engine.components.text_masks`."""

from collections import Counter
from collections.abc import Mapping
from unicodedata import category

from treaty.engine.components.text_masks import LONGEST

_LETTERS = {"Lu": "A", "Ll": "a", "Nd": "0"}


def mask_of(text: str, *, longest: int | None = LONGEST) -> str:
    """Return the mask of a text: A for upper-case letters, a for lower-case ones, 0 for digits.

    Other characters become x beyond ASCII and stay as they are within it. `longest`: number of characters used; None
    means all."""
    return "".join(map(_mark, text[:longest]))


def masks_of(counts: Mapping[str, int]) -> dict[str, int]:
    """Count these texts by mask."""
    totals: Counter[str] = Counter()
    for text, count in counts.items():
        totals[mask_of(text)] += count
    return dict(totals)


def _mark(character: str) -> str:
    return _LETTERS.get(category(character)) or (character if character.isascii() else "x")
