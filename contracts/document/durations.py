"""Parse the numbers and units of service levels, and define the seconds of each unit."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

SECONDS = {
    **dict.fromkeys(("s", "second", "seconds"), 1),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60),
    **dict.fromkeys(("h", "hour", "hours"), 3600),
    **dict.fromkeys(("d", "day", "days"), 86400),
    **dict.fromkeys(("w", "week", "weeks"), 604800),
}


def unit(content: Mapping[str, Any]) -> str:
    """Return the unit of a service level in lower case; "" for none."""
    return str(content.get("unit") or "").strip().lower()


def number(content: Mapping[str, Any]) -> Decimal | None:
    """Return the value of a service level as a number, NaN and infinities included; None for anything else."""
    try:
        return Decimal(str(content.get("value")).strip())
    except InvalidOperation:
        return None
