"""SQL literals of a contract's values, typed like a column: no digit is lost and no row is cast."""

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
    """Return a literal that compares exactly with the operand; None if its type cannot have the value.

    Numbers for numbers, true and false for booleans, texts for texts; dates and times from ISO 8601 text, where a
    time without a zone is in UTC."""
    writer = _WRITERS.get(operand.base_type)
    try:
        return writer(value) if writer else None
    except (ValueError, OverflowError):
        return None


def equal_of(value: Any, operand: Operand) -> str | None:
    """Return the literal for a test of equality: NULL for a number that no exact column can have.

    (As a double it would make Spark compare all values as doubles.) None if the operand's type cannot have the
    value."""
    sql_literal = literal_of(value, operand)
    inexact = operand.base_type in EXACT_TYPES and sql_literal is not None and not sql_literal.endswith("BD")
    return "NULL" if inexact else sql_literal


def shown_of(value: Any, operand: Operand) -> Any:
    """Return a bound in the format of the column's extremes: ISO 8601, times with a zone in UTC.

    Values that are not texts, and bounds of columns without dates or times, are returned unchanged. Raises
    ValueError for a text that is no valid date or time if the column needs one."""
    show = _SHOWN.get(operand.base_type)
    return show(value) if show and isinstance(value, str) else value


def is_number(value: Any) -> bool:
    """Return whether the value is a number; booleans are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def _decimal(value: Any) -> Decimal:
    """Return the decimal number as the author wrote it. Raises ValueError unless it is a finite number."""
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
    moment = datetime.fromisoformat(_iso(value))
    try:
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
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
