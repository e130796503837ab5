"""Enumerate the patterns of a column's values, P(v), with the rows that each pattern matches.

Rows are bits of one integer, so the rows of a sequence are the AND of the rows of its options. Coarse to fine:
values are grouped by structure, groups below the minimum share are dropped, and only then are tokens specialized
(algorithm 1 of the paper); a product is cut as soon as it has too few rows."""

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
    """One way to write a token, with the rows that it matches.

    `constant`: the text itself; `fixed`: a class of fixed length."""

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
        """Return the pattern in the pattern language."""
        return "".join(each.text for each in self.pieces)


@dataclass(frozen=True, eq=False)
class StructureGroup:
    """Values of one structure: their rows, and for each mark the rows of every word at that position."""

    structure: str
    rows: int
    words: tuple[dict[str, int], ...]
    _parts: dict[tuple[int, int], "StructureGroup"] = field(default_factory=dict, repr=False)

    @cached_property
    def marks(self) -> list[int]:
        """Return the positions of words in the structure."""
        return [at for at, mark in enumerate(self.structure) if mark in MARKS]

    def part(self, start: int, end: int) -> "StructureGroup":
        """Return the words from `start` to before `end` as a column of its own."""
        if (start, end) not in self._parts:
            within = self.structure[self.marks[start] : self.marks[end - 1] + 1]
            self._parts[start, end] = StructureGroup(within, self.rows, self.words[start:end])
        return self._parts[start, end]

    @cached_property
    def hypotheses(self) -> tuple[list["EnumeratedPattern"], Array]:
        """Return H(C), the patterns that all values of the group match, and their ids."""
        patterns = product(self, self.rows.bit_count())
        return patterns, np.array([each.id for each in patterns], np.uint64)


def rows_of(values: Iterable[str]) -> dict[str, int]:
    """Return the rows of each distinct value: bit i for row i."""
    rows: dict[str, int] = {}
    bit = 1
    for value in values:
        rows[value] = rows.get(value, 0) | bit
        bit <<= 1
    return rows


def groups(rows: dict[str, int], cut: Callable[[str], tuple[str, list[str]] | None]) -> dict[str, StructureGroup]:
    """Group the values by structure.

    Values that are too long, or that the cut rejects, are in no group."""
    lexed: dict[str, list[tuple[int, list[str]]]] = {}
    for value, bits in rows.items():
        tokens = cut(value) if len(value) <= LONGEST else None
        if tokens is not None:
            lexed.setdefault(tokens[0], []).append((bits, tokens[1]))
    return {structure: _group(structure, members) for structure, members in lexed.items()}


def _group(structure: str, members: Sequence[tuple[int, list[str]]]) -> StructureGroup:
    words: tuple[dict[str, int], ...] = tuple({} for _ in members[0][1])
    all_rows = 0
    for bits, member_words in members:
        all_rows |= bits
        for word_rows, word in zip(words, member_words, strict=True):
            word_rows[word] = word_rows.get(word, 0) | bits
    return StructureGroup(structure, all_rows, words)


def enumerate_patterns(
    rows: dict[str, int], total: int, *, tokens: int = TOKENS, share: float = LEAST_SHARE
) -> Iterator[EnumeratedPattern]:
    """Yield every pattern that at least this share of `total` rows matches, each once.

    Structures with more than `tokens` tokens are left to the vertical cut."""
    least = max(1, int(share * total))
    for group in all_groups(rows):
        if group.rows.bit_count() >= least and len(group.structure) <= tokens:
            yield from product(group, least)


def all_groups(rows: dict[str, int]) -> Iterator[StructureGroup]:
    """Yield the groups of every cut; the cut by numbers only if a value has a sign or decimals."""
    yield from groups(rows, by_words).values()
    yield from groups(rows, by_runs).values()
    if any(has_numbers(value) for value in rows):
        yield from (group for group in groups(rows, by_numbers).values() if NUMERAL in group.structure)


def product(group: StructureGroup, least: int) -> list[EnumeratedPattern]:
    """Return the patterns of one structure that at least `least` rows match.

    The narrow patterns, and a few that are wide in every token, which a column with varying later values needs."""
    positions = [list(each) for each in options_of(group, least)]
    narrow = _product(_bounded(positions), group.rows, least)
    narrow_ids = {each.id for each in narrow}
    return narrow + [each for each in _ladder(group) if each.id not in narrow_ids]


def options_of(group: StructureGroup, least: int) -> Iterator[list[TokenOption]]:
    """Yield for each token of a structure the ways to write it."""
    words = iter(group.words)
    for mark in group.structure:
        if mark in MARKS:
            token_words = next(words)
            yield (
                [TokenOption(piece("<num>"), group.rows)]
                if mark == NUMERAL
                else options(token_words, least, runs=mark in RUNS)
            )
        else:
            yield [TokenOption(piece(escaped(mark)), group.rows, constant=True)]


def options(words: dict[str, int], least: int, *, runs: bool = False) -> list[TokenOption]:
    """Return the ways to write one token: frequent words, classes of fixed length, classes of any length.

    A class that matches the same rows as a narrower one is omitted. For runs, which are adjacent to each other, only
    classes that separate letters from digits are used."""
    class_rows: dict[str, int] = {}
    length_rows: dict[tuple[str, int], int] = {}
    for word, bits in words.items():
        for name in _run_classes(word) if runs else classes_of(word):
            class_rows[name] = class_rows.get(name, 0) | bits
            length_rows[name, len(word)] = length_rows.get((name, len(word)), 0) | bits
    token_options = [] if runs else _constants(words, least)
    for name in _needed(class_rows):
        if class_rows[name].bit_count() >= least:
            token_options += _sized(name, length_rows, least)
            token_options.append(TokenOption(piece(f"<{name}>+"), class_rows[name]))
    return token_options


def _run_classes(word: str) -> tuple[str, ...]:
    return tuple(name for name in classes_of(word) if name in RUN_CLASSES)


def _constants(words: dict[str, int], least: int) -> list[TokenOption]:
    frequent = [(bits.bit_count(), word) for word, bits in words.items() if bits.bit_count() >= least]
    most = sorted(frequent, key=lambda each: (-each[0], each[1]))[:MOST_CONSTANTS]
    return [TokenOption(piece(word), words[word], constant=True) for _, word in most]


def _needed(some: dict[str, int]) -> list[str]:
    names: list[str] = []
    for each in LADDER:
        rows = some.get(each.name)
        if rows is not None and not any(some[name] == rows for name in each.within if name in names):
            names.append(each.name)
    return names


def _sized(name: str, exact: dict[tuple[str, int], int], least: int) -> Iterator[TokenOption]:
    for (of, length), rows in exact.items():
        if of == name and rows.bit_count() >= least:
            times = "" if length == 1 else f"{{{length}}}"
            yield TokenOption(piece(f"<{name}>{times}"), rows, fixed=True)


def _bounded(positions: list[list[TokenOption]]) -> list[list[TokenOption]]:
    """Return fewer options if the product would be too large: first no constants, then no fixed lengths."""
    for narrower in ("constant", "fixed"):
        if _size(positions) <= MOST_PATTERNS:
            break
        positions = [
            [each for each in token_options if not getattr(each, narrower)] or token_options
            for token_options in positions
        ]
    return positions


def _size(positions: list[list[TokenOption]]) -> int:
    size = 1
    for token_options in positions:
        size *= len(token_options)
    return size


def _product(positions: list[list[TokenOption]], rows: int, least: int) -> list[EnumeratedPattern]:
    partial: list[tuple[int, tuple[TextSlice, ...], int]] = [(0, (), rows)]
    for token_options in positions:
        partial = [
            ((id_ * option.piece.factor + option.piece.id) & WIDTH, (*pieces, option.piece), both)
            for id_, pieces, before in partial
            for option in token_options
            if (both := before & option.rows).bit_count() >= least
        ][: 2 * MOST_PATTERNS]
    return [EnumeratedPattern(*each) for each in partial]


def _ladder(group: StructureGroup) -> Iterator[EnumeratedPattern]:
    """Yield the structure with every word in one wide class."""
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
    all_pieces, id_ = tuple(pieces), 0
    for each in all_pieces:
        id_ = (id_ * each.factor + each.id) & WIDTH
    return EnumeratedPattern(id_, all_pieces, rows)
