"""Values of a contract as SQL literals of a column's own type: no digit is lost and no row is cast."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

from treaty.contracts.predicates.parser import literal
from treaty.engine.components.base import EPOCH
from treaty.engine.components.operands import INTEGRAL, TEXT, Operand

DIGITS = 38  # of Spark's widest decimal
EXACT_TYPES = INTEGRAL | {"decimal"}
WIDEST_FLOAT = 3.4028234663852886e38


def literal_of(value: Any, operand: Operand) -> str | None:
    """The value as a literal that compares with the operand exactly; None where no such operand can have it.

    Numbers for numbers, true and false for booleans, texts for texts; dates and times from ISO 8601 text, a time
    without a zone being one of UTC."""
    writer = _WRITERS.get(operand.base_type)
    try:
        return writer(value) if writer else None
    except (ValueError, OverflowError):
        return None


def equal_of(value: Any, operand: Operand) -> str | None:
    """As `literal_of`, for tests of equality: NULL for a number that no exact column can hold.

    (Written as a double it would make Spark compare all as doubles.)"""
    written = literal_of(value, operand)
    inexact = operand.base_type in EXACT_TYPES and written is not None and not written.endswith("BD")
    return "NULL" if inexact else written


def shown_of(value: Any, operand: Operand) -> Any:
    """A limit in the form in which extremes of such a column are shown: ISO 8601, times with a zone in UTC.

    What is no text, and limits of columns that hold no times, stay as they are. Raises ValueError for a text that is no
    date (time) where one is needed."""
    show = _SHOWN.get(operand.base_type)
    return show(value) if show and isinstance(value, str) else value


def is_number(value: Any) -> bool:
    """Whether the value is a number; true and false are none."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _decimal(value: Any) -> Decimal:
    """The decimal number that the author wrote. Raises ValueError for what is none, or is not finite."""
    if not is_number(value) or not isfinite(value):
        raise ValueError
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _exact(value: Any) -> str:
    text = f"{_decimal(value):f}"
    return f"{text}BD" if sum(map(str.isdigit, text)) <= DIGITS else _double(value)


def _double(value: Any) -> str:
    return f"{float(_decimal(value))!r}D"


def _float(value: Any) -> str:
    number = float(_decimal(value))
    return f"{number!r}F" if abs(number) <= WIDEST_FLOAT else f"{number!r}D"


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return literal(value)


def _boolean(value: Any) -> str:
    if not isinstance(value, bool):
        raise ValueError
    return str(value).upper()


def _date(value: Any) -> str:
    return f"DATE'{date.fromisoformat(_iso(value)).isoformat()}'"


def _moment(value: Any) -> datetime:
    found = datetime.fromisoformat(_iso(value))
    try:
        return found.astimezone(UTC).replace(tzinfo=None) if found.tzinfo else found
    except OverflowError:
        raise ValueError from None


def _timestamp(value: Any) -> str:
    return f"timestamp_micros({(_moment(value) - EPOCH) // timedelta(microseconds=1)})"


def _local(value: Any) -> str:
    return f"TIMESTAMP_NTZ'{_moment(value).isoformat(sep=' ')}'"


def _iso(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if not isinstance(value, str):
        raise ValueError
    return value


_WRITERS: dict[str, Callable[[Any], str]] = {
    **dict.fromkeys(EXACT_TYPES, _exact),
    **dict.fromkeys(TEXT, _text),
    "double": _double,
    "float": _float,
    "boolean": _boolean,
    "date": _date,
    "timestamp": _timestamp,
    "timestamp_ntz": _local,
}
_SHOWN: dict[str, Callable[[str], str]] = {
    "date": lambda text: date.fromisoformat(text).isoformat(),
    "timestamp": lambda text: _moment(text).replace(tzinfo=UTC).isoformat(),
    "timestamp_ntz": lambda text: _moment(text).isoformat(),
}
