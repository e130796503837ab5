"""Exact bytes of the plain values that states hold: numbers without rounding, dates and times with their kind."""

import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

_WRITERS: dict[type, Callable[[Any], Any]] = {
    Decimal: lambda value: {"decimal": str(value)},
    datetime: lambda value: {"datetime": value.isoformat()},
    date: lambda value: {"date": value.isoformat()},
    tuple: lambda value: list(map(encoded, value)),
}
_READERS: dict[str, Callable[[str], Any]] = {
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}
# JSON as Python writes it has them exactly: floats by the shortest digits that mean them, whole numbers in full.
_PLAIN = frozenset({type(None), bool, str, int, float})


def encoded(value: Any) -> Any:
    """A plain value as what JSON has: None, bool, str, int, float, Decimal, date, datetime, or a tuple of these.

    Raises KeyError for anything else."""
    kind = type(value)
    return value if kind in _PLAIN else _WRITERS[kind](value)


def decoded(found: Any) -> Any:
    """The value that was encoded. Raises ValueError or KeyError for anything else."""
    kind = type(found)
    if kind in _PLAIN:
        return found
    if kind is list:
        return tuple(map(decoded, found))
    ((name, text),) = found.items()
    return _READERS[name](text)


def written(document: Any) -> bytes:
    """JSON without blanks."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def dump(value: Any) -> bytes:
    """The bytes of a plain value. Raises KeyError for anything else."""
    return written(encoded(value))


def load(data: bytes) -> Any:
    """The value that `dump` wrote. Raises ValueError or KeyError for anything else."""
    return decoded(json.loads(data))
