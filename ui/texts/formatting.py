"""Format numbers, times, lists, keys and foreign texts for the pages."""

import json
import re
import zlib
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NOTHING = "\u2013"
DATE = re.compile(r"\d{4}-\d{2}")
NULL = "__HIVE_DEFAULT_PARTITION__"

MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>:$&\"'=^])")
# These become a link, an icon or an emoji even when escaped; a word joiner inside prevents it.
REPLACED = re.compile(r"(?i):(?=[\w/+-])|@|www(?=\.)")
WORD_JOINER = "\u2060"
CONTROL = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def slug(text: str) -> str:
    """Return a unique element key for the text: lower-case letters and digits."""
    plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in text.casefold())
    return f"{plain[:40]}-{zlib.crc32(text.encode()):08x}"


def esc(text: object) -> str:
    """Escape foreign text for Markdown: it is shown as written, without links or formatting.

    Line breaks, control and direction-changing characters become spaces."""
    plain = CONTROL.sub(" ", str(text))
    broken = REPLACED.sub(lambda match: f"{match[0]}{WORD_JOINER}", plain)
    return MARKDOWN.sub(r"\\\1", broken)


def prose(text: str) -> str:
    """Escape reference text for Markdown, except for code in backticks."""
    parts = re.split(r"`([^`\n]+)`", " ".join(text.split()))
    return "".join(f"`{part}`" if at % 2 else esc(part) for at, part in enumerate(parts))


def value(measured: object, unit: str = "") -> str:
    """Format a measured value with thousands separators and about four significant digits.

    `unit`: unit of the metric; shares are percentages. A dash for none; texts that are not numbers are returned
    unchanged."""
    if measured is None or measured == "":
        return NOTHING
    text = _unquoted(str(measured))
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    if not number.is_finite():
        return text
    return percent(float(number)) if unit == "share" else _number(number)


def _unquoted(text: str) -> str:
    """Remove the quotes around values that have no JSON number."""
    if len(text) < 2 or text[0] != '"':
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _number(number: Decimal) -> str:
    if number == number.to_integral_value():
        return f"{number:,.0f}" if abs(number) < Decimal(10) ** 15 else f"{number:.6g}"
    if abs(number) >= 1000:
        return f"{number:,.1f}"
    if abs(number) >= 1:
        short = f"{number:.{3 - number.adjusted()}f}".rstrip("0").rstrip(".")
        # A number next to a whole one must not look equal to it, for example to its limit.
        return short if "." in short else f"{number:.6g}"
    if Decimal("0.001") <= abs(number) <= Decimal("0.999"):
        return f"{number:.4f}".rstrip("0")
    return f"{number.normalize():.6g}"


def percent(share: float) -> str:
    """Format a share as a percentage with one decimal.

    A share near 0 or 1 that would look equal to it is shown as a bound: '< 0.1 %'."""
    if 0 < share < 0.0005:
        return "< 0.1 %"
    if 0.9995 < share < 1:
        return "> 99.9 %"
    return f"{share * 100:,.1f} %"


def count(number: int | None) -> str:
    """Format a count with thousands separators; a dash for None."""
    return NOTHING if number is None else f"{number:,}"


def pluralize(number: int, noun: str, plural: str | None = None) -> str:
    """Format a count with its noun; `plural` is needed if it is not formed with s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def join_list(texts: list[str]) -> str:
    """Join the texts as an English list; "" for none."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def zone(name: str) -> ZoneInfo:
    """Return the time zone with that name; UTC if it is unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def moment(time: datetime | None, *, timezone: str) -> str:
    """Format a time in the viewer's zone, with the zone's name; "never" for None.

    Times that the zone would move beyond the years 1 to 9999 are in UTC."""
    return "never" if time is None else f"{_in_zone(time, timezone):%-d %b %Y, %H:%M %Z}"


def _in_zone(time: datetime, timezone: str) -> datetime:
    try:
        return time.astimezone(zone(timezone))
    except OverflowError:
        return time.astimezone(UTC)


def partition_label(partition: str) -> str:
    """Return a partition's name for people: dates alone, other values after their column."""
    return ", ".join(_part_label(*map(unquote, each.partition("="))) for each in partition.split("/"))


def _part_label(column: str, equals: str, value: str) -> str:
    if DATE.match(value) or not equals:
        return value or column
    return f"{column} {'null' if value == NULL else value}"


def utc(time: datetime | None) -> str:
    """Format a time in UTC; "" for None."""
    return "" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def age(time: datetime, *, now: datetime) -> str:
    """Format how long ago the time was; "just now" within a minute and for future times."""
    for seconds, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        amount = int((now - time).total_seconds() // seconds)
        if amount >= 1:
            return f"{pluralize(amount, noun)} ago"
    return "just now"


def took(length: timedelta) -> str:
    """Format a duration, to a tenth of a second below one minute."""
    minutes, seconds = divmod(length.total_seconds(), 60)
    return f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"


def limits(lower: float | None, upper: float | None, unit: str = "", *, strict: bool = False) -> str:
    """Describe the limits in words; "" if there are none. `strict`: a single limit is itself outside."""
    least, most = value(lower, unit), value(upper, unit)
    if lower is not None and upper is not None:
        return f"exactly {least}" if lower == upper else f"between {least} and {most}"
    if lower is not None:
        return f"more than {least}" if strict else f"at least {least}"
    if upper is not None:
        return f"less than {most}" if strict else f"at most {most}"
    return ""
