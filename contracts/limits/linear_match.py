"""Match regular expressions of the safe subset in time linear in the text, with RE2.

Python's own engine backtracks, and holds the interpreter meanwhile: an expression on many values would stop a
process."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from treaty.contracts.limits.safe_regex import tokens_of

MAX_MEMORY = 64 * 1024 * 1024
# RE2 does not count the vertical tab as a blank; Java and Python do.
_BLANKS = r"\t\n\v\f\r "


@lru_cache(maxsize=1024)
def matcher(pattern: str, *, within: bool = False) -> Callable[[str], bool]:
    """Return whether a text matches, as a function; digits, letters and blanks are those of ASCII.

    `within`: the expression may match anywhere in the text, not only the whole text. The pattern must be accepted by
    `treaty.contracts.limits.safe_regex`."""
    compiled = _compiled("".join(_written(*token, within=within) for token in tokens_of(pattern)))
    match = compiled.search if within else compiled.fullmatch

    def matches(text: str) -> bool:
        # A text with half of a surrogate pair cannot be encoded; no data has one.
        return match(text.encode("utf-8", "replace")) is not None

    return matches


def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.max_mem, options.log_errors = MAX_MEMORY, False
    return re2.compile(pattern.encode("utf-8", "replace"), options)


def _written(kind: str, text: str, *, within: bool) -> str:
    """Return a token in the syntax of RE2."""
    if text == "$" and kind == "anchor":
        # A line break may follow the end that an expression finds, but is part of a whole text.
        return r"(?:\n?\z)" if within else r"\z"
    if kind == "escape" and text in {r"\s", r"\S"}:
        return f"[{_BLANKS}]" if text.islower() else f"[^{_BLANKS}]"
    return text.replace(r"\s", _BLANKS) if kind == "class" and r"\\" not in text else text
