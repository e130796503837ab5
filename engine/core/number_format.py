"""Format values for people: grouped thousands, few digits, never rounded across a bound."""

import re
from collections.abc import Iterable
from decimal import Decimal
from math import isfinite, isnan
from typing import Any

DIGITS, ALL_DIGITS = 6, 17
LONGEST = 60
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def figure(value: Any, *, alongside: Iterable[Any] = ()) -> str:
    """Format a value: integers and decimals exactly, floats with six digits, text with invisible characters escaped.

    `alongside`: numbers that are shown with this one; a float gets as many digits as it needs to differ from them."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, int | Decimal):
        return _grouped(Decimal(value)) if Decimal(value).is_finite() else str(value)
    if isinstance(value, float):
        return _rounded(value, [exact(each) for each in alongside if is_number(each)])
    return visible(str(value), longest=LONGEST)


def is_number(value: Any) -> bool:
    """Return whether the value is a finite number; booleans are not."""
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and isfinite(value)


def exact(number: int | float | Decimal) -> Decimal:
    """Return the number as the decimal that is printed for it."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


def visible(text: str, *, longest: int | None = None) -> str:
    r"""Return the text on one line with invisible characters escaped (\u001b).

    `longest`: maximum length, beyond which the text is cut; None means no limit."""
    shown = text if longest is None or len(text) <= longest else text[: longest - 1] + "…"
    return _UNSEEN.sub(_numbered, shown)


def _numbered(match: re.Match[str]) -> str:
    character = match.group()
    return character if character.isprintable() else f"\\u{ord(character):04x}"


def _rounded(value: float, alongside: list[Decimal]) -> str:
    if not isfinite(value):
        return "not a number" if isnan(value) else "infinite" if value > 0 else "negative infinity"
    text, whole = "", exact(value)
    for digits in range(DIGITS, ALL_DIGITS + 1):
        text = _with_digits(whole, digits)
        shown = Decimal(text.replace(",", ""))
        if all(_side(shown, each) == _side(whole, each) for each in alongside):
            break
    return text


def _with_digits(number: Decimal, digits: int) -> str:
    """Format with all digits before the decimal point; very large and very small numbers with an exponent."""
    if not number:
        return "0"
    if not -DIGITS < number.adjusted() < ALL_DIGITS:
        return f"{number:.{digits - 1}e}"
    places = max(0, digits - 1 - number.adjusted())
    return _grouped(number.quantize(Decimal(1).scaleb(-places)).normalize())


def _grouped(number: Decimal) -> str:
    return f"{number:,f}" if number else "0"


def _side(number: Decimal, other: Decimal) -> int:
    return (number > other) - (number < other)
