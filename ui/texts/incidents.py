"""Texts of incidents, and of actions on them."""

from treaty.ui.texts.formatting import pluralize

MINE = "Mine"
OPEN = "Open"
ACKNOWLEDGED = "Acknowledged"
RESOLVED = "Resolved"
FILTER = "Which"
EMPTY = "No incident"
HOW_THEY_COME = "A violation opens one; it closes by itself when good data come."
UNASSIGNED = "assigned to nobody"

BAD_DATA_SINCE = "Bad data since"
OPENED = "Opened"
LOOKED_AFTER_BY = "Looked after by"
OPENED_AGAIN = "Opened again"
ENDED = "Ended"
ENDED_BY = "By"
BY_ITSELF = "itself"
WHAT_FAILS = "What fails"

I_LOOK_AFTER_IT = "I look after it"
ASSIGN_TO = "Assign to"
ASSIGN = "Assign"
OPEN_AGAIN = "Open again"
GIVE_TO = "Give to …"
ASSIGNEE = "Whom?"
GIVE = "Give"
DONE = "Done …"
WHY_OVER = "Why it is over"
COMMENT = "What others should know"
RESOLVE = "Resolve"
HOUR = "1 hour"
DAY = "1 day"
WEEK = "1 week"
CHOOSE = "Choose runs to do something about"
CONCERN_YOU = "The last runs of contracts that concern you."
NOBODY_LOOKS_AFTER_IT = "nobody looks after it"

SAY_WHY_OVER = "Say why it is over"
GIVEN_TO_NOBODY = "given to nobody"

NOTHING_DOWNSTREAM = "Nothing lies downstream"
NO_READER = "No job was seen reading these data."
DOWNSTREAM = "Datasets downstream of the incident"
DATASET = "Dataset"
BAD_DATA = "Bad data"
JOBS_AWAY = "Jobs away"
REACHED_BY = "By"
BY_VALUES = "values"
BY_CONDITIONS = "conditions"
UNKNOWN_COLUMNS = "unknown"
ALL_COLUMNS = "all"


def failing(checks: int) -> str:
    return pluralize(checks, "failing check")


def assigned(name: str) -> str:
    return f"assigned to {name}"


def snoozed(moment: str) -> str:
    return f"put off until {moment}"


def times(number: int) -> str:
    return pluralize(number, "time")


def downstream(datasets: int) -> str:
    return f"Downstream ({datasets})"


def need_attention(runs: int) -> str:
    return f"Needs attention ({runs})"


def choose(name: str) -> str:
    return f"Choose {name}"


def looked_after(who: str) -> str:
    return f"{who} looks after it"


def chosen(runs: int) -> str:
    return pluralize(runs, "chosen", "chosen")


def you_look_after(names: str) -> str:
    return f"You look after {names}."


def given_to(name: str) -> str:
    return f"given to {name}"


def impact_line(names: str, said: str) -> str:
    return f"{names}: {said}."


def told_later(moment: str) -> str:
    return f"put off until {moment}; nobody is told of it until then"


def resolved(names: str) -> str:
    return f"Resolved: {names}."


def open_now(names: str) -> str:
    return f"{names} is open again."


def changed_since(name: str) -> str:
    return f"{name} is not as you left it"
