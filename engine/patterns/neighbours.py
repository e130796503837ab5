"""Neighbors of a pattern in the lake: patterns of the same structure that are narrower or wider."""

import re
from collections.abc import Iterator, Sequence

from treaty.engine.patterns.language.tokenizer import LADDER

CLASS = re.compile(r"<(\w+)>(\{\d+\}|\+)?")
_RANK = {each.name: at for at, each in enumerate(LADDER)}
_WITHIN = {each.name: frozenset((each.name, *each.within)) for each in LADDER}
Tokens = Sequence[tuple[str, str]]


def structure(text: str) -> str:
    """Return a pattern with one sign in place of each class and its repetition."""
    return CLASS.sub("<>", text)


def width(text: str) -> int:
    """Return the total width of a pattern's classes."""
    return sum(2 * _RANK.get(name, 0) + (times == "+") for name, times in CLASS.findall(text))


def neighbours(text: str, candidates: Sequence[str], most: int) -> tuple[list[str], list[str]]:
    """Return the nearest patterns that are narrower, and those that are wider, in every class.

    At most `most` of each, the nearest first."""
    own_tokens, same_structure = (
        CLASS.findall(text),
        [each for each in _of(structure(text), candidates) if each != text],
    )
    narrower = [each for each in same_structure if _within(CLASS.findall(each), own_tokens)]
    wider = [each for each in same_structure if _within(own_tokens, CLASS.findall(each))]
    return sorted(narrower, key=lambda each: (-width(each), each))[:most], sorted(wider, key=_order)[:most]


def _of(text: str, texts: Sequence[str]) -> Iterator[str]:
    return (each for each in texts if structure(each) == text)


def _order(text: str) -> tuple[int, str]:
    return width(text), text


def _within(narrow: Tokens, wide: Tokens) -> bool:
    """Return whether each class and repetition is contained in the one at the same position."""
    pairs = zip(narrow, wide, strict=True)
    return all(name in _WITHIN.get(of, (of,)) and often in ("+", times) for (name, times), (of, often) in pairs)
