"""Every word and mark that the pages show for a state, and how numbers, times and foreign texts are written."""

import json
import re
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NOTHING = "\u2013"
Colour = Literal["blue", "red", "orange", "gray", "green"]

MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>:$&\"'=^])")
# What becomes a link, an icon or an emoji even when escaped; a word joiner inside prevents it.
REPLACED = re.compile(r"(?i):(?=[\w/+-])|@|www(?=\.)")
WORD_JOINER = "\u2060"
CONTROL = re.compile(r"[\x00-\x1f\x7f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


@dataclass(frozen=True)
class Mark:
    """How a state is shown: never by its colour alone."""

    word: str
    icon: str
    colour: Colour

    @property
    def badge(self) -> str:
        """The mark as Streamlit's Markdown; holds no foreign text."""
        return f":{self.colour}-badge[{self.icon} {self.word}]"


UNKNOWN = Mark("Unknown", ":material/help:", "gray")

VERDICTS = {
    "passed": Mark("Passed", ":material/check_circle:", "blue"),
    "warned": Mark("Passed with warnings", ":material/warning:", "orange"),
    "failed": Mark("Failed", ":material/cancel:", "red"),
    "not_evaluated": Mark("Not evaluated", ":material/help:", "gray"),
}
NEVER = Mark("Never judged", ":material/schedule:", "gray")
OUTCOMES = {
    "passed": Mark("Passed", ":material/check_circle:", "blue"),
    "failed": Mark("Failed", ":material/cancel:", "red"),
    "warned": Mark("Warning", ":material/warning:", "orange"),
    "not_applicable": Mark("Not applicable", ":material/remove_circle_outline:", "gray"),
    "not_evaluated": Mark("Not evaluated", ":material/help:", "gray"),
}
SEVERITIES = {
    "error": Mark("Error", ":material/block:", "red"),
    "warning": Mark("Warning", ":material/warning:", "orange"),
}
DECISIONS = {
    "pending": Mark("Pending", ":material/radio_button_unchecked:", "gray"),
    "accepted": Mark("Accepted", ":material/check_circle:", "blue"),
    "rejected": Mark("Rejected", ":material/cancel:", "red"),
}
PROPOSALS = {
    "draft": Mark("Draft", ":material/edit_note:", "gray"),
    "in_review": Mark("In review", ":material/rate_review:", "orange"),
    "approved": Mark("Approved", ":material/verified:", "blue"),
    "rejected": Mark("Rejected", ":material/cancel:", "red"),
    "withdrawn": Mark("Withdrawn", ":material/undo:", "gray"),
}
VERSIONS = {
    "approved": Mark("Approved", ":material/schedule:", "orange"),
    "active": Mark("Active", ":material/verified:", "blue"),
    "deprecated": Mark("Deprecated", ":material/warning:", "orange"),
    "retired": Mark("Retired", ":material/block:", "gray"),
    "superseded": Mark("Superseded", ":material/history:", "gray"),
    "none": Mark("No version yet", ":material/edit_note:", "gray"),
}
BREAKS = Mark("Breaks you", ":material/link_off:", "red")
BEHIND = Mark("Behind", ":material/history:", "orange")
SUBSCRIBED = Mark("Subscribed", ":material/notifications:", "blue")
CHANNEL = Mark("Channel", ":material/send:", "gray")
UNDELIVERED = Mark("Not delivered", ":material/cancel:", "red")
DONE = Mark("Done", ":material/check_circle:", "blue")
TO_DO = Mark("To do", ":material/radio_button_unchecked:", "gray")
USERS = {
    True: Mark("Active", ":material/check_circle:", "blue"),
    False: Mark("Shut out", ":material/block:", "gray"),
}
TASKS = {
    "queued": Mark("Queued", ":material/hourglass_empty:", "gray"),
    "running": Mark("Running", ":material/sync:", "orange"),
    "done": Mark("Done", ":material/check_circle:", "blue"),
    "failed": Mark("Failed", ":material/cancel:", "red"),
}
INBOX = {
    "new": Mark("Waiting", ":material/hourglass_empty:", "gray"),
    "folded": Mark("Taken in", ":material/check_circle:", "blue"),
    "parked": Mark("Not readable", ":material/cancel:", "red"),
}
INCIDENTS = {
    "open": Mark("Open", ":material/error:", "red"),
    "acknowledged": Mark("Acknowledged", ":material/visibility:", "orange"),
    "resolved": Mark("Resolved", ":material/check_circle:", "blue"),
}
RESOLUTIONS = {
    "recovered": "recovered", "fixed": "the data were fixed", "expected_change": "the change was expected",
    "false_alarm": "a false alarm", "duplicate": "a duplicate", "wont_fix": "it stays as it is",
}  # fmt: skip
ENDS = "After an expected change or a false alarm, programs and detectors learn from these data; else they do not."
SAID = {
    "expected": Mark("Expected", ":material/check_circle:", "blue"),
    "incident": Mark("Incident", ":material/error:", "red"),
    "undone": Mark("Taken back", ":material/undo:", "gray"),
}
OUTLOOKS = {
    "judges": "The contract admits these limits: the next run is judged by them.",
    "proposed": "These limits are beyond what was approved: they become a proposal to the owners, and judge nothing.",
    "pinned": "The limits are pinned: they stay as they were approved until the contract is drafted again.",
    "learning": "Too few partitions are left to learn other limits from: they stay as they are.",
    "told": "What is admitted is told anew for each point: from the next run on, without this one or with it.",
    "written": "The limits are written in the contract and stay; drafts and other checks learn from it or do not.",
}
REFITS = {
    "pinned": "are proposed with the next draft only",
    "tighten_only": "judge where they are tighter than what was approved, else are proposed",
    "within: 10%": "judge where they move by at most 10 % of the approved band, else are proposed",
}
REASONS = {"nightly": "newer partitions", "feedback": "what was said of a point"}
SPREADS = {"contaminated": "came", "in_flight": "on their way", "at_risk": "come with the next run"}
# The text glyphs stand in tables, where icons cannot.
GLYPHS = {
    "Passed": "✓",
    "Passed with warnings": "▲",
    "Warning": "▲",
    "Failed": "✗",
    "Not evaluated": "?",
    "Not applicable": NOTHING,
    "Active": "✓",
    "Superseded": "○",
    "Waiting": "○",
    "Taken in": "✓",
    "Not readable": "✗",
}
KINDS = {
    "complete": "always present",
    "non_negative": "never negative",
    "value_range": "range of values",
    "categorical": "known values",
    "unique": "unique",
    "row_count_band": "number of rows",
}


MASKED, NULL = "masked", "(null)"
FAMILIES = {
    "rows": "Rows", "nulls": "Missing values", "numbers": "Numbers", "text": "Text", "distinct": "Distinct values",
    "quantiles": "Quantiles", "association": "Columns together", "values": "Values", "types": "Types",
    "freshness": "Freshness", "columns": "Columns", "references": "Other datasets", "queries": "SQL",
}  # fmt: skip
SCOPES = {"delta": "what arrived, partition by partition", "dataset": "all partitions together"}
ROLES = {
    "admin": "administrator", "owner": "owner", "producer": "producer", "consumer": "consumer", "viewer": "viewer",
    "service": "service",
}  # fmt: skip
CHANNELS = {"email": "Mail", "slack": "Slack", "webhook": "Webhook"}
RUNNERS = {"here": "judged here", "elsewhere": "judged by another engine", "people": "judged by people"}
EXPORTS = {
    "odcs": "ODCS, as approved", "dbt": "dbt schema.yml", "dqx": "DQX checks", "gx": "Great Expectations suite",
    "soda": "Soda checks", "html": "Page", "markdown": "Markdown",
}  # fmt: skip
TYPES = {"string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false"}


def family(name: str) -> str:
    """The words for a family of analyzers; its own name where there are none."""
    return FAMILIES.get(name, name.replace("_", " ").capitalize())


def cell(text: str | None) -> str:
    """A value of a row as a table shows it: what is null is said, or it would look like an empty text."""
    return NULL if text is None else text


def slug(text: str) -> str:
    """A key for an element about that text: lower case letters and digits, and different for different texts."""
    plain = "".join(each if each.isascii() and each.isalnum() else "-" for each in text.casefold())
    return f"{plain[:40]}-{zlib.crc32(text.encode()):08x}"


def glyph(mark: Mark) -> str:
    """The mark for a table cell: sign and word."""
    return f"{GLYPHS.get(mark.word, '•')} {mark.word}"


WORK = {
    "validate": "Validation", "draft": "Draft", "replay": "Replay", "upkeep": "Daily upkeep", "deliver": "Delivery",
    "redraft": "Drafted anew", "learn": "Patterns of the lake",
}  # fmt: skip


def task(kind_of: str) -> str:
    """The words for a kind of task; its own name where there are none."""
    return WORK.get(kind_of, kind_of.replace("_", " ").capitalize())


def kind(name: str) -> str:
    """The words for a kind of suggestion; its own name where there are none."""
    return KINDS.get(name, name.replace("_", " "))


def esc(text: object) -> str:
    """Foreign text for use inside Markdown: it shows as written, and makes no link, image, colour or formula.

    Line breaks, control and direction-changing characters become spaces."""
    plain = CONTROL.sub(" ", str(text))
    broken = REPLACED.sub(lambda found: f"{found[0]}{WORD_JOINER}", plain)
    return MARKDOWN.sub(r"\\\1", broken)


def prose(text: str) -> str:
    """Text of a reference for use inside Markdown: what stands in backticks is shown as code, all else as written."""
    parts = re.split(r"`([^`\n]+)`", " ".join(text.split()))
    return "".join(f"`{part}`" if at % 2 else esc(part) for at, part in enumerate(parts))


def value(measured: object) -> str:
    """A measured value as plain text, with thousands separators and six significant digits at most; a dash for none."""
    if measured is None or measured == "":
        return NOTHING
    text = _unquoted(str(measured))
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return _number(number) if number.is_finite() else text


def _unquoted(text: str) -> str:
    """The text without the quotes that results carry where JSON has no number for them."""
    if len(text) < 2 or text[0] != '"':
        return text
    try:
        return str(json.loads(text))
    except ValueError:
        return text


def _number(number: Decimal) -> str:
    if number == number.to_integral_value():
        return f"{number:,.0f}" if abs(number) < Decimal(10) ** 15 else f"{number:.6g}"
    if abs(number) >= 1:
        return f"{number:,.4f}".rstrip("0").rstrip(".")
    return (
        f"{number:.4f}".rstrip("0")
        if Decimal("0.001") <= abs(number) <= Decimal("0.999")
        else f"{number.normalize():.6g}"
    )


def count(number: int | None) -> str:
    """A count with thousands separators; a dash for none."""
    return NOTHING if number is None else f"{number:,}"


def several(number: int, noun: str, plural: str | None = None) -> str:
    """A count and its noun, in the plural unless there is one; `plural` where an s does not make it."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(texts: list[str]) -> str:
    """The texts as an English list; "" for none."""
    return " and ".join([", ".join(texts[:-1]), texts[-1]]) if len(texts) > 1 else "".join(texts)


def zone(name: str) -> ZoneInfo:
    """The viewer's time zone; UTC where it is unknown."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def moment(time: datetime | None, *, timezone: str) -> str:
    """A time in the viewer's zone, with the zone's name; "never" for none."""
    return "never" if time is None else f"{time.astimezone(zone(timezone)):%-d %b %Y, %H:%M %Z}"


def utc(time: datetime | None) -> str:
    """The same time in UTC, for the help beside it."""
    return "" if time is None else f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def age(time: datetime, *, now: datetime) -> str:
    """How long ago that was, in words; "just now" within a minute and for what lies ahead."""
    for seconds, noun in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        amount = int((now - time).total_seconds() // seconds)
        if amount >= 1:
            return f"{several(amount, noun)} ago"
    return "just now"


def took(length: timedelta) -> str:
    """A duration in words, to the tenth of a second."""
    minutes, seconds = divmod(length.total_seconds(), 60)
    return f"{minutes:.0f} min {seconds:.0f} s" if minutes else f"{seconds:.1f} s"


def limits(lower: float | None, upper: float | None) -> str:
    """What a band admits, in words; "" for no limit."""
    if lower is not None and upper is not None:
        return f"exactly {value(lower)}" if lower == upper else f"between {value(lower)} and {value(upper)}"
    if lower is not None:
        return f"at least {value(lower)}"
    return f"at most {value(upper)}" if upper is not None else ""
