"""Labels of states, kinds and reasons: a word, an icon and a colour."""

from dataclasses import dataclass
from typing import Literal

from treaty.ui.texts.formatting import NOTHING

Colour = Literal["blue", "red", "orange", "gray", "green"]


@dataclass(frozen=True)
class StatusLabel:
    """The label of a state, never shown by its colour alone."""

    word: str
    icon: str
    colour: Colour

    @property
    def badge(self) -> str:
        """Return the label as a Streamlit Markdown badge; contains no foreign text."""
        return f":{self.colour}-badge[{self.icon} {self.word}]"


UNKNOWN = StatusLabel("Unknown", ":material/help:", "gray")

VERDICTS = {
    "passed": StatusLabel("Passed", ":material/check_circle:", "blue"),
    "warned": StatusLabel("Passed with warnings", ":material/warning:", "orange"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
    "not_evaluated": StatusLabel("Not evaluated", ":material/help:", "gray"),
}
REQUESTED = StatusLabel("Asked for", ":material/contract:", "orange")
NEVER = StatusLabel("Never judged", ":material/schedule:", "gray")
OUTCOMES = {
    "passed": StatusLabel("Passed", ":material/check_circle:", "blue"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
    "warned": StatusLabel("Warning", ":material/warning:", "orange"),
    "not_applicable": StatusLabel("Not applicable", ":material/remove_circle_outline:", "gray"),
    "not_evaluated": StatusLabel("Not evaluated", ":material/help:", "gray"),
}
SEVERITIES = {
    "error": StatusLabel("Error", ":material/block:", "red"),
    "warning": StatusLabel("Warning", ":material/warning:", "orange"),
}
DECISIONS = {
    "pending": StatusLabel("Pending", ":material/radio_button_unchecked:", "gray"),
    "accepted": StatusLabel("Accepted", ":material/check_circle:", "blue"),
    "rejected": StatusLabel("Rejected", ":material/cancel:", "red"),
}
PROPOSALS = {
    "draft": StatusLabel("Draft", ":material/edit_note:", "gray"),
    "in_review": StatusLabel("In review", ":material/rate_review:", "orange"),
    "changes_requested": StatusLabel("Changes requested", ":material/edit_note:", "red"),
    "approved": StatusLabel("Approved", ":material/verified:", "blue"),
    "rejected": StatusLabel("Rejected", ":material/cancel:", "red"),
    "withdrawn": StatusLabel("Withdrawn", ":material/undo:", "gray"),
}
VERSIONS = {
    "approved": StatusLabel("Approved", ":material/schedule:", "orange"),
    "active": StatusLabel("Active", ":material/verified:", "blue"),
    "deprecated": StatusLabel("Deprecated", ":material/warning:", "orange"),
    "retired": StatusLabel("Retired", ":material/block:", "gray"),
    "superseded": StatusLabel("Superseded", ":material/history:", "gray"),
    "none": StatusLabel("No version yet", ":material/edit_note:", "gray"),
}
BREAKS = StatusLabel("Breaks you", ":material/link_off:", "red")
BEHIND = StatusLabel("Behind", ":material/history:", "orange")
SUBSCRIBED = StatusLabel("Subscribed", ":material/notifications:", "blue")
CHANNEL = StatusLabel("Channel", ":material/send:", "gray")
INFERRED = StatusLabel("Seen reading", ":material/visibility:", "gray")
UNDELIVERED = StatusLabel("Not delivered", ":material/cancel:", "red")
DONE = StatusLabel("Done", ":material/check_circle:", "blue")
TO_DO = StatusLabel("To do", ":material/radio_button_unchecked:", "gray")
USERS = {
    True: StatusLabel("Active", ":material/check_circle:", "blue"),
    False: StatusLabel("Shut out", ":material/block:", "gray"),
}
TASKS = {
    "queued": StatusLabel("Queued", ":material/hourglass_empty:", "gray"),
    "running": StatusLabel("Running", ":material/sync:", "orange"),
    "done": StatusLabel("Done", ":material/check_circle:", "blue"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
}
INBOX = {
    "new": StatusLabel("Waiting", ":material/hourglass_empty:", "gray"),
    "processed": StatusLabel("Taken in", ":material/check_circle:", "blue"),
    "parked": StatusLabel("Not readable", ":material/cancel:", "red"),
}
INCIDENTS = {
    "open": StatusLabel("Open", ":material/error:", "red"),
    "acknowledged": StatusLabel("Acknowledged", ":material/visibility:", "orange"),
    "resolved": StatusLabel("Resolved", ":material/check_circle:", "blue"),
}
RESOLUTIONS = {
    "recovered": "recovered", "fixed": "the data were fixed", "expected_change": "the change was expected",
    "false_alarm": "a false alarm", "duplicate": "a duplicate", "wont_fix": "it stays as it is",
}  # fmt: skip
ENDS = "After an expected change or a false alarm, programs and detectors learn from these data; else they do not."
FEEDBACK = {
    "expected": StatusLabel("Expected", ":material/check_circle:", "blue"),
    "incident": StatusLabel("Incident", ":material/error:", "red"),
    "cleared": StatusLabel("Taken back", ":material/undo:", "gray"),
}
OUTLOOKS = {
    "active": "The contract admits these limits: the next run is judged by them.",
    "proposed": "These limits are beyond what was approved: they become a proposal to the owners, and judge nothing.",
    "pinned": "The limits are pinned: they stay as they were approved until the contract is drafted again.",
    "learning": "Too few partitions are left to learn other limits from: they stay as they are.",
    "adaptive": "What is admitted is told anew for each point: from the next run on, without this one or with it.",
    "fixed": "The limits are written in the contract and stay; drafts and other checks learn from it or do not.",
}
REFITS = {
    "pinned": "are proposed with the next draft only",
    "tighten_only": "judge where they are tighter than what was approved, else are proposed",
    "within: 10%": "judge where they move by at most 10 % of the approved band, else are proposed",
}
REASONS = {"nightly": "newer partitions", "feedback": "what was said of a point"}
SPREADS = {"contaminated": "came", "in_flight": "on their way", "at_risk": "come with the next run"}
# Text symbols for table cells, which cannot contain icons.
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
WORK = {
    "validate": "Validation", "draft": "Draft", "replay": "Replay", "upkeep": "Daily upkeep", "deliver": "Delivery",
    "redraft": "Drafted anew", "learn": "Patterns of the lake",
}  # fmt: skip


def family(name: str) -> str:
    """Return the display name of a family of analyzers; its own name if there is none."""
    return FAMILIES.get(name, name.replace("_", " ").capitalize())


def cell(text: str | None) -> str:
    """Format a value of a row for a table: null is written out, unlike an empty text."""
    return NULL if text is None else text


def glyph(mark: StatusLabel) -> str:
    """Return the label for a table cell: symbol and word."""
    return f"{GLYPHS.get(mark.word, '•')} {mark.word}"


def task(kind_of: str) -> str:
    """Return the display name of a kind of task; its own name if there is none."""
    return WORK.get(kind_of, kind_of.replace("_", " ").capitalize())


def kind(name: str) -> str:
    """Return the display name of a kind of suggestion; its own name if there is none."""
    return KINDS.get(name, name.replace("_", " "))
