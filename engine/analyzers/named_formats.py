"""Text patterns as SQL: a regular expression or a named format.

A format is one regular expression of the supported subset, matched against the whole text, plus SQL conditions for
what a regular expression cannot decide: check digits, lengths, numbers that are never issued. None of the SQL raises
an error, whatever the text."""

from dataclasses import dataclass
from functools import reduce

from treaty.contracts.predicates.parser import literal


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
    `conditions`: further SQL conditions over {text}."""

    pattern: str
    conditions: tuple[str, ...] = ()
    exact_case: bool = False

    def condition(self, text: str) -> str:
        """Return SQL that is true for texts of the format."""
        shape = matches(text, self.pattern, "" if self.exact_case else "i")
        return " AND ".join([shape, *(each.replace("{text}", text) for each in self.conditions)])


def _with_one(expression: str, condition: str) -> str:
    """Return a condition over `it`, which stands for the expression and is evaluated once."""
    return f"exists(array({expression}), it -> {condition})"


def _luhn(digits: str) -> str:
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


def _mod_97(number: str) -> str:
    """Return SQL of a number of up to 70 digits modulo 97.

    It is computed in parts that fit decimal(38,0)."""
    rest = "''"
    for start in (1, 36):
        rest = f"coalesce(try_cast(concat({rest}, substr({number}, {start}, 35)) AS DECIMAL(38,0)) % 97, 0)"
    return rest


def _iban_sum(text: str) -> str:
    """Return SQL that is true if the check digits are correct (ISO 13616-1: ISO/IEC 7064, MOD 97-10; A is 10, B is 11,
    ...)."""
    turned = f"concat(substr({text}, 5), substr({text}, 1, 4))"
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    digits = reduce(lambda sql, letter: f"replace({sql}, '{letter}', '{ord(letter) - 55}')", letters, turned)
    return _with_one(digits, f"{_mod_97('it')} = 1")


# Country codes and lengths of the SWIFT IBAN registry.
_IBANS = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 "
    "EE20 EG29 ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 "
    "IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 "
    "NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 "
    "SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30"
)
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
        "[0-9]+(?:-[0-9]+)*|[0-9]+(?: [0-9]+)*",
        (
            f"{_DIGITS} RLIKE '^({'|'.join(_CARDS)})$'",
            _luhn(_DIGITS),
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
        (
            f"contains('{_IBANS}', concat(substr({{text}}, 1, 2), length({_UNSPACED})))",
            _iban_sum(_UNSPACED),
        ),
        exact_case=True,
    ),
    # ISO 9362.
    "bic": NamedFormat("[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?", exact_case=True),
}
