"""Format values for people: grouped thousands, few digits, never rounded across a bound."""

import re
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from math import isfinite, isnan
from typing import Any

DIGITS, ALL_DIGITS = 4, 17
# Smaller numbers are shown with an exponent.
SMALLEST_EXPONENT = -6
# Most decimals of a percentage, for shares that differ from a limit by very little.
MOST_DECIMALS = 15
LONGEST = 60
_UNSEEN = re.compile(r"[^\x20-\x7e]")


def figure(value: Any, *, alongside: Iterable[Any] = ()) -> str:
    """Format a value: integers and decimals exactly, floats with four digits, text with invisible characters escaped.

    `alongside`: numbers that are shown with this one; floats get as many digits as they need to differ."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "none"}[value]
    if isinstance(value, int | Decimal):
        return _grouped(Decimal(value)) if Decimal(value).is_finite() else str(value)
    if isinstance(value, float):
        return _rounded(value, [each for each in alongside if is_number(each)])
    return visible(str(value), longest=LONGEST)


def measured(value: Any, unit: str) -> str:
    """Format a measured value: a share as a percentage, otherwise as `figure`."""
    return percentage(value) if unit == "share" and is_number(value) else figure(value)


def measured_text(text: str, unit: str) -> str:
    """Format a measured value that was stored as text; text that is no number is returned with `visible`."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return visible(text, longest=LONGEST)
    whole = number.is_finite() and number == number.to_integral_value()
    return measured(int(number) if whole else float(number), unit)


def percentage(share: float | Decimal, limits: Iterable[Any] = ()) -> str:
    """Format a share as a percentage with at least one decimal.

    Decimals are added while it would look equal to 0 %, 100 % or a limit without being equal."""
    percent = 100 * exact(share)
    references = [Decimal(0), Decimal(100), *(100 * exact(each) for each in limits if is_number(each))]
    for decimals in range(1, MOST_DECIMALS + 1):
        shown = round(percent, decimals)
        if all(_side(shown, each) == _side(percent, each) for each in references):
            break
    return f"{shown:,f} %"


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


def _rounded(value: float, alongside: list[Any]) -> str:
    if not isfinite(value):
        return "not a number" if isnan(value) else "infinite" if value > 0 else "negative infinity"
    numbers = list({exact(each): each for each in (*alongside, value)}.values())
    digits = next((each for each in range(DIGITS, ALL_DIGITS) if _are_distinct(numbers, each)), ALL_DIGITS)
    return _with_digits(exact(value), digits)


def _are_distinct(numbers: list[Any], digits: int) -> bool:
    """Return whether numbers with that many digits compare as their exact values do."""
    whole = [exact(each) for each in numbers]
    shown = [_shown(each, digits) for each in numbers]
    return all(
        _side(mine, other) == _side(whole[at], whole[of]) == _side(mine, whole[of])
        for at, mine in enumerate(shown)
        for of, other in enumerate(shown)
        if at != of
    )


def _shown(number: Any, digits: int) -> Decimal:
    """Return the number as it is shown: integers and decimals are never rounded."""
    return Decimal(_with_digits(exact(number), digits).replace(",", "")) if isinstance(number, float) else exact(number)


def _with_digits(number: Decimal, digits: int) -> str:
    """Format with all digits before the decimal point; very large and very small numbers with an exponent."""
    if not number:
        return "0"
    if not SMALLEST_EXPONENT <= number.adjusted() < ALL_DIGITS:
        mantissa, exponent = f"{number:.{digits - 1}e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{exponent}"
    places = max(0, digits - 1 - number.adjusted())
    return _grouped(number.quantize(Decimal(1).scaleb(-places)).normalize())


def _grouped(number: Decimal) -> str:
    return f"{number:,f}" if number else "0"


def _side(number: Decimal, other: Decimal) -> int:
    return (number > other) - (number < other)
