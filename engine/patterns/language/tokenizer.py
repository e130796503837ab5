"""Split texts into tokens: words and single characters, runs of letters or digits, and numbers.

The structure of a text is the text with a mark in place of each word; texts of one structure can be aligned token by
token. There are three cuts (section 3 of the paper has one): words of any script (`2019-03-01T10`), separate letters
and digits (`AB12` is two tokens), and signed decimal numbers as one token (`-12.50`)."""

import re
from dataclasses import dataclass
from functools import lru_cache

from treaty.contracts.limits.regex_cost import MAX_SUBJECT

WORD, LETTERS, DIGITS, NUMERAL = "\ue000", "\ue001", "\ue002", "\ue003"
RUNS = frozenset((LETTERS, DIGITS))
MARKS = RUNS | {WORD, NUMERAL}
LONGEST = MAX_SUBJECT
_BEYOND = "\u00a1-\U0010ffff"
_WORDS = re.compile(f"[0-9A-Za-z{_BEYOND}]+")
_MIXED = re.compile("[A-Za-z][0-9]|[0-9][A-Za-z]")
_LETTERS, _DIGITS, _RUNS = re.compile("[A-Za-z]+"), re.compile("[0-9]+"), re.compile("[0-9]+|[A-Za-z]+")
# A number has no adjacent word and no further dot, which would make it a version or an address.
_NUMBERS = re.compile(
    f"(?P<number>(?<![0-9A-Za-z.{_BEYOND}])(?:(?<!-)-)?[0-9]+(?:\\.[0-9]+)?(?![0-9A-Za-z{_BEYOND}]|\\.[0-9]))"
    f"|[0-9A-Za-z{_BEYOND}]+"
)
_SIGNED = re.compile(r"^-[0-9]|[0-9]\.[0-9]")
_HEX, _HEX_UPPER = re.compile("[0-9a-f]+"), re.compile("[0-9A-F]+")


def by_words(value: str) -> tuple[str, list[str]]:
    """Return the structure of a text and its words, in the order of the marks."""
    return _WORDS.sub(WORD, value), _WORDS.findall(value)


def by_runs(value: str) -> tuple[str, list[str]] | None:
    """Return the structure with runs of ASCII letters and digits as tokens, and the runs.

    None for other scripts, and if no word has both letters and digits, as the result would equal that of `by_words`."""
    if not value.isascii() or _MIXED.search(value) is None:
        return None
    return _DIGITS.sub(DIGITS, _LETTERS.sub(LETTERS, value)), _RUNS.findall(value)


def by_numbers(value: str) -> tuple[str, list[str]]:
    """Return the structure with signed and decimal numbers as one token each, and the words."""
    words: list[str] = []

    def mark(match: re.Match[str]) -> str:
        words.append(match.group())
        return WORD if match.group("number") is None else NUMERAL

    return _NUMBERS.sub(mark, value), words


def has_numbers(value: str) -> bool:
    """Return whether a text has a sign or decimals: only such columns are cut by numbers."""
    return _SIGNED.search(value) is not None


@dataclass(frozen=True)
class CharacterClass:
    """A class of characters for whole words, with the classes that it contains."""

    name: str
    within: tuple[str, ...] = ()


# Narrow to wide.
LADDER = (
    CharacterClass("digit"),
    CharacterClass("lower"),
    CharacterClass("upper"),
    CharacterClass("letter", ("lower", "upper")),
    CharacterClass("hex", ("digit", "lower")),
    CharacterClass("HEX", ("digit", "upper")),
    CharacterClass("alphanum", ("digit", "lower", "upper", "letter", "hex", "HEX")),
    CharacterClass("word", ("digit", "lower", "upper", "letter", "hex", "HEX", "alphanum")),
)


@lru_cache(maxsize=1 << 16)
def classes_of(word: str) -> tuple[str, ...]:
    """Return the classes that contain all characters of a word, narrow to wide."""
    if not word.isascii():
        return ("word",)
    if word.isdigit():
        return ("digit", "hex", "HEX", "alphanum", "word")
    hexes = (*(("hex",) if _HEX.fullmatch(word) else ()), *(("HEX",) if _HEX_UPPER.fullmatch(word) else ()))
    if not word.isalpha():
        return (*hexes, "alphanum", "word")
    case = ("lower",) if word.islower() else ("upper",) if word.isupper() else ()
    return (*case, "letter", *hexes, "alphanum", "word")
