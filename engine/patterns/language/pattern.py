r"""The pattern language: what a text looks like, as people read it and as Spark matches it.

A pattern is one of a few alternatives, each a sequence of parts:

    2019-<digit>{2}-<digit>{2}      literals, and classes with how often
    <num> kg|<upper>+               a signed number with decimals; alternatives
    (/<word>+){1,4}                 a repeated or optional stretch
    [<letter><digit> .]{3,40}       any of these characters

Classes: <digit> <lower> <upper> <letter> <alphanum> <hex> <HEX> (of ASCII), <word> (letters and digits of any script,
and whatever else lies beyond U+00A0), <any>. How often: nothing (once), {k}, {a,b}, +, *, ?. A backslash makes a
literal of `< > [ ] { } ( ) + * ? | \`. After figure 4 of the paper; sets, stretches and alternatives are beyond it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from treaty.contracts.safe_regex import UnsafeRegex, inspect_regex

pass

# A class by its name: the inside of a bracket of a regular expression, the same to Python and to Java.
CLASSES = {
    "digit": "0-9",
    "lower": "a-z",
    "upper": "A-Z",
    "letter": "A-Za-z",
    "alphanum": "0-9A-Za-z",
    "hex": "0-9a-f",
    "HEX": "0-9A-F",
    "word": "0-9A-Za-z\u00a1-\U0010ffff",
    "any": "\u0000-\U0010ffff",
}
NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_SPECIAL = frozenset("<>[]{}()+*?|\\")
_ESCAPED = re.compile(r"([][<>{}()+*?|\\])")
_IN_REGEX = re.compile(r"([][^$.|?*+(){}\\])")
_IN_BRACKET = re.compile(r"([][\\^&-])")


class PatternError(ValueError):
    """The text is not a pattern."""


def escaped(characters: str) -> str:
    """Characters as a pattern writes them."""
    return _ESCAPED.sub(r"\\\1", characters)


@dataclass(frozen=True)
class Repetition:
    """How often a part occurs; `most` None is without end."""

    least: int = 1
    most: int | None = 1

    @property
    def text(self) -> str:
        """As a pattern and as a regular expression write it; '' for once."""
        if self.most == self.least:
            return "" if self.least == 1 else f"{{{self.least}}}"
        sign = {(low, high): sign for sign, (low, high) in _TIMES.items()}.get((self.least, self.most))
        return sign or f"{{{self.least},{'' if self.most is None else self.most}}}"


ONCE = Repetition()
SOME = Repetition(1, None)


@dataclass(frozen=True)
class LiteralToken:
    """These characters."""

    characters: str

    @property
    def text(self) -> str:
        """As the language writes it."""
        return escaped(self.characters)

    @property
    def regex(self) -> str:
        """As a regular expression writes it."""
        return _IN_REGEX.sub(r"\\\1", self.characters)

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Where a match that begins at `start` may end."""
        if value.startswith(self.characters, start):
            yield start + len(self.characters)


@dataclass(frozen=True)
class NumberToken:
    """A number as people write it: a sign perhaps, digits, decimals perhaps."""

    text = "<num>"
    regex = NUMBER

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Where a match that begins at `start` may end."""
        digits = start + value.startswith("-", start)
        for end in _run("0-9", value, digits, SOME):
            yield end
            if value.startswith(".", end):
                yield from _run("0-9", value, end + 1, SOME)


@dataclass(frozen=True)
class CharacterToken:
    """So many characters, each of one of the classes or one of the others."""

    classes: tuple[str, ...]
    times: Repetition = ONCE
    others: str = ""

    @property
    def text(self) -> str:
        """As the language writes it."""
        named = "".join(f"<{name}>" for name in self.classes)
        plain = len(self.classes) == 1 and not self.others
        return (named if plain else f"[{named}{escaped(self.others)}]") + self.times.text

    @property
    def regex(self) -> str:
        """As a regular expression writes it."""
        return f"[{self._inside}]{self.times.text}"

    @cached_property
    def _inside(self) -> str:
        others = "".join(_IN_BRACKET.sub(r"\\\1", each) for each in self.others)
        return "".join(CLASSES[name] for name in self.classes) + others

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Where a match that begins at `start` may end."""
        return _run(self._inside, value, start, self.times)


def _run(inside: str, value: str, start: int, times: Repetition) -> Iterator[int]:
    if times.least == 0:
        yield start
    limit = len(value) if times.most is None else min(len(value), start + times.most)
    for at in range(start, limit):
        if not _member(inside, value[at]):
            return
        if at + 1 - start >= max(1, times.least):
            yield at + 1


def _member(inside: str, character: str) -> bool:
    """Whether the inside of a bracket names a character: ranges and single characters, as written above."""
    at = 0
    while at < len(inside):
        at += inside[at] == "\\"
        ranged = inside[at + 1 : at + 2] == "-" and at + 2 < len(inside)
        high = inside[at + 2] if ranged else inside[at]
        if inside[at] <= character <= high:
            return True
        at += 3 if ranged else 1
    return False


@dataclass(frozen=True)
class Stretch:
    """A sequence of parts that occurs so often."""

    parts: tuple["Part", ...]
    times: Repetition

    @property
    def text(self) -> str:
        """As the language writes it."""
        return f"({''.join(part.text for part in self.parts)}){self.times.text}"

    @property
    def regex(self) -> str:
        """As a regular expression writes it."""
        return f"(?:{''.join(part.regex for part in self.parts)}){self.times.text}"

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Where a match that begins at `start` may end."""
        reached, seen, done = {start}, {start} if self.times.least == 0 else set(), 0
        while reached and (self.times.most is None or done < self.times.most):
            reached, done = ends(self.parts, value, reached), done + 1
            reached = reached - seen if done > self.times.least else reached
            seen |= reached if done >= self.times.least else set()
        return iter(seen)


Part = LiteralToken | NumberToken | CharacterToken | Stretch


def ends(parts: Sequence[Part], value: str, starts: set[int]) -> set[int]:
    """Where matches of the parts in turn may end that begin at one of `starts`."""
    for part in parts:
        starts = {end for start in starts for end in part.ends(value, start)}
    return starts


@dataclass(frozen=True)
class Pattern:
    """A pattern: one of its alternatives matches a text as a whole, or none does."""

    alternatives: tuple[tuple[Part, ...], ...]

    @cached_property
    def text(self) -> str:
        """As people read it; `parse` reads it back."""
        return "|".join("".join(part.text for part in parts) for parts in self.alternatives)

    @cached_property
    def regex(self) -> str:
        """A regular expression that matches the same texts, as wholes, in Python and in Spark."""
        return "|".join("".join(part.regex for part in parts) for parts in self.alternatives)

    @cached_property
    def texts(self) -> frozenset[str] | None:
        """The texts that the pattern lists; None where it is more than a list of texts."""
        listed = [part for parts in self.alternatives for part in parts if isinstance(part, LiteralToken)]
        if any(len(parts) > 1 for parts in self.alternatives) or len(listed) < sum(map(len, self.alternatives)):
            return None
        return frozenset(each.characters for each in listed) | ({""} if () in self.alternatives else set())

    def matches(self, value: str) -> bool:
        """Whether the pattern matches the whole text: told from the parts, in time linear in text times parts."""
        return any(len(value) in ends(parts, value, {0}) for parts in self.alternatives)

    @property
    def is_safe(self) -> bool:
        """Whether Spark may be given the regular expression: of the admitted subset (`treaty.contracts.safe_regex`)."""
        return _is_safe(self.regex)

    def __str__(self) -> str:
        return self.text


def union(patterns: Sequence[Pattern]) -> Pattern:
    """A pattern that matches what one of these does; equal alternatives once."""
    return Pattern(tuple(dict.fromkeys(parts for pattern in patterns for parts in pattern.alternatives)))


def joined(patterns: Sequence[Pattern]) -> Pattern:
    """One after the other, of patterns with one alternative each."""
    return Pattern((_merged([part for pattern in patterns for part in pattern.alternatives[0]]),))


def compiled(pattern: Pattern) -> re.Pattern[str]:
    """The regular expression for Python; use `fullmatch`."""
    return _compiled(pattern.regex)


# Columns of one lake come to the same patterns again and again, and compiling is dearer than matching.
@lru_cache(maxsize=1 << 13)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


@lru_cache(maxsize=1 << 13)
def _is_safe(regex: str) -> bool:
    try:
        inspect_regex(regex)
    except UnsafeRegex:
        return False
    return True


_TIMES = {"+": (1, None), "*": (0, None), "?": (0, 1)}


def _merged(parts: Sequence[Part]) -> tuple[Part, ...]:
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, LiteralToken) and isinstance(last, LiteralToken):
            merged[-1] = LiteralToken(last.characters + part.characters)
        else:
            merged.append(part)
    return tuple(merged)
