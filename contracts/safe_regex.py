r"""Accept only regular expressions that cannot backtrack catastrophically.

Allowed: literals, `.`, classes, `\d \w \s` and their negations, escaped punctuation, `^ $ \b`, groups `(..)` and
`(?:..)`, alternation, `* + ? {m,n}` and their lazy forms. Rejected: look-around, back-references, flags, possessive
forms, and repeats that could divide a text between them in several ways: `(a+)+`, `.*a.*`, `\w*\w*@`. Two repeats may
follow each other only if something required separates them that the first cannot match: `\w+@\w+`. A repeated group
that contains a repeat must begin with such a separator: `(-[a-z]+)*`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

MAX_LENGTH = 512
# Longer values are not matched at all: no static analysis of a pattern bounds its time on arbitrary values.
MAX_SUBJECT = 1024
MAX_REPEAT = 1000
# Repeats up to this many times count as bounded: ten ways each are harmless.
FEW = 10
MAX_WAYS = 10_000
ALL = frozenset(range(129))  # ASCII, and 128 for everything else
_DIGITS = frozenset(map(ord, "0123456789"))
_WORDS = frozenset(code for code in range(128) if chr(code).isalnum() or code == ord("_"))
_SPACES = frozenset(map(ord, " \t\n\r\f\v"))
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_TOKEN = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\\[&])*\])|(?P<escape>\\.)|(?P<open>\((?:\?:)?(?![?*+]))|(?P<close>\))"
    r"|(?P<bar>\|)|(?P<repeat>(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??(?!\+))|(?P<anchor>[\^$])"
    r"|(?P<plain>[^\[\](){}*+?\\|])",
    re.DOTALL,
)


class UnsafeRegex(Exception):
    """The regular expression is outside the allowed subset."""


@dataclass(frozen=True, kw_only=True)
class _Piece:
    """A section of the pattern.

    `matches`, `starts`: characters that it can match and begin with. `required`: it must match something. `repeats`: it
    repeats without a small bound. `alternatives`: in how many ways it can divide a text otherwise."""

    matches: frozenset[int] = frozenset()
    starts: frozenset[int] = frozenset()
    required: bool = False
    repeats: bool = False
    alternatives: float = 1
    # It begins with something required that nothing else in it matches, so that its repetitions cannot be confused.
    separated: bool = False


def inspect_regex(pattern: str) -> None:
    """Raise UnsafeRegex with the reason unless the pattern is allowed."""
    if len(pattern) > MAX_LENGTH:
        raise UnsafeRegex(f"is longer than {MAX_LENGTH} characters")
    tokens = list(tokens_of(pattern))
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        raise UnsafeRegex("is not a regular expression") from None
    if _Reader(tokens).read().alternatives > MAX_WAYS:
        raise UnsafeRegex("has too many optional parts")


def tokens_of(pattern: str) -> Iterator[tuple[str, str]]:
    """Yield the tokens of a pattern as (kind, text). Raises UnsafeRegex for anything not allowed."""
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None or match.lastgroup is None:
            raise UnsafeRegex(f"has an unsupported construct at character {position + 1}")
        yield match.lastgroup, match.group()
        position = match.end()


class _Reader:
    """Parse tokens into pieces; each sequence of pieces is validated as it ends."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0

    def read(self) -> _Piece:
        """Return the alternatives up to the end or a closing parenthesis as one piece."""
        branches = [self._sequence()]
        while self._kind() == "bar":
            self.at += 1
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else _alternatives(branches)

    def _kind(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def _sequence(self) -> _Piece:
        pieces = []
        while self._kind() not in {None, "bar", "close"}:
            pieces.append(self._repeated(self._atom()))
        return _joined([piece for piece in pieces if piece.matches])

    def _atom(self) -> _Piece:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "open":
            inner = self.read()
            self.at += 1
            return inner
        if kind == "repeat":
            raise UnsafeRegex("has a repeat with nothing to repeat")
        return _Piece() if kind == "anchor" or text in {"\\b", "\\B"} else _certain(characters(kind, text))

    def _repeated(self, piece: _Piece) -> _Piece:
        if self._kind() != "repeat":
            return piece
        least, most = bounds(self.tokens[self.at][1])
        self.at += 1
        if self._kind() == "repeat":
            raise UnsafeRegex("has a repeat of a repeat")
        return _repetition(piece, least, most)


def _certain(matches: frozenset[int]) -> _Piece:
    return _Piece(matches=matches, starts=matches, required=True)


def _union(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    return frozenset[int]().union(*sets)


def _alternatives(branches: list[_Piece]) -> _Piece:
    starts = _union(each.starts for each in branches)
    distinguishable = all(each.required for each in branches) and len(starts) == sum(
        len(each.starts) for each in branches
    )
    return _Piece(
        matches=_union(each.matches for each in branches),
        starts=starts,
        required=all(each.required for each in branches),
        repeats=any(each.repeats for each in branches),
        alternatives=(max if distinguishable else sum)(each.alternatives for each in branches),
    )


def _repetition(piece: _Piece, least: int, most: float) -> _Piece:
    many = most > FEW
    if not piece.separated and most > 1 and (piece.repeats or (many and piece.alternatives > 1)):
        raise UnsafeRegex("repeats a group that contains a repeat or a choice")
    return _Piece(
        matches=piece.matches,
        starts=piece.starts,
        required=piece.required and least > 0,
        repeats=piece.repeats or many,
        alternatives=1 if many or piece.separated else piece.alternatives**most * (most - least + 1),
    )


def _joined(pieces: list[_Piece]) -> _Piece:
    _refuse_shared(pieces)
    first = pieces[0] if pieces else _Piece()
    rest = _union(piece.matches for piece in pieces[1:])
    certain = next((index for index, piece in enumerate(pieces) if piece.required), len(pieces))
    return _Piece(
        matches=first.matches | rest,
        starts=_union(piece.starts for piece in pieces[: certain + 1]),
        required=certain < len(pieces),
        repeats=any(piece.repeats for piece in pieces),
        alternatives=prod(piece.alternatives for piece in pieces),
        separated=first.required and not first.repeats and first.alternatives == 1 and not first.matches & rest,
    )


def _refuse_shared(pieces: list[_Piece]) -> None:
    running: list[frozenset[int]] = []
    for piece in pieces:
        if piece.repeats and any(earlier & piece.starts for earlier in running):
            raise UnsafeRegex("has two repeats that can match the same text without a required separator")
        if piece.required:
            running = [earlier for earlier in running if earlier & piece.matches]
        if piece.repeats:
            running.append(piece.matches)


def bounds(repeat: str) -> tuple[int, float]:
    """Return the minimum and maximum number of repetitions. Raises UnsafeRegex if there are too many."""
    text = repeat[:-1] if len(repeat) > 1 and repeat.endswith("?") else repeat
    if text in {"*", "+", "?"}:
        return int(text == "+"), 1 if text == "?" else float("inf")
    least, comma, most = text[1:-1].partition(",")
    upper = float(most) if most else float("inf") if comma else float(least)
    if int(least) > MAX_REPEAT or MAX_REPEAT < upper < float("inf"):
        raise UnsafeRegex(f"repeats more than {MAX_REPEAT} times")
    return int(least), upper


def characters(kind: str, text: str) -> frozenset[int]:
    """Return a superset of the characters that a token matches. Raises UnsafeRegex for an unknown escape."""
    if kind == "escape":
        return _escaped(text[1])
    if kind == "class":
        return _class(text)
    return ALL if text == "." else frozenset({_code(text)})


def _code(character: str) -> int:
    return min(ord(character), 128)


def _escaped(letter: str) -> frozenset[int]:
    if letter.lower() in _CLASSES:
        matches = _CLASSES[letter.lower()]
        return matches if letter.islower() else ALL - matches
    if letter.isalnum() and letter not in _CONTROLS:
        raise UnsafeRegex(f"has the unsupported escape \\{letter}")
    return frozenset({_code(_CONTROLS.get(letter, letter))})


def _class(text: str) -> frozenset[int]:
    negated = text.startswith("[^")
    body = text[2 if negated else 1 : -1]
    matches: frozenset[int] = frozenset()
    for low, high in re.findall(r"(\\.|[^\\])(?:-(\\.|[^\\]))?", body, flags=re.DOTALL):
        matches |= span(low, high)
    # One number represents everything beyond ASCII, so a negated class always includes it.
    return (ALL - matches) | {128} if negated else matches


def span(low: str, high: str) -> frozenset[int]:
    """Return the characters of a range in a class; those of `low` alone if `high` is ''."""
    first, last = (_escaped(each[1]) if len(each) == 2 else frozenset(map(_code, each)) for each in (low, high))
    if not high or len(first) > 1 or len(last) > 1:
        return first | last | ({ord("-")} if high else frozenset())
    return frozenset(range(min(first), max(last) + 1))
