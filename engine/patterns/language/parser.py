"""Parse the text of a pattern."""

import re

from treaty.engine.patterns.language.pattern import (
    _SPECIAL,
    _TIMES,
    CLASSES,
    ONCE,
    CharacterToken,
    LiteralToken,
    NumberToken,
    Part,
    Pattern,
    PatternError,
    Repetition,
    Stretch,
    _merged,
)

_COUNT = re.compile(r"\{(\d{1,4})(?:,(\d{0,4}))?\}|([+*?])")


_NAMED = re.compile(r"<([A-Za-z]+)>")


def parse(text: str) -> Pattern:
    """The pattern that a text writes. Raises PatternError, which says at which character it is none."""
    alternatives, at = _alternatives(text)
    if at < len(text):
        raise PatternError(f"character {at + 1} of the pattern closes what nothing opens")
    return Pattern(tuple(alternatives))


def _alternatives(text: str) -> tuple[list[tuple[Part, ...]], int]:
    found, at = [], 0
    while True:
        parts, at = _sequence(text, at)
        found.append(parts)
        if text[at : at + 1] != "|":
            return found, at
        at += 1


def _sequence(text: str, at: int) -> tuple[tuple[Part, ...], int]:
    parts: list[Part] = []
    while at < len(text) and text[at] not in "|)":
        part, at = _part(text, at)
        parts.append(part)
    return _merged(parts), at


def _part(text: str, at: int) -> tuple[Part, int]:
    if text[at] == "<":
        return _class(text, at)
    if text[at] == "[":
        return _set(text, at)
    if text[at] == "(":
        return _stretch(text, at)
    character, at = _character(text, at)
    return LiteralToken(character), at


def _class(text: str, at: int) -> tuple[Part, int]:
    if text.startswith("<num>", at):
        return NumberToken(), at + 5
    name, at = _name(text, at)
    times, at = _times(text, at)
    return CharacterToken((name,), times), at


def _name(text: str, at: int) -> tuple[str, int]:
    found = _NAMED.match(text, at)
    if found is None or found.group(1) not in CLASSES:
        raise PatternError(f"character {at + 1} of the pattern begins no class; there are: {', '.join(CLASSES)}, num")
    return found.group(1), found.end()


def _set(text: str, at: int) -> tuple[Part, int]:
    opened, classes, others = at, [], ""
    at += 1
    while text[at : at + 1] != "]":
        if at >= len(text):
            raise PatternError(f"the bracket at character {opened + 1} of the pattern is not closed")
        if text[at] == "<":
            name, at = _name(text, at)
            classes.append(name)
        else:
            character, at = _character(text, at)
            others += character
    times, at = _times(text, at + 1)
    return CharacterToken(tuple(classes), times, others), at


def _stretch(text: str, at: int) -> tuple[Part, int]:
    parts, end = _sequence(text, at + 1)
    if text[end : end + 1] != ")":
        raise PatternError(f"the parenthesis at character {at + 1} of the pattern is not closed")
    times, end = _times(text, end + 1)
    return Stretch(parts, times), end


def _character(text: str, at: int) -> tuple[str, int]:
    if text[at] == "\\" and at + 1 < len(text):
        return text[at + 1], at + 2
    if text[at] in _SPECIAL:
        raise PatternError(f"character {at + 1} of the pattern needs a backslash before it")
    return text[at], at + 1


def _times(text: str, at: int) -> tuple[Repetition, int]:
    found = _COUNT.match(text, at)
    if found is None:
        return ONCE, at
    if found.group(3):
        return Repetition(*_TIMES[found.group(3)]), found.end()
    least, most = int(found.group(1)), found.group(2)
    return Repetition(least, least if most is None else int(most) if most else None), found.end()
