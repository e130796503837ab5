"""Texts about the impact of a proposed version."""

from treaty.ui.texts.formatting import join_list, pluralize

MEANING = "Impact: changes, breaking changes, replay"
DIRECTIONS = {
    "tightens": "stricter",
    "loosens": "looser",
    "both": "stricter and looser",
    "undetermined": "cannot be determined",
    "untested": "allows the same data",
}
BREAKS_NOBODY = "no consumers affected"
FIRST_VERSION = "**First version: no earlier version to compare with**"
IT = "Effect"
BEFORE = "Before"
AFTER = "After"
CHANGES = "Changes from the previous version"
FOR_CONSUMERS = "Impact on consumers"
TIME_OVER = "The replay reached its time limit: it covers only the earliest partitions."
NEW_ALERTS = "New alerts"
NO_LONGER = "Resolved alerts"
BOTH = "Unchanged alerts"
NOT_JUDGED = "Not evaluated"


def breaks(names: list[str], broken: int, consumers: int) -> str:
    return f"breaks {broken:,} of {pluralize(consumers, 'consumer')}: {join_list(names)}"


def sentence(verdict: str, impact: str) -> str:
    return f"{verdict}; {impact}"


def mode_lost(mode: str, part: str, sentence: str) -> str:
    return f"{mode} compatibility of the {part} is broken: {sentence}"


def changes(number: int, old: str | None, bump: str) -> str:
    return f"{pluralize(number, 'change')} from version {old} ({bump})"


def too_small(number: str, new: str, suggested: str) -> str:
    return f"{number}; version {new} is too small a step, use {suggested}"


def consumers(number: int, broken: int) -> str:
    return f"**{pluralize(number, 'consumer')}, {broken:,} affected**"


def alerts_on(table: str) -> str:
    return f"Alerts on {table}"
