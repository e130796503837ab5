"""Lossless JSON encoding of the plain values in states: exact numbers, typed dates and times."""

import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from treaty.engine.components.exact_sums import RoundedSum, RoundedSums

_WRITERS: dict[type, Callable[[Any], Any]] = {
    Decimal: lambda value: {"decimal": str(value)},
    datetime: lambda value: {"datetime": value.isoformat()},
    date: lambda value: {"date": value.isoformat()},
    tuple: lambda value: list(map(encoded, value)),
    RoundedSum: lambda value: {"sum": encoded(value.exact)},
    RoundedSums: lambda value: {"sums": [list(value), encoded(value.exact)]},
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "sum": lambda exact: RoundedSum.of(decoded(exact)),
    "sums": lambda parts: RoundedSums.of(*map(decoded, parts)),
}
# Python's JSON is exact for these: shortest round-trip digits for floats, all digits for integers.
_PLAIN = frozenset({type(None), bool, str, int, float})


def encoded(value: Any) -> Any:
    """Encode a plain value as JSON data: None, bool, str, int, float, Decimal, date, datetime, a rounded sum, or a
    tuple of these.

    Raises KeyError for any other type."""
    kind = type(value)
    return value if kind in _PLAIN else _WRITERS[kind](value)


def decoded(document: Any) -> Any:
    """Decode a value written by `encoded`. Raises ValueError or KeyError for anything else."""
    kind = type(document)
    if kind in _PLAIN:
        return document
    if kind is list:
        return tuple(map(decoded, document))
    ((name, text),) = document.items()
    return _READERS[name](text)


def written(document: Any) -> bytes:
    """Return the document as JSON bytes without blanks."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def dump(value: Any) -> bytes:
    """Return the bytes of a plain value. Raises KeyError for any other type."""
    return written(encoded(value))


def load(data: bytes) -> Any:
    """Return the value from the bytes that `dump` wrote. Raises ValueError or KeyError for anything else."""
    return decoded(json.loads(data))
