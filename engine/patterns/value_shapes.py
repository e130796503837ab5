"""Patterns from a column's own values: its structures, its characters, its words, its vocabulary.

They need no lake; every text column has some of them. Each shape is a function from distinct values to a pattern, or
None if the values have no such shape; adding one is adding a function. `calibration` decides which are narrow and
which are wide."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from treaty.engine.patterns.language.pattern import (
    CLASSES,
    ONCE,
    CharacterToken,
    LiteralToken,
    Part,
    Pattern,
    Repetition,
    Stretch,
)
from treaty.engine.patterns.language.tokenizer import LADDER, LONGEST, MARKS, WORD, by_words, classes_of

MOST_STRUCTURES = 8
MOST_WORDS = 50
LOOSE = 1.5
LONGEST_REPEAT = 1000

Shape = Callable[[Sequence[str]], Pattern | None]
SHAPES: dict[str, Shape] = {}


def shape(of: Shape) -> Shape:
    """Register a shape under the function's name."""
    SHAPES[of.__name__] = of
    return of


@dataclass(frozen=True)
class WordColumn:
    """A structure with the words at each of its marks."""

    structure: str
    words: tuple[tuple[str, ...], ...]


def structures_of(values: Sequence[str]) -> list[WordColumn] | None:
    """Return the structures of the values with their words; None if they are too many or a value is too long."""
    rows_by_structure: dict[str, list[list[str]]] = {}
    for value in values:
        if len(value) > LONGEST:
            return None
        structure, words = by_words(value)
        rows_by_structure.setdefault(structure, []).append(words)
        if len(rows_by_structure) > MOST_STRUCTURES:
            return None
    return [WordColumn(structure, tuple(zip(*words, strict=True))) for structure, words in rows_by_structure.items()]


@shape
def structures(values: Sequence[str]) -> Pattern | None:
    """Return the structures of the values, with each word's narrowest class in any length."""
    word_columns = structures_of(values)
    return None if word_columns is None else _of_structures(word_columns, _some)


@shape
def widths(values: Sequence[str]) -> Pattern | None:
    """Return the structures of the values, with each word's narrowest class in the observed lengths."""
    word_columns = structures_of(values)
    return None if word_columns is None else _of_structures(word_columns, _sized)


def _of_structures(columns: Sequence[WordColumn], word: Callable[[Sequence[str]], Part]) -> Pattern:
    return Pattern(tuple(_sequence(each, word) for each in columns))


def _sequence(below: WordColumn, word: Callable[[Sequence[str]], Part]) -> tuple[Part, ...]:
    words, parts, literal = iter(below.words), list[Part](), ""
    for mark in below.structure:
        if mark not in MARKS:
            literal += mark
            continue
        if literal:
            parts.append(LiteralToken(literal))
        parts.append(word(next(words)))
        literal = ""
    return (*parts, LiteralToken(literal)) if literal else tuple(parts)


def narrowest(words: Sequence[str]) -> str:
    """Return the narrowest class that contains all these words."""
    common = set(CLASSES)
    for word in words:
        common.intersection_update(classes_of(word))
    return next(each.name for each in LADDER if each.name in common)


def _some(words: Sequence[str]) -> Part:
    return CharacterToken((narrowest(words),), Repetition(1, None))


def _sized(words: Sequence[str]) -> Part:
    lengths = {len(word) for word in words}
    return CharacterToken((narrowest(words),), Repetition(min(lengths), max(lengths)))


@shape
def characters(values: Sequence[str]) -> Pattern | None:
    """Return the observed characters, in two thirds to 1.5 times the observed lengths."""
    lengths = [len(value) for value in values]
    return _characters(values, int(min(lengths) / LOOSE), int(max(lengths) * LOOSE) + 1)


@shape
def characters_sized(values: Sequence[str]) -> Pattern | None:
    """Return the observed characters with the observed lengths."""
    lengths = [len(value) for value in values]
    return _characters(values, min(lengths), max(lengths))


@shape
def framed(values: Sequence[str]) -> Pattern | None:
    """Return the observed characters, with separate classes for the first and the last character."""
    lengths = [len(value) for value in values]
    if min(lengths) < 2:
        return None
    inner = _characters(values, max(0, int(min(lengths) / LOOSE) - 2), int(max(lengths) * LOOSE) - 1)
    if inner is None:
        return None
    first, last = _set({value[0] for value in values}, ONCE), _set({value[-1] for value in values}, ONCE)
    return Pattern(((first, *inner.alternatives[0], last),))


def _characters(values: Sequence[str], shortest: int, longest: int) -> Pattern | None:
    if longest > LONGEST_REPEAT:
        return None
    return Pattern(((_set(set().union(*values), Repetition(shortest, longest)),),))


def _set(characters: set[str], times: Repetition) -> CharacterToken:
    of_words = {each for each in characters if by_words(each)[0] == WORD}
    classes = [each for each in ("digit", "lower", "upper", "word") if any(classes_of(c)[0] == each for c in of_words)]
    if "word" in classes:
        classes = ["word"]
    elif {"lower", "upper"} <= set(classes):
        classes = [*(each for each in classes if each == "digit"), "letter"]
    return CharacterToken(tuple(classes), times, "".join(sorted(characters - of_words)))


@shape
def repeated(values: Sequence[str]) -> Pattern | None:
    """Return words of one class with one separator, up to 1.5 times the observed number."""
    tokenized = [by_words(value) for value in values]
    separators = {mark for structure, _ in tokenized for mark in structure} - MARKS
    if len(separators) != 1 or any(not _alternate(structure) for structure, _ in tokenized):
        return None
    word = _word([each for _, words in tokenized for each in words])
    most = max(len(words) for _, words in tokenized)
    again = Stretch((LiteralToken(separators.pop()), *word), Repetition(0, int(most * LOOSE)))
    return Pattern(((*word, again),))


def _alternate(structure: str) -> bool:
    return (
        structure[::2].count(WORD) == (len(structure) + 1) // 2
        and WORD not in structure[1::2]
        and len(structure) % 2 == 1
    )


def _word(words: Sequence[str]) -> tuple[Part, ...]:
    if all(
        word[:1].isupper() and word.isascii() and (len(word) == 1 or word[1:].islower()) and word.isalpha()
        for word in words
    ):
        return CharacterToken(("upper",)), CharacterToken(("lower",), Repetition(0, None))
    return (_some(words),)


@shape
def paths(values: Sequence[str]) -> Pattern | None:
    """Return paths and URLs of varying depth: a common prefix and parts between slashes.

    The parts have the observed characters, up to one and a half times the observed number; a trailing slash is
    permitted if a value has one."""
    split_values = [value.rstrip("/").split("/") for value in values if len(value) <= LONGEST]
    shortest = min(map(len, split_values), default=0)
    if len(split_values) < len(values) or shortest < 2:
        return None
    common = next((at for at in range(shortest - 1) if len({parts[at] for parts in split_values}) > 1), shortest - 1)
    parts = [part for each in split_values for part in each[common:]]
    if "" in parts:
        return None
    part = _set(set().union(*parts), Repetition(1, None))
    depths = [len(each) - common for each in split_values]
    prefix = LiteralToken("/".join(split_values[0][:common]))
    repeated_part = Stretch((LiteralToken("/"), part), Repetition(min(depths), int(max(depths) * LOOSE)))
    first = (
        (prefix, repeated_part)
        if common
        else (part, replace(repeated_part, times=Repetition(min(depths) - 1, repeated_part.times.most)))
    )
    has_trailing_slash = any(value.endswith("/") for value in values)
    return Pattern(((*first, CharacterToken((), Repetition(0, 1), "/")) if has_trailing_slash else first,))


@shape
def vocabulary(values: Sequence[str]) -> Pattern | None:
    """Return the values themselves, if there are few."""
    if len(set(values)) > MOST_WORDS or max(map(len, values)) > LONGEST:
        return None
    return Pattern(tuple((LiteralToken(value),) if value else () for value in dict.fromkeys(values)))
