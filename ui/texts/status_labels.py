"""Labels of states, kinds and reasons: a word, an icon and a color."""

from dataclasses import dataclass
from typing import Literal

from treaty.ui.texts.formatting import NOTHING, pluralize

Colour = Literal["blue", "red", "orange", "gray", "green"]


@dataclass(frozen=True)
class StatusLabel:
    """The label of a state, never shown by its color alone."""

    word: str
    icon: str
    colour: Colour

    @property
    def badge(self) -> str:
        """Return the label as a Streamlit Markdown badge; contains no foreign text."""
        return f":{self.colour}-badge[{self.icon} {self.word}]"


UNKNOWN = StatusLabel("Unknown", ":material/help:", "gray")
UNCERTAIN = StatusLabel("Uncertain", ":material/contrast:", "orange")

VERDICTS = {
    "passed": StatusLabel("Passed", ":material/check_circle:", "blue"),
    "warned": StatusLabel("Passed with warnings", ":material/warning:", "orange"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
    "not_evaluated": StatusLabel("Not evaluated", ":material/help:", "gray"),
    "uncertain": UNCERTAIN,
}
REQUESTED = StatusLabel("Requested", ":material/contract:", "orange")
NEVER = StatusLabel("Never validated", ":material/schedule:", "gray")
OUTCOMES = {
    "passed": StatusLabel("Passed", ":material/check_circle:", "blue"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
    "warned": StatusLabel("Warning", ":material/warning:", "orange"),
    "not_applicable": StatusLabel("Not applicable", ":material/remove_circle_outline:", "gray"),
    "not_evaluated": StatusLabel("Not evaluated", ":material/help:", "gray"),
    "uncertain": UNCERTAIN,
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
BREAKS = StatusLabel("Breaking change", ":material/link_off:", "red")
BEHIND = StatusLabel("Outdated", ":material/history:", "orange")
SUBSCRIBED = StatusLabel("Subscribed", ":material/notifications:", "blue")
CHANNEL = StatusLabel("Channel", ":material/send:", "gray")
INFERRED = StatusLabel("Inferred", ":material/visibility:", "gray")
UNDELIVERED = StatusLabel("Undelivered", ":material/cancel:", "red")
DONE = StatusLabel("Done", ":material/check_circle:", "blue")
TO_DO = StatusLabel("To do", ":material/radio_button_unchecked:", "gray")
USERS = {
    True: StatusLabel("Active", ":material/check_circle:", "blue"),
    False: StatusLabel("Deactivated", ":material/block:", "gray"),
}
CATALOGS = {
    "new": StatusLabel("Not read yet", ":material/hourglass_empty:", "gray"),
    "healthy": StatusLabel("Healthy", ":material/check_circle:", "blue"),
    "partial": StatusLabel("Partly readable", ":material/warning:", "orange"),
    "failing": StatusLabel("Failing", ":material/error:", "red"),
}
TASKS = {
    "queued": StatusLabel("Queued", ":material/hourglass_empty:", "gray"),
    "running": StatusLabel("Running", ":material/sync:", "orange"),
    "done": StatusLabel("Done", ":material/check_circle:", "blue"),
    "failed": StatusLabel("Failed", ":material/cancel:", "red"),
}
INBOX = {
    "new": StatusLabel("Pending", ":material/hourglass_empty:", "gray"),
    "processed": StatusLabel("Processed", ":material/check_circle:", "blue"),
    "parked": StatusLabel("Unreadable", ":material/cancel:", "red"),
}
INCIDENTS = {
    "open": StatusLabel("Open", ":material/error:", "red"),
    "acknowledged": StatusLabel("Acknowledged", ":material/visibility:", "orange"),
    "resolved": StatusLabel("Resolved", ":material/check_circle:", "blue"),
}
RESOLUTIONS = {
    "recovered": "Recovered", "fixed": "Data fixed", "expected_change": "Expected change",
    "false_alarm": "False alarm", "duplicate": "Duplicate", "wont_fix": "Won't fix",
}  # fmt: skip
ENDS = "Programs and detectors learn from the data of expected changes and false alarms, but not of other incidents."
FEEDBACK = {
    "expected": StatusLabel("Expected", ":material/check_circle:", "blue"),
    "incident": StatusLabel("Incident", ":material/error:", "red"),
    "cleared": StatusLabel("Cleared", ":material/undo:", "gray"),
}
OUTLOOKS = {
    "active": "The contract allows these limits. The next run uses them.",
    "proposed": "These limits exceed what was approved. The owners get a proposal; until approved, they are inactive.",
    "pinned": "The limits are pinned. They stay as approved until the contract is drafted again.",
    "learning": "Too few partitions remain to learn other limits. The current limits stay.",
    "adaptive": "The limits are computed for each point. From the next run on, they exclude or include this one.",
    "fixed": "The limits are fixed in the contract. Your feedback affects only drafts and other checks.",
}
REFITS = {
    "pinned": "Propose with the next draft only",
    "tighten_only": "Use if tighter than approved, else propose",
    "within: 10%": "Use if within 10 % of the approved band, else propose",
}
REASONS = {"nightly": "newer partitions", "feedback": "feedback on a point"}
SPREADS = {"contaminated": "Contaminated", "in_flight": "In flight", "at_risk": "At risk"}
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
    "Deactivated": "○",
    "Pending": "○",
    "Processed": "✓",
    "Unreadable": "✗",
    "Healthy": "✓",
    "Partly readable": "▲",
    "Failing": "✗",
}
KINDS = {
    "complete": "required",
    "non_negative": "non-negative",
    "value_range": "value range",
    "categorical": "known values",
    "reads_as": "type of texts",
    "unique": "unique",
    "row_count_band": "row count",
    "volume": "row count",
    "catalog_description": "description of a catalog",
    "catalog_classification": "classification of a catalog",
    "catalog_tags": "tags of a catalog",
    "catalog_terms": "terms of a glossary",
    "catalog_key": "primary key",
}


MASKED, NULL = "masked", "(null)"
FAMILIES = {
    "rows": "Rows", "nulls": "Missing values", "numbers": "Numbers", "text": "Text", "distinct": "Distinct values",
    "quantiles": "Quantiles", "association": "Column relationships", "values": "Values", "types": "Types",
    "freshness": "Freshness", "columns": "Columns", "references": "Other datasets", "queries": "SQL",
}  # fmt: skip
SCOPES = {"delta": "each new partition", "dataset": "all partitions combined"}
ROLES = {
    "admin": "administrator", "owner": "owner", "producer": "producer", "consumer": "consumer", "viewer": "viewer",
    "service": "service",
}  # fmt: skip
CHANNELS = {"email": "Email", "slack": "Slack", "webhook": "Webhook"}
RUNNERS = {"here": "by Treaty", "elsewhere": "by another engine", "people": "manually"}
EXPORTS = {
    "odcs": "ODCS (as approved)", "dbt": "dbt schema.yml", "dqx": "DQX checks", "gx": "Great Expectations suite",
    "soda": "Soda checks", "html": "HTML page", "markdown": "Markdown",
}  # fmt: skip
TYPES = {"string": "text", "number": "number", "integer": "integer", "boolean": "true or false"}
WORK = {
    "validate": "Validation", "draft": "Draft", "replay": "Replay", "upkeep": "Daily maintenance",
    "deliver": "Delivery", "redraft": "Nightly redraft", "learn": "Pattern learning",
    "catalog": "Reading a catalog",
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


def outcome_count(number: int, outcome: StatusLabel) -> str:
    """Describe that many checks with an outcome: '3 failed', '2 warnings'."""
    if outcome is OUTCOMES["warned"]:
        return pluralize(number, outcome.word.lower())
    return f"{number:,} {outcome.word.lower()}"


def checks_with(number: int, outcome: StatusLabel) -> str:
    """Describe that many checks with an outcome: '3 checks failed', '1 warning'."""
    if outcome is OUTCOMES["warned"]:
        return outcome_count(number, outcome)
    return f"{pluralize(number, 'check')} {outcome.word.lower()}"


def task(kind_of: str) -> str:
    """Return the display name of a kind of task; its own name if there is none."""
    return WORK.get(kind_of, kind_of.replace("_", " ").capitalize())


def kind(name: str) -> str:
    """Return the display name of a kind of suggestion; its own name if there is none."""
    return KINDS.get(name, name.replace("_", " "))
