"""Texts of incidents, and of actions on them."""

from treaty.ui.texts.formatting import pluralize

MINE = "Assigned to me"
OPEN = "Open"
ACKNOWLEDGED = "Acknowledged"
RESOLVED = "Resolved"
FILTER = "State"
EMPTY = "No incidents"
HOW_THEY_COME = "A failed check opens an incident. It resolves automatically when good data arrives."
UNASSIGNED = "unassigned"

BAD_DATA_SINCE = "Bad data since"
OPENED = "Opened"
LOOKED_AFTER_BY = "Assignee"
OPENED_AGAIN = "Reopened"
GREW = "Violations grew"
ENDED = "Resolution"
ENDED_BY = "Resolved by"
BY_ITSELF = "automatically"
WHAT_FAILS = "Failed checks"

I_LOOK_AFTER_IT = "Assign to me"
ASSIGN_TO = "Assignee"
ASSIGN = "Assign"
OPEN_AGAIN = "Reopen"
GIVE_TO = "Assign …"
ASSIGNEE = "Assignee"
GIVE = "Assign"
DONE = "Resolve …"
WHY_OVER = "Resolution"
COMMENT = "Comment"
RESOLVE = "Resolve"
HOUR = "1 hour"
DAY = "1 day"
WEEK = "1 week"
CHOOSE = "Select runs to act on them"
CONCERN_YOU = "The latest runs of contracts that concern you."
NOBODY_LOOKS_AFTER_IT = "unassigned"

SAY_WHY_OVER = "Choose a resolution."
GIVEN_TO_NOBODY = "unassigned"

NOTHING_DOWNSTREAM = "No downstream datasets"
NO_READER = "No job is known to read this data."
DOWNSTREAM = "Datasets downstream of the incident"
DATASET = "Dataset"
BAD_DATA = "Bad data"
JOBS_AWAY = "Distance in jobs"
REACHED_BY = "Through"
BY_VALUES = "values"
BY_CONDITIONS = "conditions"
UNKNOWN_COLUMNS = "unknown"
ALL_COLUMNS = "all"


def failing(checks: int) -> str:
    return pluralize(checks, "failing check")


def assigned(name: str) -> str:
    return f"assigned to {name}"


def snoozed(moment: str) -> str:
    return f"snoozed until {moment}"


def until(moment: str) -> str:
    return f"until {moment}"


def times(number: int) -> str:
    return pluralize(number, "time")


def downstream(datasets: int) -> str:
    return f"Downstream ({datasets:,})"


def need_attention(runs: int) -> str:
    return f"Needs attention ({runs:,})"


def choose(name: str) -> str:
    return f"Select {name}"


def looked_after(who: str) -> str:
    return f"assigned to {who}"


def chosen(runs: int) -> str:
    return f"{runs:,} selected"


def you_look_after(names: str) -> str:
    return f"Assigned to you: {names}."


def given_to(name: str) -> str:
    return f"assigned to {name}"


def impact_line(names: str, impact: str) -> str:
    return f"{names}: {impact}."


def told_later(moment: str) -> str:
    return f"snoozed until {moment}; no notifications until then"


def resolved(names: str) -> str:
    return f"Resolved: {names}."


def open_now(names: str) -> str:
    return f"Reopened: {names}."


def changed_since(name: str) -> str:
    return f"{name} has changed since your action"
