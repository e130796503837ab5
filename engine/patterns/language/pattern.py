r"""The pattern language: the shape of texts, readable for people and executable in Spark.

A pattern is one of a few alternatives, each a sequence of parts:

    2019-<digit>{2}-<digit>{2}      literals, and classes with repetitions
    <num> kg|<upper>+               a signed number with decimals; alternatives
    (/<word>+){1,4}                 a repeated or optional sequence
    [<letter><digit> .]{3,40}       any of these characters

Classes: <digit> <lower> <upper> <letter> <alphanum> <hex> <HEX> (all ASCII), <word> (letters and digits of every
script, and everything else beyond U+00A0), <any>. Repetitions: nothing (once), {k}, {a,b}, +, *, ?. A backslash
makes a literal of `< > [ ] { } ( ) + * ? | \`. After figure 4 of the paper; sets, sequences and alternatives are
additions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex

pass

# Each class as the inside of a regular expression's bracket, equal in Python and Java.
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
    """Escape characters for a pattern."""
    return _ESCAPED.sub(r"\\\1", characters)


@dataclass(frozen=True)
class Repetition:
    """Number of times that a part occurs; `most` None means unlimited."""

    least: int = 1
    most: int | None = 1

    @property
    def text(self) -> str:
        """Return the repetition as in a pattern or a regular expression; '' for once."""
        if self.most == self.least:
            return "" if self.least == 1 else f"{{{self.least}}}"
        sign = {(low, high): sign for sign, (low, high) in _TIMES.items()}.get((self.least, self.most))
        return sign or f"{{{self.least},{'' if self.most is None else self.most}}}"


ONCE = Repetition()
SOME = Repetition(1, None)


@dataclass(frozen=True)
class LiteralToken:
    """Literal characters."""

    characters: str

    @property
    def text(self) -> str:
        """Return the part in the pattern language."""
        return escaped(self.characters)

    @property
    def regex(self) -> str:
        """Return the part as a regular expression."""
        return _IN_REGEX.sub(r"\\\1", self.characters)

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Yield the possible ends of a match that begins at `start`."""
        if value.startswith(self.characters, start):
            yield start + len(self.characters)


@dataclass(frozen=True)
class NumberToken:
    """A decimal number: optional sign, digits, optional decimals."""

    text = "<num>"
    regex = NUMBER

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Yield the possible ends of a match that begins at `start`."""
        digits = start + value.startswith("-", start)
        for end in _run("0-9", value, digits, SOME):
            yield end
            if value.startswith(".", end):
                yield from _run("0-9", value, end + 1, SOME)


@dataclass(frozen=True)
class CharacterToken:
    """A repeated character of one of the classes or among `others`."""

    classes: tuple[str, ...]
    times: Repetition = ONCE
    others: str = ""

    @property
    def text(self) -> str:
        """Return the part in the pattern language."""
        named = "".join(f"<{name}>" for name in self.classes)
        plain = len(self.classes) == 1 and not self.others
        return (named if plain else f"[{named}{escaped(self.others)}]") + self.times.text

    @property
    def regex(self) -> str:
        """Return the part as a regular expression."""
        return f"[{self._inside}]{self.times.text}"

    @cached_property
    def _inside(self) -> str:
        escaped_others = "".join(_IN_BRACKET.sub(r"\\\1", each) for each in self.others)
        return "".join(CLASSES[name] for name in self.classes) + escaped_others

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Yield the possible ends of a match that begins at `start`."""
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
    """Return whether the inside of a bracket contains a character: ranges and single characters, as above."""
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
    """A repeated sequence of parts."""

    parts: tuple["Part", ...]
    times: Repetition

    @property
    def text(self) -> str:
        """Return the part in the pattern language."""
        return f"({''.join(part.text for part in self.parts)}){self.times.text}"

    @property
    def regex(self) -> str:
        """Return the part as a regular expression."""
        return f"(?:{''.join(part.regex for part in self.parts)}){self.times.text}"

    def ends(self, value: str, start: int) -> Iterator[int]:
        """Return the possible ends of a match that begins at `start`."""
        reached, results, done = {start}, {start} if self.times.least == 0 else set(), 0
        while reached and (self.times.most is None or done < self.times.most):
            reached, done = ends(self.parts, value, reached), done + 1
            reached = reached - results if done > self.times.least else reached
            results |= reached if done >= self.times.least else set()
        return iter(results)


Part = LiteralToken | NumberToken | CharacterToken | Stretch


def ends(parts: Sequence[Part], value: str, starts: set[int]) -> set[int]:
    """Return the possible ends of the parts in sequence, beginning at one of `starts`."""
    for part in parts:
        starts = {end for start in starts for end in part.ends(value, start)}
    return starts


@dataclass(frozen=True)
class Pattern:
    """A pattern: it matches a text if one of its alternatives matches the whole text."""

    alternatives: tuple[tuple[Part, ...], ...]

    @cached_property
    def text(self) -> str:
        """Return the pattern in the pattern language; `parse` is the inverse."""
        return "|".join("".join(part.text for part in parts) for parts in self.alternatives)

    @cached_property
    def regex(self) -> str:
        """Return a regular expression that matches the same whole texts in Python and in Spark."""
        return "|".join("".join(part.regex for part in parts) for parts in self.alternatives)

    @cached_property
    def texts(self) -> frozenset[str] | None:
        """Return the texts of a pattern that is a list of texts; None for other patterns."""
        literals = [part for parts in self.alternatives for part in parts if isinstance(part, LiteralToken)]
        if any(len(parts) > 1 for parts in self.alternatives) or len(literals) < sum(map(len, self.alternatives)):
            return None
        return frozenset(each.characters for each in literals) | ({""} if () in self.alternatives else set())

    def matches(self, value: str) -> bool:
        """Return whether the pattern matches the whole text, in time linear in text times parts."""
        return any(len(value) in ends(parts, value, {0}) for parts in self.alternatives)

    @property
    def is_safe(self) -> bool:
        """Return whether the regular expression is in the subset that Spark may run.

        See `treaty.contracts.limits.safe_regex`."""
        return _is_safe(self.regex)

    def __str__(self) -> str:
        return self.text


def union(patterns: Sequence[Pattern]) -> Pattern:
    """Return a pattern that matches what any of these matches; equal alternatives once."""
    return Pattern(tuple(dict.fromkeys(parts for pattern in patterns for parts in pattern.alternatives)))


def joined(patterns: Sequence[Pattern]) -> Pattern:
    """Concatenate patterns with one alternative each."""
    return Pattern((_merged([part for pattern in patterns for part in pattern.alternatives[0]]),))


def compiled(pattern: Pattern) -> re.Pattern[str]:
    """Return the compiled regular expression; use `fullmatch`."""
    return _compiled(pattern.regex)


# Columns of one lake often have the same patterns, and compiling is more expensive than matching.
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
