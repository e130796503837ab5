"""Exact bytes of the plain values that states hold: numbers without rounding, dates and times with their kind."""

import json
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

_WRITERS: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: None,
    bool: lambda value: value,
    str: lambda value: value,
    int: lambda value: {"int": str(value)},
    float: lambda value: {"float": value.hex()},
    Decimal: lambda value: {"decimal": str(value)},
    datetime: lambda value: {"datetime": value.isoformat()},
    date: lambda value: {"date": value.isoformat()},
    tuple: lambda value: [_WRITERS[type(each)](each) for each in value],
}
# Hundreds of thousands of small documents are read at once: `json.loads` would look for encoding and blanks of each.
_DECODER = json.JSONDecoder()
_READERS: dict[str, Callable[[str], Any]] = {
    "int": int,
    "float": float.fromhex,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}


def dump(value: Any) -> bytes:
    """The bytes of a plain value: None, bool, str, int, float, Decimal, date, datetime, or a tuple of these."""
    return json.dumps(_WRITERS[type(value)](value), ensure_ascii=False, separators=(",", ":")).encode()


def load(data: bytes) -> Any:
    """The value that `dump` wrote. Raises ValueError or KeyError for anything else."""
    text = data.decode()
    encoded, end = _DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError("these bytes are no state: something follows it")
    return _read(encoded)


def _read(encoded: Any) -> Any:
    kind = type(encoded)
    if kind is dict:
        ((name, text),) = encoded.items()
        return _READERS[name](text)
    return tuple(map(_read, encoded)) if kind is list else encoded
