"""Decide whether one regular expression matches every text that another one matches.

Decided for expressions of the allowed subset (`treaty.contracts.limits.safe_regex`) in ASCII, anchored only at their
ends, and of limited size. An expression becomes a position automaton (Glushkov): a state is the set of positions at
which the last character may have been read, one bit each. Both automata are traversed together, over classes of
characters that no position distinguishes."""

from collections.abc import Iterator
from functools import lru_cache, reduce
from typing import NamedTuple

from treaty.contracts.comparison.directions import Direction, inclusion
from treaty.contracts.limits.safe_regex import ALL, UnsafeRegex, bounds, characters, members, tokens_of

MAX_POSITIONS = 256
MAX_STATES = 500
_LINE_BREAK = frozenset({ord("\n")})
Token = tuple[str, str]


class InclusionUndecidable(Exception):
    """The expressions cannot be compared."""


class RegexPattern(NamedTuple):
    """A regular expression. `is_search`: it may match anywhere in a text, not only the whole text."""

    text: str
    is_search: bool = False


class RegexFragment(NamedTuple):
    """A section of an expression.

    `nullable`: it matches the empty text. `first`, `last`: the positions that it may begin and end with, as bits."""

    nullable: bool = True
    first: int = 0
    last: int = 0


class Automaton:
    """The positions of an expression, with the characters and successors of each.

    `whole`: the fragment of the entire expression."""

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
        """Return whether a text that leads to the state matches; None is the initial state."""
        return self.whole.nullable if state is None else bool(state & self.whole.last)

    def reading(self, character: int) -> int:
        """Return the positions that read the character."""
        return sum(1 << position for position, readable in enumerate(self.reads) if character in readable)

    def following(self, state: int | None) -> int:
        """Return the positions at which the next character may be read."""
        reached = self.whole.first if state is None else 0
        for position in _bits(state or 0):
            reached |= self.follow[position]
        return reached

    def _alternatives(self) -> RegexFragment:
        fragment = self._sequence()
        while self._kind() == "bar":
            self.at += 1
            other = self._sequence()
            fragment = RegexFragment(
                fragment.nullable or other.nullable, fragment.first | other.first, fragment.last | other.last
            )
        return fragment

    def _sequence(self) -> RegexFragment:
        fragment = RegexFragment()
        while self._kind() not in {None, "bar", "close"}:
            fragment = self._joined(fragment, self._repeated())
        return fragment

    def _kind(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def _repeated(self) -> RegexFragment:
        start, fragment = self.at, self._atom()
        if self._kind() != "repeat":
            return fragment
        end = self.at
        least, most = bounds(self.tokens[end][1])
        times = max(least, 1) if most == float("inf") else int(most)
        parts = [fragment, *(self._again(start) for _ in range(1, times))][:times]
        if most == float("inf"):
            self._lead(parts[-1].last, parts[-1].first)
        self.at = end + 1
        needed = (part if index < least else _optional(part) for index, part in enumerate(parts))
        return reduce(self._joined, needed, RegexFragment())

    def _again(self, start: int) -> RegexFragment:
        """Return another copy of the atom at this token."""
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

    def _read(self, states: frozenset[int]) -> RegexFragment:
        if len(self.reads) >= MAX_POSITIONS:
            raise InclusionUndecidable
        position = 1 << len(self.reads)
        self.reads.append(states)
        self.follow.append(0)
        return RegexFragment(nullable=False, first=position, last=position)

    def _any(self) -> RegexFragment:
        fragment = self._read(ALL)
        self._lead(fragment.last, fragment.first)
        return _optional(fragment)

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
    """Return the direction between the texts that two expressions match.

    Undetermined if inclusion cannot be decided."""
    if old == new:
        return Direction.UNTESTED
    try:
        return _inclusion_direction(Automaton(old), Automaton(new))
    except (InclusionUndecidable, UnsafeRegex):
        return Direction.UNDETERMINED


def _inclusion_direction(old: Automaton, new: Automaton) -> Direction:
    kinds = [(old.reading(each), new.reading(each)) for each in _kinds([*old.reads, *new.reads])]
    visited: set[tuple[int | None, int | None]] = {(None, None)}
    waiting, more, less = [*visited], False, False
    while waiting and not (more and less):
        before, after = waiting.pop()
        more |= new.accepts(after) and not old.accepts(before)
        less |= old.accepts(before) and not new.accepts(after)
        next_old, next_new = old.following(before), new.following(after)
        following = {(next_old & one, next_new & other) for one, other in kinds} - visited - {(0, 0)}
        visited |= following
        waiting.extend(following)
        if len(visited) > MAX_STATES:
            raise InclusionUndecidable
    return inclusion(new_within_old=not more, old_within_new=not less)


def _kinds(reads: list[frozenset[int]]) -> list[int]:
    """Return one character of each class that no position distinguishes."""
    distinct = list(dict.fromkeys(reads))
    return list({tuple(character in each for each in distinct): character for character in sorted(ALL)}.values())


def _bits(state: int) -> Iterator[int]:
    while state:
        yield (state & -state).bit_length() - 1
        state &= state - 1


def _bare(pattern: str) -> tuple[list[Token], bool, bool]:
    """Return the tokens without anchors at the ends, and whether each anchor was present.

    Raises InclusionUndecidable beyond ASCII, and for anchors in a choice."""
    tokens = list(tokens_of(pattern))
    if not pattern.isascii():
        raise InclusionUndecidable
    begins, ends = tokens[:1] == [("anchor", "^")], tokens[-1:] == [("anchor", "$")]
    if (begins or ends) and _chooses(tokens):
        raise InclusionUndecidable
    return tokens[begins : len(tokens) - ends], begins, ends


def _chooses(tokens: list[Token]) -> bool:
    """Return whether there is a choice outside all parentheses; an anchor then belongs to one branch only."""
    depth = 0
    for kind, _ in tokens:
        depth += (kind == "open") - (kind == "close")
        if kind == "bar" and depth == 0:
            return True
    return False


def _characters(kind: str, text: str) -> frozenset[int]:
    """Return exactly the characters that a token reads; 128 represents all beyond ASCII."""
    if kind == "class":
        return _class(text)
    return ALL - _LINE_BREAK if text == "." and kind == "plain" else characters(kind, text)


def _class(text: str) -> frozenset[int]:
    return ALL - members(text) if text.startswith("[^") else members(text)
