"""Write regular expressions of the safe subset in the syntax of ECMA-262."""

import re

from treaty.contracts.document.logical_type_options import means_whole
from treaty.contracts.limits.safe_regex import UnsafeRegex, inspect_regex, tokens_of

# In ECMA-262 a blank is also one beyond ASCII, and the dot excludes more than line feeds.
_BLANKS = r" \t\n\r\f\x0b"
_WRITTEN = {r"\s": f"[{_BLANKS}]", r"\S": f"[^{_BLANKS}]", ".": r"[^\n]"}
# Only these may follow a backslash there; a hyphen only in a class.
_SYNTAX = frozenset(r"^$\.*+?()[]{}|/")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_BOUNDARIES = frozenset({r"\b", r"\B"})
_LAST_PLAIN = 0xFFFF


def ecma_regex(pattern: str, *, within: bool = False) -> str | None:
    """Return the pattern in ECMA-262; None if its meaning would change.

    `pattern`: of the safe subset; it must match the whole text, unless `within`. The result searches in a text."""
    tokens = list(tokens_of(pattern))
    anchored = not within and means_whole(pattern)
    inner = tokens[1:-1] if anchored else tokens
    if any(_is_different(*token) for token in inner) or max(map(ord, pattern), default=0) > _LAST_PLAIN:
        return None
    written = "".join(_written(*token) for token in inner)
    whole = written if within else f"^{_group(inner, written)}$"
    return whole if _is_safe(whole) and (not within or not means_whole(whole)) else None


def _is_different(kind: str, text: str) -> bool:
    """Return whether a token has no equal.

    These are anchors within, word boundaries, and negated blanks in a class."""
    return kind == "anchor" or text in _BOUNDARIES or (kind == "class" and "S" in _ESCAPE.findall(text))


def _group(tokens: list[tuple[str, str]], written: str) -> str:
    depth, bars = 0, 0
    for kind, _ in tokens:
        depth += (kind == "open") - (kind == "close")
        bars += kind == "bar" and depth == 0
    return f"(?:{written})" if bars else written


def _written(kind: str, text: str) -> str:
    if kind == "class":
        return _class(text)
    escape = _ESCAPE.fullmatch(text) if kind == "escape" else None
    return _WRITTEN.get(text) or (_escaped(escape[1], _SYNTAX) if escape else text)


def _class(text: str) -> str:
    """Return a class, in which blanks are listed and a bracket is escaped."""
    start = "[^" if text.startswith("[^") else "["
    body = text[len(start) : -1]
    body = rf"\{body}" if body.startswith("]") else body
    return f"{start}{_ESCAPE.sub(lambda match: _member(match[1]), body)}]"


def _member(letter: str) -> str:
    return _BLANKS if letter == "s" else _escaped(letter, _SYNTAX | {"-"})


def _escaped(letter: str, special: frozenset[str]) -> str:
    return f"\\{letter}" if letter in special or letter.isalnum() else letter


def _is_safe(pattern: str) -> bool:
    """Return whether a contract accepts the pattern."""
    try:
        inspect_regex(pattern)
    except UnsafeRegex:
        return False
    return True
