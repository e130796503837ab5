"""How a text is cut into tokens: words and single signs, words cut finer into letters and digits, and numbers.

The structure of a text is the text with a mark in place of each word; texts of one structure can be laid below each
other token by token. Three cuts (section 3 of the paper has one): words of any script (`2019-03-01T10`), letters and
digits apart (`AB12` is two tokens), and signed decimal numbers as one (`-12.50`)."""

import re
from dataclasses import dataclass
from functools import lru_cache

from treaty.contracts.safe_regex import MAX_SUBJECT

WORD, LETTERS, DIGITS, NUMERAL = "\ue000", "\ue001", "\ue002", "\ue003"
RUNS = frozenset((LETTERS, DIGITS))
MARKS = RUNS | {WORD, NUMERAL}
LONGEST = MAX_SUBJECT
_BEYOND = "\u00a1-\U0010ffff"
_WORDS = re.compile(f"[0-9A-Za-z{_BEYOND}]+")
_MIXED = re.compile("[A-Za-z][0-9]|[0-9][A-Za-z]")
_LETTERS, _DIGITS, _RUNS = re.compile("[A-Za-z]+"), re.compile("[0-9]+"), re.compile("[0-9]+|[A-Za-z]+")
# A number stands alone: no word before or after it, and no further dot, which would make it a version or an address.
_NUMBERS = re.compile(
    f"(?P<number>(?<![0-9A-Za-z.{_BEYOND}])(?:(?<!-)-)?[0-9]+(?:\\.[0-9]+)?(?![0-9A-Za-z{_BEYOND}]|\\.[0-9]))"
    f"|[0-9A-Za-z{_BEYOND}]+"
)
_SIGNED = re.compile(r"^-[0-9]|[0-9]\.[0-9]")
_HEX, _HEX_UPPER = re.compile("[0-9a-f]+"), re.compile("[0-9A-F]+")


def by_words(value: str) -> tuple[str, list[str]]:
    """The structure of a text and its words, each mark's word in order."""
    return _WORDS.sub(WORD, value), _WORDS.findall(value)


def by_runs(value: str) -> tuple[str, list[str]] | None:
    """The structure with letters and digits of ASCII apart; None where no word has both, for then it says nothing new,
    and for other scripts."""
    if not value.isascii() or _MIXED.search(value) is None:
        return None
    return _DIGITS.sub(DIGITS, _LETTERS.sub(LETTERS, value)), _RUNS.findall(value)


def by_numbers(value: str) -> tuple[str, list[str]]:
    """The structure with signed and decimal numbers as one token each; other words are words."""
    words: list[str] = []

    def mark(found: re.Match[str]) -> str:
        words.append(found.group())
        return WORD if found.group("number") is None else NUMERAL

    return _NUMBERS.sub(mark, value), words


def has_numbers(value: str) -> bool:
    """Whether a text has a sign or decimals: only such columns are cut by numbers."""
    return _SIGNED.search(value) is not None


@dataclass(frozen=True)
class CharacterClass:
    """A class of characters that a word may be of as a whole, and those within it."""

    name: str
    within: tuple[str, ...] = ()


# Narrow before wide.
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
    """The classes that all characters of a word are of, narrow before wide."""
    if not word.isascii():
        return ("word",)
    if word.isdigit():
        return ("digit", "hex", "HEX", "alphanum", "word")
    hexes = (*(("hex",) if _HEX.fullmatch(word) else ()), *(("HEX",) if _HEX_UPPER.fullmatch(word) else ()))
    if not word.isalpha():
        return (*hexes, "alphanum", "word")
    case = ("lower",) if word.islower() else ("upper",) if word.isupper() else ()
    return (*case, "letter", *hexes, "alphanum", "word")
