"""Texts of the forms for users, tokens and channels, and of the subscriptions page."""

from treaty.ui.texts.formatting import join_list, pluralize

ROLE = "Role"
FIRST_PASSWORD = "First password"
PASSWORD_LENGTH = "At least 12 characters"
USER_MISSING = "Still missing: a name and a first password"

TOKEN_PURPOSE = "What is it for?"
TOKEN_EXAMPLE = "nightly load"
TOKEN_MAY = "It may"
TOKEN_LASTS = "It is good for"
TOKEN_MISSING = "Still missing: what it is for, and what it may"
TOKEN_MADE = "The token is below, this once."
COPY_NOW = "Copy it now: it is shown this once, and only its hash is kept."

CHANNELS = "Channels"
NO_SUBSCRIPTION = "You subscribe to nothing"
HOW_TO_SUBSCRIBE = "Open a contract, and say under Consumers what you use it for."
FIND_CONTRACT = "Find a contract"
IN_FORCE = "whatever is in force"
KINDS = {"violation": "failures", "recovery": "their end", "breaking": "breaking versions", "lag": "a pin behind"}
NOTICES = "Notices …"
CHANGE = "Change"
END = "End"
FOR_GOOD = "For good; you may subscribe anew."
ENDED = "You use it no longer."

NO_CHANNEL = "You are told nowhere yet"
WHERE_NOTICES_GO = "Notices of your contracts go to the channels that you add here."
ADD_CHANNEL = "Add a channel"
WHERE_TO = "Where to"
ADDRESS_OR_URL = "An address, or a URL: it may hold a secret"
NOTHING_SENT = "nothing was sent yet"
ALL_YOUR_CONTRACTS = "all your contracts"
SEND_TEST = "Send a test"
REMOVE = "Remove"
CHANNEL_ADDED = "Added. Send a test to see whether it arrives."
ON_ITS_WAY = "It is on its way."
REMOVED = "Removed."


def may_sign_in(name: str) -> str:
    return f"{name} may sign in now."


def pinned(version: str) -> str:
    return f"pinned to {version}"


def own_checks(number: int) -> str:
    return f"{pluralize(number, 'check')} of your own"


def told_of(kinds: list[str]) -> str:
    """Describe the chosen kinds of notifications; "" if all are chosen."""
    return f"told of {join_list([KINDS.get(each, each) for each in kinds])} alone" if kinds else ""


def through(channel: str) -> str:
    return f"through {channel}"


def tells_now(contract: str) -> str:
    return f"You are told of {contract} as you chose."


def last_sent(state: str) -> str:
    return f"the last one: {state}"
