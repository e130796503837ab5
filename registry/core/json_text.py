"""Decode JSON written by others, bounded in depth and number of values.

Duplicate keys and infinite numbers are rejected."""

import json
import math
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, NoReturn

MAX_DEPTH = 100
MAX_VALUES = 500_000
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
BRACKET = re.compile(rb"[\[\]{}]")
# An escape such as \ud800. Two of them are a character, one alone is none that a text can hold.
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


class JsonTooComplex(Exception):
    """The text is nested too deeply or contains too many values. Decoding it would take too much memory."""


def check_size(body: bytes, *, max_depth: int = MAX_DEPTH, max_values: int = MAX_VALUES) -> None:
    """Raise JsonTooComplex if the text is nested too deeply or has too many values.

    Takes time linear in the size of the text, and counts before anything is decoded."""
    if _is_small(body, max_depth, max_values):
        return
    bare = STRING.sub(b"", body)
    if _is_small(bare, max_depth, max_values):
        return
    if _separators(bare) > max_values:
        raise JsonTooComplex(f"it contains more than {max_values:,} values")
    if max(accumulate(STEPS[each] for each in BRACKET.findall(bare))) > max_depth:
        raise JsonTooComplex(f"it is nested deeper than {max_depth} levels")


def decode(body: bytes) -> Any:
    """Return the plain data of a JSON text in UTF-8.

    Raises JsonTooComplex; UnicodeDecodeError; ValueError for a number that is too long; and JSONDecodeError if the text
    is not JSON, repeats a key or contains a number that is not finite."""
    check_size(body)
    value = json.loads(body.decode(), object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse_constant)
    if SURROGATE.search(body):
        _refuse_surrogates(value)
    return value


def _separators(text: bytes) -> int:
    """Return the number of commas and opening brackets.

    It is at least the number of values less one."""
    return text.count(b",") + text.count(b"[") + text.count(b"{")


def _is_small(text: bytes, max_depth: int, max_values: int) -> bool:
    return text.count(b"[") + text.count(b"{") <= max_depth and _separators(text) <= max_values


def _unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise json.JSONDecodeError("An object contains a key twice", "", 0)
    return fields


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise json.JSONDecodeError("A number is too large", "", 0)
    return number


def _refuse_surrogates(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise json.JSONDecodeError("A text contains half a character", "", 0) from None


def _refuse_constant(constant: str) -> NoReturn:
    raise json.JSONDecodeError(f"{constant} is not a JSON number", "", 0)
