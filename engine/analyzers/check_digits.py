"""Check digits: as SQL for Spark, and in Python for values at hand.

Both read a text without separators. None of the SQL raises an error, whatever the text."""

from collections.abc import Sequence
from functools import reduce

_EAN_WEIGHTS = (3, 1) * 7
_ISBN_10_WEIGHTS = range(10, 0, -1)
_ZERO = ord("0")
# An ISBN-10 may end in X, which counts 10: the character that follows 9 in ASCII.
TEN = ":"
# Country codes and lengths of the SWIFT IBAN registry.
IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 "
    "EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 "
    "IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 "
    "NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 "
    "SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)


def luhn(digits: str) -> str:
    """Return SQL that is true if the last digit is the Luhn check digit.

    ISO/IEC 7812-1, annex B, for up to 20 digits. Alternate digits are extracted separately, one set doubled; each
    digit is written as that many strokes, and the strokes are counted."""
    even = f"lpad({digits}, 20, '0')"
    doubled = f"translate(regexp_replace({even}, '([0-9])[0-9]', '$1'), '0123456789', '0246813579')"
    undoubled = f"regexp_replace({even}, '[0-9]([0-9])', '$1')"
    strokes = reduce(
        lambda sql, digit: f"replace({sql}, '{digit}', '{'|' * digit}')", range(10), f"concat({doubled}, {undoubled})"
    )
    return f"length({strokes}) % 10 = 0"


def ean(digits: str) -> str:
    """Return SQL that is true for a correct GS1 check digit.

    GS1 General Specifications, section 7.9, for up to 14 digits."""
    return with_one(f"lpad({digits}, 14, '0')", _weighted("it", _EAN_WEIGHTS, 10))


def isbn(digits: str) -> str:
    """Return SQL that is true for a correct check digit by ISO 2108.

    For 10 or 13 digits, of which X is written as TEN."""
    of_ten = with_one(digits, _weighted("it", _ISBN_10_WEIGHTS, 11))
    return f"CASE WHEN length({digits}) = 10 THEN {of_ten} ELSE {ean(digits)} END"


def iban(text: str) -> str:
    """Return SQL that is true if the check digits are correct.

    ISO 13616-1: ISO/IEC 7064, MOD 97-10. A is 10, B is 11, ..."""
    turned = f"concat(substr({text}, 5), substr({text}, 1, 4))"
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    digits = reduce(lambda sql, letter: f"replace({sql}, '{letter}', '{ord(letter) - 55}')", letters, turned)
    return with_one(digits, f"{_mod_97('it')} = 1")


def with_one(expression: str, condition: str) -> str:
    """Return a condition over `it`, which stands for the expression and is evaluated once."""
    return f"exists(array({expression}), it -> {condition})"


def _weighted(digits: str, weights: Sequence[int], modulus: int) -> str:
    """Return SQL that is true if the modulus divides the weighted sum of the digits."""
    terms = (f"{weight} * ascii(substr({digits}, {place}, 1))" for place, weight in enumerate(weights, start=1))
    return f"({' + '.join(terms)}) % {modulus} = {_ZERO * sum(weights) % modulus}"


def _mod_97(number: str) -> str:
    """Return SQL of a number of up to 70 digits modulo 97.

    It is computed in parts that fit decimal(38,0)."""
    rest = "''"
    for start in (1, 36):
        rest = f"coalesce(try_cast(concat({rest}, substr({number}, {start}, 35)) AS DECIMAL(38,0)) % 97, 0)"
    return rest


def is_luhn(digits: str) -> bool:
    """Return whether the last digit is the Luhn check digit."""
    numbers = list(map(int, reversed(digits)))
    doubled = (sum(divmod(2 * each, 10)) for each in numbers[1::2])
    return (sum(numbers[::2]) + sum(doubled)) % 10 == 0


def is_ean(digits: str) -> bool:
    """Return whether the last digit is the check digit of an EAN, UPC or ISBN-13."""
    return _is_weighted(digits.rjust(14, "0"), _EAN_WEIGHTS, 10)


def is_isbn(digits: str) -> bool:
    """Return whether the last of 10 or 13 digits is the check digit.

    X is written as TEN."""
    return _is_weighted(digits, _ISBN_10_WEIGHTS, 11) if len(digits) == 10 else is_ean(digits)


def is_iban(text: str) -> bool:
    """Return whether an IBAN without blanks has a valid length and check digits."""
    return (
        f"{text[:2]}{len(text)}" in IBANS and int("".join(str(int(each, 36)) for each in text[4:] + text[:4])) % 97 == 1
    )


def _is_weighted(digits: str, weights: Sequence[int], modulus: int) -> bool:
    return sum(weight * (ord(each) - _ZERO) for weight, each in zip(weights, digits, strict=True)) % modulus == 0
