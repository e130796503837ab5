"""Texts about the impact of a proposed version."""

from treaty.ui.texts.formatting import join_list, pluralize

MEANING = "What it changes, breaks and would have told"
DIRECTIONS = {
    "tightens": "promises more",
    "loosens": "promises less",
    "both": "promises something else",
    "undetermined": "cannot be told from the text",
    "untested": "says nothing of the data",
}
BREAKS_NOBODY = "breaks nobody"
FIRST_VERSION = "**The first version: there is none before it**"
IT = "It"
BEFORE = "Before"
AFTER = "After"
CHANGES = "Changes from the version before"
FOR_CONSUMERS = "What it means for consumers"
TIME_OVER = "The time was over: these are the partitions that came first."
NEW_ALERTS = "New alerts"
NO_LONGER = "No longer"
BOTH = "Both"
NOT_JUDGED = "Not judged"


def breaks(names: list[str]) -> str:
    return f"breaks {join_list(names)}"


def sentence(verdict: str, whom: str, more: str, consumers: int) -> str:
    return f"{verdict}; {whom}{more}, of {pluralize(consumers, 'consumer')}"


def mode_lost(mode: str, part: str, sentence: str) -> str:
    return f"{mode} of the {part} is not kept: {sentence}"


def changes(number: int, old: str | None, bump: str) -> str:
    return f"{pluralize(number, 'change')} from version {old}: {bump}"


def too_small(told: str, new: str, suggested: str) -> str:
    return f"{told}; {new} says less than that, {suggested} would not"


def consumers(number: int, broken: int) -> str:
    return f"**{pluralize(number, 'consumer')}, {broken} of them broken by it**"


def alerts_on(table: str) -> str:
    return f"Alerts on {table}"
