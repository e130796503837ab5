"""What texts look like, of values that are known one by one: the masks that `treaty.engine.components.text_masks`
writes in SQL."""

from collections import Counter
from collections.abc import Mapping
from unicodedata import category

from treaty.engine.components.text_masks import LONGEST

_LETTERS = {"Lu": "A", "Ll": "a", "Nd": "0"}


def mask_of(text: str, *, longest: int | None = LONGEST) -> str:
    """The mask of a text: A for upper-case letters, a for lower-case ones, 0 for digits, x for what else is beyond
    ASCII; the punctuation of ASCII stays. Of the first 64 characters, or so many; None: of all."""
    return "".join(map(_mark, text[:longest]))


def masks_of(counts: Mapping[str, int]) -> dict[str, int]:
    """How many of these texts have each mask."""
    found: Counter[str] = Counter()
    for text, count in counts.items():
        found[mask_of(text)] += count
    return dict(found)


def _mark(character: str) -> str:
    return _LETTERS.get(category(character)) or (character if character.isascii() else "x")
