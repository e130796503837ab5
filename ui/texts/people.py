"""Texts of the forms for users, tokens and channels, and of the subscriptions page."""

from treaty.ui.texts.formatting import join_list, pluralize

ROLE = "Role"
FIRST_PASSWORD = "First password"
PASSWORD_LENGTH = "At least 12 characters"
USER_MISSING = "Enter a name and a first password."

TOKEN_PURPOSE = "Token name"
TOKEN_EXAMPLE = "nightly load"
TOKEN_MAY = "Scopes"
TOKEN_LASTS = "Expires in"
TOKEN_MISSING = "Enter a token name and choose at least one scope."
TOKEN_MADE = "Token created."
COPY_NOW = "Copy it now. It will not be shown again."

CHANNELS = "Channels"
NO_SUBSCRIPTION = "No subscriptions yet"
HOW_TO_SUBSCRIBE = "Open a contract and subscribe on its Consumers tab."
FIND_CONTRACT = "Find a contract"
IN_FORCE = "follows the active version"
KINDS = {"violation": "failures", "recovery": "recoveries", "breaking": "breaking versions", "lag": "outdated pins"}
NOTICES = "Notifications …"
CHANGE = "Save"
END = "Unsubscribe"
FOR_GOOD = "You can subscribe again at any time."
ENDED = "Unsubscribed."

NO_CHANNEL = "No channels yet"
WHERE_NOTICES_GO = "Add a channel to receive notifications about your contracts."
ADD_CHANNEL = "New channel"
WHERE_TO = "Address or URL"
ADDRESS_OR_URL = "Email address or webhook URL. A URL may contain a secret."
NOTHING_SENT = "nothing sent yet"
DELIVERY_STATES = {"waiting": "pending", "sent": "sent", "dead": "failed"}
ALL_YOUR_CONTRACTS = "all your contracts"
SEND_TEST = "Send test"
REMOVE = "Remove"
CHANNEL_ADDED = "Channel added. Send a test to check that it works."
ON_ITS_WAY = "Test notification queued."
REMOVED = "Channel removed."


def may_sign_in(name: str) -> str:
    return f"{name} can sign in now."


def pinned(version: str) -> str:
    return f"pinned to {version}"


def own_checks(number: int) -> str:
    return f"{pluralize(number, 'check')} of your own"


def told_of(kinds: list[str]) -> str:
    """Describe the chosen kinds of notifications; "" if all are chosen."""
    return f"notifies about {join_list([KINDS.get(each, each) for each in kinds])} only" if kinds else ""


def through(channel: str) -> str:
    return f"via {channel}"


def tells_now(contract: str) -> str:
    return f"Notifications for {contract} saved."


def last_sent(state: str) -> str:
    return f"last message: {DELIVERY_STATES.get(state, state)}"
