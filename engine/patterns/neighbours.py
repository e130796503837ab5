"""Patterns of the lake beside one of them: of the same structure, somewhat narrower or somewhat wider."""

import re
from collections.abc import Iterator, Sequence

from treaty.engine.patterns.language.tokenizer import LADDER

CLASS = re.compile(r"<(\w+)>(\{\d+\}|\+)?")
_RANK = {each.name: at for at, each in enumerate(LADDER)}
_WITHIN = {each.name: frozenset((each.name, *each.within)) for each in LADDER}
Tokens = Sequence[tuple[str, str]]


def structure(text: str) -> str:
    """A pattern with one sign in place of each class, however often it occurs."""
    return CLASS.sub("<>", text)


def width(text: str) -> int:
    """How wide the classes of a pattern are, taken together."""
    return sum(2 * _RANK.get(name, 0) + (times == "+") for name, times in CLASS.findall(text))


def neighbours(text: str, others: Sequence[str], most: int) -> tuple[list[str], list[str]]:
    """Of the others, at most so many that are narrower throughout and that are wider throughout, the nearest first."""
    mine, alike = CLASS.findall(text), [each for each in _of(structure(text), others) if each != text]
    narrower = [each for each in alike if _within(CLASS.findall(each), mine)]
    wider = [each for each in alike if _within(mine, CLASS.findall(each))]
    return sorted(narrower, key=lambda each: (-width(each), each))[:most], sorted(wider, key=_order)[:most]


def _of(wanted: str, texts: Sequence[str]) -> Iterator[str]:
    return (each for each in texts if structure(each) == wanted)


def _order(text: str) -> tuple[int, str]:
    return width(text), text


def _within(narrow: Tokens, wide: Tokens) -> bool:
    """Whether each class, as often as it occurs, is within the one that stands at its place."""
    pairs = zip(narrow, wide, strict=True)
    return all(name in _WITHIN.get(of, (of,)) and often in ("+", times) for (name, times), (of, often) in pairs)
