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
    """Parse the text of a pattern. Raises PatternError with the position of the error."""
    alternatives, at = _alternatives(text)
    if at < len(text):
        raise PatternError(f"character {at + 1} of the pattern closes a parenthesis that is not open")
    return Pattern(tuple(alternatives))


def _alternatives(text: str) -> tuple[list[tuple[Part, ...]], int]:
    sequences, at = [], 0
    while True:
        parts, at = _sequence(text, at)
        sequences.append(parts)
        if text[at : at + 1] != "|":
            return sequences, at
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
    matched = _NAMED.match(text, at)
    if matched is None or matched.group(1) not in CLASSES:
        raise PatternError(
            f"character {at + 1} of the pattern does not begin a class; use one of {', '.join(CLASSES)}, num"
        )
    return matched.group(1), matched.end()


def _set(text: str, at: int) -> tuple[Part, int]:
    opened, classes, characters = at, [], ""
    at += 1
    while text[at : at + 1] != "]":
        if at >= len(text):
            raise PatternError(f"the bracket at character {opened + 1} of the pattern is not closed")
        if text[at] == "<":
            name, at = _name(text, at)
            classes.append(name)
        else:
            character, at = _character(text, at)
            characters += character
    times, at = _times(text, at + 1)
    return CharacterToken(tuple(classes), times, characters), at


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
    matched = _COUNT.match(text, at)
    if matched is None:
        return ONCE, at
    if matched.group(3):
        return Repetition(*_TIMES[matched.group(3)]), matched.end()
    least, most = int(matched.group(1)), matched.group(2)
    return Repetition(least, least if most is None else int(most) if most else None), matched.end()
