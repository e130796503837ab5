"""Texts about consumers of a contract: subscriptions, jobs and acknowledgements."""

BAD_DATA = {
    "contaminated": "Bad upstream data reached {}",
    "in_flight": "Bad upstream data is on its way to {}",
    "at_risk": "Bad upstream data will reach {} with the next run",
}
OPEN_INCIDENT = "Open incident"
MINE = "Subscribe for this job"
NO_CONSUMER = "Dismiss"
SUBSCRIBED_TO_READ = "Subscribed to the columns that this job reads."
NOT_SUGGESTED_AGAIN = "Dismissed. This job will not be suggested again."

NONE_YET = "No consumers yet"
WHO_CAN_SUBSCRIBE = "If you use this data, subscribe here or with `treaty subscribe`."
VERSION_WAITS = "Pending acknowledgements"
NOT_ACKNOWLEDGED = "Consumers with a pending acknowledgement"
PURPOSE = "Purpose"
PURPOSE_EXAMPLE = "weekly revenue"
WHOM_TO_ASK = "Contact"
CONTACT_EXAMPLE = "reports@example.org"
SUBSCRIBE = "Subscribe"
PURPOSE_MISSING = "Enter a purpose and a contact."
TELL_OF = "Notify me about"
FAILURES = "failures and recoveries"
BREAKING = "breaking versions"
LAGGING = "outdated pins"
THROUGH = "Channel"
ALL_CHANNELS = "all my channels"
NO_CHANNEL_YET = "You have no channels yet. Add one under Subscriptions; until then, check your inbox."
EVENTS_MISSING = "Choose at least one kind of notification."
ASKED_BEFORE = "Subscribed. You will be asked to acknowledge versions that break your use before they become active."

CONTACT = "Contact"
READS = "Columns used"
OWN_CHECKS = "Own checks"
PINNED_TO = "Pinned to"
IS_BEHIND = "Outdated"
OF_THE_CONTRACT = "Consumers of the contract"
ANSWER = "Answer"
DUE = "Due"
COMMENT = "Comment"


def unregistered(jobs: int) -> str:
    return f"Inferred consumers ({jobs:,})"


def since(moment: str) -> str:
    return f" on {moment}"


def cause(of: str) -> str:
    return f"; cause: {of}"


def bad_data(spread: str, to: str, since: str, cause: str) -> str:
    return f"{BAD_DATA[spread].format(to)}{since}{cause}"


def owned_by(owners: str) -> str:
    return f"owned by {owners}"


def reads(columns: str) -> str:
    return f"reads {columns}"


def channel(kind: str, target: str) -> str:
    return f"{kind}: {target}"
