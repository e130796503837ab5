"""Named domains of texts: date formats, addresses, identifiers and codes, with their check digits.

A column has a domain if nearly all its distinct values belong to it. A domain that is also a named format
(`treaty.engine.analyzers.named_formats`) can be used in a check, which then tests the check digits in SQL."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Address, IPv6Address
from itertools import islice

from treaty.engine.analyzers.named_formats import CHECKED, FORMATS

LEAST_SHARE = 0.95
LEAST_VALUES = 5
LOOKED_AT = 200

Holds = Callable[[str], bool]


@dataclass(frozen=True)
class NamedDomain:
    """A named meaning of values. `holds`: true for a value of the domain, check digits included."""

    name: str
    holds: Holds

    @property
    def format(self) -> str | None:
        """Return the named format of the same name; None if there is none."""
        return self.name if self.name in FORMATS else None


def domain_of(values: Iterable[str]) -> NamedDomain | None:
    """Return the first domain of nearly all distinct values; None for too few values or no domain."""
    distinct = list(dict.fromkeys(values))[:LOOKED_AT]
    if len(distinct) < LEAST_VALUES:
        return None
    most = int((1 - LEAST_SHARE) * len(distinct))
    return next((each for each in DOMAINS if _breaks(each, distinct, most) <= most), None)


def _breaks(domain: NamedDomain, values: Iterable[str], most: int) -> int:
    """Count the values that are not of the domain, up to `most` + 1."""
    return sum(1 for _ in islice((each for each in values if not domain.holds(each)), most + 1))


def _like(pattern: str, holds: Holds = lambda _: True) -> Holds:
    match = re.compile(pattern).fullmatch
    return lambda value: len(value) <= LONGEST and match(value) is not None and holds(value)


def _dated(written: str) -> Holds:
    def holds(value: str) -> bool:
        try:
            datetime.strptime(value, written)  # noqa: DTZ007
        except ValueError:
            return False
        return True

    return _like(_DIGITS_OF[written], holds)


def _address(kind: Callable[[str], object]) -> Holds:
    def holds(value: str) -> bool:
        try:
            kind(value)
        except ValueError:
            return False
        return True

    return holds


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


LONGEST = 254
_DIGITS_OF = {
    "%Y-%m-%d": r"\d{4}-\d{2}-\d{2}",
    "%Y/%m/%d": r"\d{4}/\d{1,2}/\d{1,2}",
    "%Y%m%d": r"(?:19|20)\d{6}",
    "%m/%d/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%d/%m/%Y": r"\d{1,2}/\d{1,2}/\d{4}",
    "%d.%m.%Y": r"\d{1,2}\.\d{1,2}\.\d{4}",
    "%m/%d/%y": r"\d{1,2}/\d{1,2}/\d{2}",
    "%d-%b-%y": r"\d{1,2}-[A-Za-z]{3}-\d{2}",
    "%d %b %Y": r"\d{1,2} [A-Za-z]{3} \d{4}",
    "%b %d, %Y": r"[A-Za-z]{3} \d{1,2}, \d{4}",
    "%B %d, %Y": r"[A-Za-z]+ \d{1,2}, \d{4}",
    "%Y-%m": r"\d{4}-\d{2}",
    "%Y-%m-%d %H:%M:%S": r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}",
    "%m/%d/%Y %H:%M": r"\d{1,2}/\d{1,2}/\d{4} \d{1,2}:\d{2}",
    "%H:%M:%S": r"\d{1,2}:\d{2}:\d{2}",
    "%H:%M": r"\d{1,2}:\d{2}",
}
# ISO 3166-1 alpha-2, as of 2024.
COUNTRIES = _codes(
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW "
    "BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI "
    "FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN "
    "IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME "
    "MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF "
    "PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV "
    "SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE "
    "YT ZA ZM ZW"
)
# ISO 4217: currencies in use, as of 2024.
CURRENCIES = _codes(
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD "
    "CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ "
    "GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR "
    "LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN "
    "PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB "
    "TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL"
)
_HEX = "[0-9a-fA-F]"
DOMAINS = (
    NamedDomain("uuid", _like(f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}")),
    *(NamedDomain(name, FORMATS[name].holds) for name in CHECKED if name != "luhn"),
    NamedDomain("ipv4", _address(IPv4Address)),
    NamedDomain("ipv6", _address(IPv6Address)),
    NamedDomain("mac_address", _like(f"{_HEX}{{2}}(?::{_HEX}{{2}}){{5}}|{_HEX}{{2}}(?:-{_HEX}{{2}}){{5}}")),
    NamedDomain("email", _like(r"[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+")),
    NamedDomain("url", _like(r"(?:https?|ftp)://[^\s/?#]+(?:[/?#]\S*)?")),
    NamedDomain("country code (ISO 3166-1 alpha-2)", COUNTRIES.__contains__),
    NamedDomain("currency code (ISO 4217)", CURRENCIES.__contains__),
    NamedDomain(
        "time stamp (ISO 8601)", _like(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?")
    ),
    *(NamedDomain(f"date or time ({written})", _dated(written)) for written in _DIGITS_OF),
)
