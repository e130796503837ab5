"""Texts about consumers of a contract: subscriptions, jobs and acknowledgements."""

OPEN_INCIDENT = "Open the incident"
MINE = "It is mine: subscribe"
NO_CONSUMER = "It is no consumer"
SUBSCRIBED_TO_READ = "You are subscribed to what the job reads."
NOT_SUGGESTED_AGAIN = "It is not suggested again."

NONE_YET = "No consumer yet"
WHO_CAN_SUBSCRIBE = "Whoever reads the data can subscribe: here, or by treaty subscribe."
VERSION_WAITS = "An approved version waits for them"
NOT_ACKNOWLEDGED = "Consumers who have not acknowledged"
PURPOSE = "What do you use it for?"
PURPOSE_EXAMPLE = "weekly revenue"
WHOM_TO_ASK = "Whom to ask about that"
CONTACT_EXAMPLE = "reports@example.org"
SUBSCRIBE = "Subscribe"
PURPOSE_MISSING = "Still missing: what you use it for, and whom to ask"
TELL_OF = "Tell me of"
FAILURES = "failures, and their end"
BREAKING = "versions that break me"
LAGGING = "a pin that is behind"
THROUGH = "Through"
ALL_CHANNELS = "all my channels"
NO_CHANNEL_YET = "Channels are added under Subscriptions; until then the inbox tells you."
EVENTS_MISSING = "Choose at least one thing to be told of"
ASKED_BEFORE = "You are asked before a version comes that breaks you."

CONTACT = "Contact"
READS = "Reads"
OWN_CHECKS = "Checks of their own"
PINNED_TO = "Pinned to"
IS_BEHIND = "Behind"
OF_THE_CONTRACT = "Consumers of the contract"
ANSWER = "Answer"
COMMENT = "Said"


def unregistered(jobs: int) -> str:
    return f"Jobs that read it and are not registered ({jobs})"


def since(moment: str) -> str:
    return f" since {moment}"


def cause(of: str) -> str:
    return f", from {of}"


def bad_data(spread: str, to: str, since: str, cause: str) -> str:
    return f"Bad data {spread} to {to} from further up{since}{cause}"


def owned_by(owners: str) -> str:
    return f"owned by {owners}"


def reads(columns: str) -> str:
    return f"reads {columns}"


def channel(kind: str, target: str) -> str:
    return f"{kind}: {target}"
