"""Which patterns the values of a column have: P(v) for its values together, with the rows that each pattern matches.

Rows are bits of one integer, so that the rows of a sequence are the AND of the rows of its options. Coarse first:
values are grouped by structure, groups below the least share are dropped, and only then are tokens specialised
(algorithm 1 of the paper); a product is cut as soon as too few rows are left of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from treaty.engine.patterns.language.pattern import escaped
from treaty.engine.patterns.language.pattern_ids import WIDTH, TextSlice, piece
from treaty.engine.patterns.language.tokenizer import (
    LADDER,
    LONGEST,
    MARKS,
    NUMERAL,
    RUNS,
    by_numbers,
    by_runs,
    by_words,
    classes_of,
    has_numbers,
)

Array = np.ndarray[Any, np.dtype[Any]]
TOKENS = 8
LEAST_SHARE = 0.1
MOST_PATTERNS = 1500
MOST_CONSTANTS = 3
RUN_CLASSES = frozenset(("digit", "lower", "upper", "letter"))


@dataclass(frozen=True, slots=True)
class TokenOption:
    """One way to write a token, and the rows of which it is true."""

    piece: TextSlice
    rows: int
    constant: bool = False
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class EnumeratedPattern:
    """A pattern of a column: its id, its pieces, the rows that it matches."""

    id: int
    pieces: tuple[TextSlice, ...]
    rows: int

    @property
    def text(self) -> str:
        """The pattern as the language writes it."""
        return "".join(each.text for each in self.pieces)


@dataclass(frozen=True, eq=False)
class StructureGroup:
    """Values of one structure: the rows that have it, and for each mark the rows of every word that stands there."""

    structure: str
    rows: int
    words: tuple[dict[str, int], ...]
    _parts: dict[tuple[int, int], "StructureGroup"] = field(default_factory=dict, repr=False)

    @cached_property
    def marks(self) -> list[int]:
        """Where in the structure words stand."""
        return [at for at, mark in enumerate(self.structure) if mark in MARKS]

    def part(self, start: int, end: int) -> "StructureGroup":
        """The values from word `start` to before word `end`, as if they were a column."""
        if (start, end) not in self._parts:
            within = self.structure[self.marks[start] : self.marks[end - 1] + 1]
            self._parts[start, end] = StructureGroup(within, self.rows, self.words[start:end])
        return self._parts[start, end]

    @cached_property
    def hypotheses(self) -> tuple[list["EnumeratedPattern"], Array]:
        """H(C): the patterns that all values of the group have, and their ids."""
        found = product(self, self.rows.bit_count())
        return found, np.array([each.id for each in found], np.uint64)


def rows_of(values: Iterable[str]) -> dict[str, int]:
    """Each distinct value with its rows: bit i for row i."""
    rows: dict[str, int] = {}
    bit = 1
    for value in values:
        rows[value] = rows.get(value, 0) | bit
        bit <<= 1
    return rows


def groups(rows: dict[str, int], cut: Callable[[str], tuple[str, list[str]] | None]) -> dict[str, StructureGroup]:
    """The values by structure; values that are too long, or that the cut says nothing of, are in none."""
    lexed: dict[str, list[tuple[int, list[str]]]] = {}
    for value, bits in rows.items():
        found = cut(value) if len(value) <= LONGEST else None
        if found is not None:
            lexed.setdefault(found[0], []).append((bits, found[1]))
    return {structure: _group(structure, members) for structure, members in lexed.items()}


def _group(structure: str, members: Sequence[tuple[int, list[str]]]) -> StructureGroup:
    words: tuple[dict[str, int], ...] = tuple({} for _ in members[0][1])
    together = 0
    for bits, found in members:
        together |= bits
        for known, word in zip(words, found, strict=True):
            known[word] = known.get(word, 0) | bits
    return StructureGroup(structure, together, words)


def enumerate_patterns(
    rows: dict[str, int], total: int, *, tokens: int = TOKENS, share: float = LEAST_SHARE
) -> Iterator[EnumeratedPattern]:
    """Every pattern that at least this share of `total` rows has, none twice; wider structures than `tokens` are left
    to the vertical cut."""
    least = max(1, int(share * total))
    for group in all_groups(rows):
        if group.rows.bit_count() >= least and len(group.structure) <= tokens:
            yield from product(group, least)


def all_groups(rows: dict[str, int]) -> Iterator[StructureGroup]:
    """The groups of every cut. The cut by numbers only where a value has a sign or decimals."""
    yield from groups(rows, by_words).values()
    yield from groups(rows, by_runs).values()
    if any(has_numbers(value) for value in rows):
        yield from (group for group in groups(rows, by_numbers).values() if NUMERAL in group.structure)


def product(group: StructureGroup, least: int) -> list[EnumeratedPattern]:
    """The patterns of one structure that at least so many rows have: the narrow ones, and a few that are wide
    throughout, which a column whose values later vary would need."""
    positions = [list(each) for each in options_of(group, least)]
    narrow = _product(_bounded(positions), group.rows, least)
    known = {each.id for each in narrow}
    return narrow + [each for each in _ladder(group) if each.id not in known]


def options_of(group: StructureGroup, least: int) -> Iterator[list[TokenOption]]:
    """For each token of a structure the ways to write it."""
    words = iter(group.words)
    for mark in group.structure:
        if mark in MARKS:
            found = next(words)
            yield (
                [TokenOption(piece("<num>"), group.rows)]
                if mark == NUMERAL
                else options(found, least, runs=mark in RUNS)
            )
        else:
            yield [TokenOption(piece(escaped(mark)), group.rows, constant=True)]


def options(words: dict[str, int], least: int, *, runs: bool = False) -> list[TokenOption]:
    """The ways to write one token: frequent words as they are, classes of so many characters, classes of any number.

    A class is left out where it is true of no more rows than one within it: it would say the same and more. Of runs,
    which stand beside each other, only classes that tell letters from digits."""
    some: dict[str, int] = {}
    exact: dict[tuple[str, int], int] = {}
    for word, bits in words.items():
        for name in _run_classes(word) if runs else classes_of(word):
            some[name] = some.get(name, 0) | bits
            exact[name, len(word)] = exact.get((name, len(word)), 0) | bits
    found = [] if runs else _constants(words, least)
    for name in _needed(some):
        if some[name].bit_count() >= least:
            found += _sized(name, exact, least)
            found.append(TokenOption(piece(f"<{name}>+"), some[name]))
    return found


def _run_classes(word: str) -> tuple[str, ...]:
    return tuple(name for name in classes_of(word) if name in RUN_CLASSES)


def _constants(words: dict[str, int], least: int) -> list[TokenOption]:
    frequent = [(bits.bit_count(), word) for word, bits in words.items() if bits.bit_count() >= least]
    most = sorted(frequent, key=lambda each: (-each[0], each[1]))[:MOST_CONSTANTS]
    return [TokenOption(piece(word), words[word], constant=True) for _, word in most]


def _needed(some: dict[str, int]) -> list[str]:
    kept: list[str] = []
    for each in LADDER:
        rows = some.get(each.name)
        if rows is not None and not any(some[name] == rows for name in each.within if name in kept):
            kept.append(each.name)
    return kept


def _sized(name: str, exact: dict[tuple[str, int], int], least: int) -> Iterator[TokenOption]:
    for (of, length), rows in exact.items():
        if of == name and rows.bit_count() >= least:
            times = "" if length == 1 else f"{{{length}}}"
            yield TokenOption(piece(f"<{name}>{times}"), rows, fixed=True)


def _bounded(positions: list[list[TokenOption]]) -> list[list[TokenOption]]:
    """Fewer options where the product would be too large: first no constants, then no fixed lengths."""
    for narrower in ("constant", "fixed"):
        if _size(positions) <= MOST_PATTERNS:
            break
        positions = [[each for each in found if not getattr(each, narrower)] or found for found in positions]
    return positions


def _size(positions: list[list[TokenOption]]) -> int:
    size = 1
    for found in positions:
        size *= len(found)
    return size


def _product(positions: list[list[TokenOption]], rows: int, least: int) -> list[EnumeratedPattern]:
    reached: list[tuple[int, tuple[TextSlice, ...], int]] = [(0, (), rows)]
    for found in positions:
        reached = [
            ((id_ * option.piece.factor + option.piece.id) & WIDTH, (*pieces, option.piece), both)
            for id_, pieces, before in reached
            for option in found
            if (both := before & option.rows).bit_count() >= least
        ][: 2 * MOST_PATTERNS]
    return [EnumeratedPattern(*each) for each in reached]


def _ladder(group: StructureGroup) -> Iterator[EnumeratedPattern]:
    """The structure with every word of one wide class."""
    if NUMERAL in group.structure or not group.words:
        return
    for wide in ("letter",) if RUNS.intersection(group.structure) else ("letter", "alphanum", "word"):
        admitted = {wide, "digit"}
        if all(admitted.intersection(classes_of(word)) for words in group.words for word in words):
            yield _enumerated_pattern(_wide(group, wide), group.rows)


def _wide(group: StructureGroup, wide: str) -> Iterator[TextSlice]:
    words = iter(group.words)
    for mark in group.structure:
        if mark not in MARKS:
            yield piece(escaped(mark))
        elif all("digit" in classes_of(word) for word in next(words)):
            yield piece("<digit>+" if wide == "letter" else f"<{wide}>+")
        else:
            yield piece(f"<{wide}>+")


def _enumerated_pattern(pieces: Iterable[TextSlice], rows: int) -> EnumeratedPattern:
    listed, id_ = tuple(pieces), 0
    for each in listed:
        id_ = (id_ * each.factor + each.id) & WIDTH
    return EnumeratedPattern(id_, listed, rows)
