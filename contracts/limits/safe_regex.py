r"""Accept only regular expressions that cannot backtrack catastrophically.

Allowed: literals, `.`, classes, `\d \w \s` and their negations, escaped punctuation, `^ $ \b`, groups `(..)` and
`(?:..)`, alternation, `* + ? {m,n}` and their lazy forms. Rejected: look-around, back-references, flags, possessive
forms, and expressions that could divide a text between their parts in so many ways that a match takes long:
`(a+)+`, `.*a.*`, `\w*\w*@`. An expression that begins with `^` may take more ways, because it is tried at one position
only; `\w+@\w+` may stand anywhere, because `@` separates its repeats."""

import re
from collections.abc import Iterator

from treaty.contracts.limits.regex_cost import ANCHOR, MAX_SUBJECT, Piece, alternatives, atom, repetition, sequence

MAX_LENGTH = 512
MAX_REPEAT = 1000
# Characters of the expression if all repetitions are written out.
MAX_SIZE = 4_000
# Comparisons on a text of MAX_SUBJECT characters at worst, which take less than 0.2 s of Python or Java.
MAX_STEPS = 15_000_000
ALL = frozenset(range(129))  # ASCII, and 128 for everything else
_DIGITS = frozenset(map(ord, "0123456789"))
_WORDS = frozenset(code for code in range(128) if chr(code).isalnum() or code == ord("_"))
_SPACES = frozenset(map(ord, " \t\n\r\f\v"))
_CLASSES = {"d": _DIGITS, "w": _WORDS, "s": _SPACES}
_MEMBER = re.compile(r"(\\x[0-9a-fA-F]{2}|\\.|[^\\])(?:-(\\x[0-9a-fA-F]{2}|\\.|[^\\]))?", re.DOTALL)
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_TOKEN = re.compile(
    r"(?P<class>\[\^?\]?(?:\\.|[^\]\\\[&]|&(?!&))*\])|(?P<escape>\\x[0-9a-fA-F]{2}|\\.)|(?P<open>\((?:\?:)?(?![?*+]))|(?P<close>\))"
    r"|(?P<bar>\|)|(?P<repeat>(?:[*+?]|\{\d{1,4}(?:,\d{0,4})?\})\??(?!\+))|(?P<anchor>[\^$])"
    r"|(?P<plain>[^\[\](){}*+?\\|])",
    re.DOTALL,
)


class UnsafeRegex(Exception):
    """The regular expression is outside the allowed subset."""


def inspect_regex(pattern: str) -> None:
    """Raise UnsafeRegex with the reason unless the pattern is allowed."""
    if len(pattern) > MAX_LENGTH:
        raise UnsafeRegex(f"is longer than {MAX_LENGTH} characters")
    tokens = list(tokens_of(pattern))
    try:
        re.compile(pattern)
    except (re.error, OverflowError):
        raise UnsafeRegex("is not a regular expression") from None
    whole = _Reader(tokens).read()
    if whole.times > MAX_REPEAT or whole.size > MAX_SIZE:
        raise UnsafeRegex(f"repeats more than {MAX_REPEAT} times, or more than {MAX_SIZE} characters in all")
    steps = whole.cost * (1 if _begins(tokens) else MAX_SUBJECT)
    if steps > MAX_STEPS:
        raise UnsafeRegex(f"can take too long on a text of {MAX_SUBJECT} characters: its repeats share characters")


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
    """Parse tokens into pieces with their costs."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens
        self.at = 0

    def read(self) -> Piece:
        """Return the alternatives up to the end or a closing parenthesis as one piece."""
        branches = [self._sequence()]
        while self._kind() == "bar":
            self.at += 1
            branches.append(self._sequence())
        return alternatives(branches)

    def _kind(self) -> str | None:
        return self.tokens[self.at][0] if self.at < len(self.tokens) else None

    def _sequence(self) -> Piece:
        pieces = []
        while self._kind() not in {None, "bar", "close"}:
            pieces.append(self._repeated(self._atom()))
        return sequence(pieces)

    def _atom(self) -> Piece:
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind == "open":
            inner = self.read()
            self.at += 1
            return inner
        if kind == "repeat":
            raise UnsafeRegex("has a repeat with nothing to repeat")
        return ANCHOR if kind == "anchor" or text in {"\\b", "\\B"} else atom(characters(kind, text))

    def _repeated(self, piece: Piece) -> Piece:
        if self._kind() != "repeat":
            return piece
        least, most = bounds(self.tokens[self.at][1])
        self.at += 1
        if self._kind() == "repeat":
            raise UnsafeRegex("has a repeat of a repeat")
        return repetition(piece, least, most)


def _begins(tokens: list[tuple[str, str]]) -> bool:
    """Return whether the pattern can match only at the beginning of a text."""
    depth, bars = 0, 0
    for kind, _ in tokens:
        depth += (kind == "open") - (kind == "close")
        bars += kind == "bar" and depth == 0
    return tokens[:1] == [("anchor", "^")] and not bars


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
        return _escaped(text[1:])
    if kind == "class":
        return _class(text)
    return ALL if text == "." else frozenset({_code(text)})


def _code(character: str) -> int:
    return min(ord(character), 128)


def _escaped(letter: str) -> frozenset[int]:
    if len(letter) > 1:
        return frozenset({min(int(letter[1:], 16), 128)})
    if letter.lower() in _CLASSES:
        matches = _CLASSES[letter.lower()]
        return matches if letter.islower() else ALL - matches
    if letter.isalnum() and letter not in _CONTROLS:
        raise UnsafeRegex(f"has the unsupported escape \\{letter}")
    return frozenset({_code(_CONTROLS.get(letter, letter))})


def members(text: str) -> frozenset[int]:
    """Return the characters that a class lists, whether or not it is negated."""
    body = text[2 if text.startswith("[^") else 1 : -1]
    return frozenset[int]().union(*(span(low, high) for low, high in _MEMBER.findall(body)))


def _class(text: str) -> frozenset[int]:
    # One number represents everything beyond ASCII, so a negated class always includes it.
    return (ALL - members(text)) | {128} if text.startswith("[^") else members(text)


def span(low: str, high: str) -> frozenset[int]:
    """Return the characters of a range in a class; those of `low` alone if `high` is ''."""
    first, last = (_escaped(each[1:]) if len(each) > 1 else frozenset(map(_code, each)) for each in (low, high))
    if not high or len(first) > 1 or len(last) > 1:
        return first | last | ({ord("-")} if high else frozenset())
    return frozenset(range(min(first), max(last) + 1))
