"""Text patterns as SQL: a regular expression or a named format.

A format is one regular expression of the supported subset, matched against the whole text, plus SQL conditions for
what a regular expression cannot decide: check digits, lengths, numbers that are never issued. None of the SQL raises
an error, whatever the text."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import zip_longest

from treaty.contracts.predicates.parser import literal
from treaty.engine.analyzers import check_digits


def matches(text: str, pattern: str, flags: str = "", *, within: bool = False) -> str:
    r"""Return SQL that is true if the whole text matches the pattern ('' included); null for null.

    `flags`: regular expression flags. `within`: the pattern may match anywhere in the text. Otherwise the pattern is
    anchored with \A and \z, because `$` would accept a trailing line break; (?d) makes only \n a line terminator, as
    in Python."""
    written = rf"(?d{flags})(?:{pattern})" if within else rf"(?d{flags})\A(?:{pattern})\z"
    return f"{text} RLIKE {literal(written)}"


@dataclass(frozen=True)
class NamedFormat:
    """A named text format.

    `pattern`: regular expression of the whole text; ASCII letters match in either case unless `exact_case`.
    `conditions`: further SQL conditions over {text}. `check`: its check digits; None for none."""

    pattern: str
    conditions: tuple[str, ...] = ()
    exact_case: bool = False
    check: "CheckDigits | None" = None

    def condition(self, text: str) -> str:
        """Return SQL that is true for texts of the format."""
        shape = matches(text, self.pattern, "" if self.exact_case else "i")
        conditions = (*self.conditions, *(self.check.conditions if self.check else ()))
        return " AND ".join([shape, *(each.replace("{text}", text) for each in conditions)])

    def holds(self, text: str) -> bool:
        """Return whether a text matches the pattern and has correct check digits.

        Other conditions are ignored."""
        flags = re.ASCII if self.exact_case else re.ASCII | re.IGNORECASE
        return re.fullmatch(self.pattern, text, flags) is not None and (not self.check or self.check.hold_in(text))


@dataclass(frozen=True, kw_only=True)
class CheckDigits:
    """The check digits of a format.

    `sql`, `holds`: whether a text without separators has correct ones, as SQL and in Python. `shape`: regular
    expression of such a text; None if the format's own suffices. `left_out`: the separators, after characters that
    stand for digits; `digits`: these digits. `chance`: share of random texts of the shape with correct check digits.
    `lengths`: numbers of digits of a whole number, which has lost zeros at the left; () if none are lost, None if no
    whole number has the format."""

    sql: Callable[[str], str]
    holds: Callable[[str], bool]
    shape: str | None = None
    left_out: str = " -"
    digits: str = ""
    chance: float = 0.1
    lengths: tuple[int, ...] | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return the SQL conditions over {text}."""
        plain = f"translate({{text}}, '{self.left_out}', '{self.digits}')"
        return (*([f"{plain} RLIKE '^({self.shape})$'"] if self.shape else []), self.sql(plain))

    def hold_in(self, text: str) -> bool:
        """Return whether a text that matches the format's pattern has correct check digits."""
        plain = text.translate(str.maketrans(dict(zip_longest(self.left_out, self.digits))))
        return (not self.shape or re.fullmatch(self.shape, plain) is not None) and self.holds(plain)

    def padded(self, number: str) -> str:
        """Return the digits of a whole number with the zeros that it has lost."""
        return number.zfill(next((each for each in self.lengths or () if len(number) <= each), 0))

    def text_of(self, number: str) -> str:
        """Return SQL of the digits of a whole number; '' for a negative one."""
        digits = f"CAST({number} AS STRING)"
        lengths = (f"WHEN length({digits}) <= {each} THEN lpad({digits}, {each}, '0')" for each in self.lengths or ())
        return f"CASE WHEN {number} < 0 THEN '' {' '.join(lengths)} ELSE {digits} END"


# Valid lengths of card numbers by the first digits of the issuer.
_CARDS = (
    "4([0-9]{12}|[0-9]{15}|[0-9]{18})",  # Visa
    "5[1-5][0-9]{14}",  # Mastercard
    "2(22[1-9]|2[3-9][0-9]|[3-6][0-9]{2}|7[01][0-9]|720)[0-9]{12}",  # Mastercard, 2-series
    "3[47][0-9]{13}",  # American Express
    "3(0[0-5]|095|6[0-9]|[89][0-9])[0-9]{11,16}",  # Diners Club
    "35(2[89]|[3-8][0-9])[0-9]{12,15}",  # JCB
    "6(011|4[4-9][0-9]|5[0-9]{2})[0-9]{12,15}",  # Discover
    "62[0-9]{14,17}",  # UnionPay
    "(5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{8,15}",  # Maestro
)
_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*"
_NAME = _LABEL.replace("a-z0-9", "a-z0-9\u00a1-\U0010fffd")
_NAMES = rf"{_NAME}(?:\.{_NAME})*"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_IPV4 = rf"{_OCTET}(?:\.{_OCTET}){{3}}"
_H = "[0-9a-f]{1,4}"
_IPV6 = "|".join(
    (
        f"{_H}(?::{_H}){{7}}",
        f"(?:{_H}(?::{_H}){{0,6}})?::(?:{_H}(?::{_H}){{0,6}})?",
        f"{_H}(?::{_H}){{5}}:{_IPV4}",
        f"(?:{_H}(?::{_H}){{0,4}})?::(?:{_H}(?::{_H}){{0,3}}:)?{_IPV4}",
    )
)
_AREA = "(?:00[1-9]|0[1-9][0-9]|[1-578][0-9]{2}|6[0-57-9][0-9]|66[0-57-9])"
_GROUP = "(?:0[1-9]|[1-9][0-9])"
_SERIAL = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_DIGITS = "translate({text}, ' -', '')"
_UNSPACED = "translate({text}, ' ', '')"
_GROUPS = "[0-9]+(?:-[0-9]+)*|[0-9]+(?: [0-9]+)*"
_IPV6_GROUPS = (
    "regexp_count({text}, '[0-9a-fA-F]+') "
    "<= 8 - CAST(contains({text}, '::') AS INT) + 2 * CAST(contains({text}, '.') AS INT)"
)


def _host_is(form: str) -> str:
    whole = rf"(?di)\A[a-z]+://([^/?#@]*@)?{form}([:/?#]|\z)"
    return f"{{text}} RLIKE {literal(whole)}"


FORMATS: dict[str, NamedFormat] = {
    # RFC 5321 and 5322 without quoted local parts, comments and addresses in brackets; ASCII alone.
    "email": NamedFormat(
        rf"[a-z0-9!#$%'*+/=?^_`{{|}}~-]+(?:\.[a-z0-9!#$%'*+/=?^_`{{|}}~-]+)*@{_LABEL}(?:\.{_LABEL})+",
        (
            "char_length({text}) <= 254",
            "instr({text}, '@') <= 65",
            "substring_index({text}, '.', -1) RLIKE '(?i)^([a-z]{2,63}|xn--[a-z0-9-]+)$'",
        ),
    ),
    # RFC 1123: labels of letters, digits and inner hyphens; the last label is not a number, as in an IP address.
    "hostname": NamedFormat(
        _HOST, ("char_length({text}) <= 253", "NOT substring_index({text}, '.', -1) RLIKE '^[0-9]+$'")
    ),
    # http, https and ftp; also non-ASCII names, as browsers display them. A host of digits must be an IPv4 address.
    "url": NamedFormat(
        rf"(?:https?|ftp)://(?:{_NAMES}|[^\s/?#@<>\"]+@{_NAMES}|\[[0-9a-f:.]+\])(?::[0-9]{{1,5}})?(?:[/?#][^\s<>\"]*)?",
        (f"(NOT {_host_is('[0-9.]+')} OR {_host_is(_IPV4)})",),
    ),
    # RFC 3986: a scheme and what follows it, in the characters that a URI may have.
    "uri": NamedFormat(r"[a-z][a-z0-9+.-]*:(?:[a-z0-9._~:/?#\[\]@!$'()*+,;=-]|&|%[0-9a-f]{2})+"),
    # RFC 9562, of any version.
    "uuid": NamedFormat("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"),
    "ipv4": NamedFormat(_IPV4),
    # RFC 4291, section 2.2, without zones.
    "ipv6": NamedFormat(_IPV6, (_IPV6_GROUPS,)),
    "ip": NamedFormat(f"{_IPV6}|{_IPV4}", (_IPV6_GROUPS,)),
    "mac_address": NamedFormat("[0-9a-f]{2}(?:(?::[0-9a-f]{2}){5}|(?:-[0-9a-f]{2}){5})"),
    # A number with an issuer's prefix and length and a correct check digit; groups separated by blanks or hyphens.
    "credit_card": NamedFormat(
        _GROUPS,
        check=CheckDigits(sql=check_digits.luhn, holds=check_digits.is_luhn, shape="|".join(_CARDS), lengths=()),
    ),
    # ISO/IEC 7812-1, annex B: the check digit of IMEIs, card and many other numbers, of 2 to 20 digits.
    "luhn": NamedFormat(
        _GROUPS,
        check=CheckDigits(sql=check_digits.luhn, holds=check_digits.is_luhn, shape="[0-9]{2,20}", lengths=()),
    ),
    # ISO 2108: 10 digits, of which the last may be X, or 13; single blanks or single hyphens between them.
    "isbn": NamedFormat(
        "(?:[0-9]-?){9}[0-9X]|(?:[0-9] ?){9}[0-9X]|97[89]-?(?:[0-9]-?){9}[0-9]|97[89] ?(?:[0-9] ?){9}[0-9]",
        check=CheckDigits(
            sql=check_digits.isbn,
            holds=check_digits.is_isbn,
            shape="[0-9]{9}[0-9:]|97[89][0-9]{10}",
            left_out="xX -",
            digits=2 * check_digits.TEN,
            lengths=(10, 13),
        ),
    ),
    # GS1 General Specifications: EAN-8, UPC-A, EAN-13 and GTIN-14.
    "ean": NamedFormat(
        _GROUPS,
        check=CheckDigits(
            sql=check_digits.ean, holds=check_digits.is_ean, shape="[0-9]{8}|[0-9]{12,14}", lengths=(8, 12, 13, 14)
        ),
    ),
    # United States: valid area, group and serial numbers, except two numbers that were printed in public.
    "ssn": NamedFormat(
        f"{_AREA}-{_GROUP}-{_SERIAL}|{_AREA} {_GROUP} {_SERIAL}|{_AREA}{_GROUP}{_SERIAL}",
        (f"{_DIGITS} NOT IN ('078051120', '219099999')",),
    ),
    # Only the written form: 7 to 15 digits (ITU-T E.164), one separator between groups, no extension.
    "phone": NamedFormat(
        r"\+?[0-9]+(?:[ ./-][0-9]+)*|\+?(?:[0-9]+[ ./-]?)?\([0-9]{1,5}\)[ ./-]?[0-9]+(?:[ ./-][0-9]+)*",
        ("length(translate({text}, '+() ./-', '')) BETWEEN 7 AND 15",),
    ),
    # ISO 13616-1: without blanks or in groups of four, with the country's length and correct check digits.
    "iban": NamedFormat(
        "[A-Z]{2}[0-9]{2}(?:[A-Z0-9]{11,30}|(?: [A-Z0-9]{4})+(?: [A-Z0-9]{1,3})?)",
        (f"contains('{check_digits.IBANS}', concat(substr({{text}}, 1, 2), length({_UNSPACED})))",),
        check=CheckDigits(sql=check_digits.iban, holds=check_digits.is_iban, left_out=" ", chance=1 / 97),
        exact_case=True,
    ),
    # ISO 9362.
    "bic": NamedFormat("[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?", exact_case=True),
}
# Formats with check digits, those of which fewer texts are first.
CHECKED = ("iban", "credit_card", "isbn", "ean", "luhn")
