"""Which texts two regular expressions match: whether one matches all that the other does.

Decided for expressions of the admitted subset (`treaty.contracts.safe_regex`) in ASCII, with anchors at their ends
only, that are not too large. An expression becomes an automaton of its positions (Glushkov): a state is the set of
positions that the last character may have been read at, a bit for each. Both automata are walked together, over
characters of which no expression tells one from another.
"""

import re
from collections.abc import Iterator
from functools import lru_cache, reduce
from typing import NamedTuple

from treaty.contracts.comparison.directions import Direction, inclusion
from treaty.contracts.safe_regex import ALL, UnsafeRegex, bounds, characters, span, tokens_of

MAX_POSITIONS = 256
MAX_STATES = 500
_LINE_BREAK = frozenset({ord("\n")})
Token = tuple[str, str]


class InclusionUndecidable(Exception):
    """The expressions are not compared."""


class RegexPattern(NamedTuple):
    """A regular expression, and whether it may match anywhere within a text, or must match it as a whole."""

    text: str
    is_search: bool = False


class RegexFragment(NamedTuple):
    """A stretch of an expression: whether it matches nothing, too, and the positions it may begin and end with."""

    nullable: bool = True
    first: int = 0
    last: int = 0


class Automaton:
    """The positions of an expression: what each reads, and which may follow it; `whole` is all of it."""

    def __init__(self, pattern: RegexPattern) -> None:
        self.reads: list[frozenset[int]] = []
        self.follow: list[int] = []
        self.at, within = 0, pattern.is_search
        self.tokens, begins, ends = _bare(pattern.text)
        before = RegexFragment() if begins or not within else self._any()
        inner = self._alternatives()
        after = RegexFragment() if not within else _optional(self._read(_LINE_BREAK)) if ends else self._any()
        self.whole = self._joined(self._joined(before, inner), after)

    def accepts(self, state: int | None) -> bool:
        """Whether a text that leads to the state is matched; None: the state of no text."""
        return self.whole.nullable if state is None else bool(state & self.whole.last)

    def reading(self, character: int) -> int:
        """The positions that read the character."""
        return sum(1 << position for position, found in enumerate(self.reads) if character in found)

    def following(self, state: int | None) -> int:
        """The positions that one more character may be read at."""
        reached = self.whole.first if state is None else 0
        for position in _bits(state or 0):
            reached |= self.follow[position]
        return reached

    def _alternatives(self) -> RegexFragment:
        found = self._sequence()
        while self._kind() == "bar":
            self.at += 1
            other = self._sequence()
            found = RegexFragment(found.nullable or other.nullable, found.first | other.first, found.last | other.last)
        return found

    def _sequence(self) -> RegexFragment:
        found = RegexFragment()
        while self._kind() not in {None, "bar", "close"}:
            found = self._joined(found, self._repeated())
        return found

    def _kind(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def _repeated(self) -> RegexFragment:
        start, found = self.at, self._atom()
        if self._kind() != "repeat":
            return found
        end = self.at
        least, most = bounds(self.tokens[end][1])
        times = max(least, 1) if most == float("inf") else int(most)
        parts = [found, *(self._again(start) for _ in range(1, times))][:times]
        if most == float("inf"):
            self._lead(parts[-1].last, parts[-1].first)
        self.at = end + 1
        needed = (part if index < least else _optional(part) for index, part in enumerate(parts))
        return reduce(self._joined, needed, RegexFragment())

    def _again(self, start: int) -> RegexFragment:
        """Another copy of what stands from there on."""
        self.at = start
        return self._atom()

    def _atom(self) -> RegexFragment:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "open":
            inner = self._alternatives()
            self.at += 1
            return inner
        if kind == "anchor" or text in {"\\b", "\\B"}:
            raise InclusionUndecidable
        return self._read(_characters(kind, text))

    def _read(self, found: frozenset[int]) -> RegexFragment:
        if len(self.reads) >= MAX_POSITIONS:
            raise InclusionUndecidable
        position = 1 << len(self.reads)
        self.reads.append(found)
        self.follow.append(0)
        return RegexFragment(nullable=False, first=position, last=position)

    def _any(self) -> RegexFragment:
        found = self._read(ALL)
        self._lead(found.last, found.first)
        return _optional(found)

    def _joined(self, one: RegexFragment, other: RegexFragment) -> RegexFragment:
        self._lead(one.last, other.first)
        first = one.first | (other.first if one.nullable else 0)
        return RegexFragment(one.nullable and other.nullable, first, other.last | (one.last if other.nullable else 0))

    def _lead(self, ends: int, begins: int) -> None:
        for position in _bits(ends):
            self.follow[position] |= begins


def _optional(part: RegexFragment) -> RegexFragment:
    return part._replace(nullable=True)


@lru_cache(maxsize=512)
def of_patterns(old: RegexPattern, new: RegexPattern) -> Direction:
    """The direction from the texts that the old expression matches to those that the new one does. Undetermined where
    that is not decided."""
    if old == new:
        return Direction.UNTESTED
    try:
        return _inclusion_direction(Automaton(old), Automaton(new))
    except (InclusionUndecidable, UnsafeRegex):
        return Direction.UNDETERMINED


def _inclusion_direction(old: Automaton, new: Automaton) -> Direction:
    kinds = [(old.reading(each), new.reading(each)) for each in _kinds([*old.reads, *new.reads])]
    seen: set[tuple[int | None, int | None]] = {(None, None)}
    waiting, more, less = [*seen], False, False
    while waiting and not (more and less):
        before, after = waiting.pop()
        more |= new.accepts(after) and not old.accepts(before)
        less |= old.accepts(before) and not new.accepts(after)
        ahead, beside = old.following(before), new.following(after)
        following = {(ahead & one, beside & other) for one, other in kinds} - seen - {(0, 0)}
        seen |= following
        waiting.extend(following)
        if len(seen) > MAX_STATES:
            raise InclusionUndecidable
    return inclusion(new_within_old=not more, old_within_new=not less)


def _kinds(reads: list[frozenset[int]]) -> list[int]:
    """A character of each kind that all positions read, or do not, alike."""
    distinct = list(dict.fromkeys(reads))
    return list({tuple(character in each for each in distinct): character for character in sorted(ALL)}.values())


def _bits(state: int) -> Iterator[int]:
    while state:
        yield (state & -state).bit_length() - 1
        state &= state - 1


def _bare(pattern: str) -> tuple[list[Token], bool, bool]:
    """The tokens without the anchors at both ends, and whether it had them. Raises Undecided beyond ASCII."""
    tokens = list(tokens_of(pattern))
    if not pattern.isascii():
        raise InclusionUndecidable
    begins, ends = tokens[:1] == [("anchor", "^")], tokens[-1:] == [("anchor", "$")]
    if (begins or ends) and _chooses(tokens):
        raise InclusionUndecidable
    return tokens[begins : len(tokens) - ends], begins, ends


def _chooses(tokens: list[Token]) -> bool:
    """Whether there is a choice outside all parentheses: an anchor is then one branch's alone."""
    depth = 0
    for kind, _ in tokens:
        depth += (kind == "open") - (kind == "close")
        if kind == "bar" and depth == 0:
            return True
    return False


def _characters(kind: str, text: str) -> frozenset[int]:
    """The characters that a token reads, exactly; 128 stands for all beyond ASCII, which none tells apart."""
    if kind == "class":
        return _class(text)
    return ALL - _LINE_BREAK if text == "." and kind == "plain" else characters(kind, text)


def _class(text: str) -> frozenset[int]:
    negated = text.startswith("[^")
    pairs = re.findall(r"(\\.|[^\\])(?:-(\\.|[^\\]))?", text[2 if negated else 1 : -1], flags=re.DOTALL)
    found = frozenset[int]().union(*(span(low, high) for low, high in pairs))
    return ALL - found if negated else found
