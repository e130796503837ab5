"""Texts of the administration page."""

from treaty.ui.texts.formatting import count, pluralize

USERS = "Users"
TOKENS = "Tokens"
HEALTH = "Health"
UNDELIVERED = "Undelivered"

CHANGE_USER = "Edit user"
USER = "User"
ADD_USER = "New user"
ROLES = "Roles"
SAVE_ROLES = "Save roles"
SHUT_OUT = "Deactivate"
LET_IN = "Reactivate"
SESSIONS_END = "Deactivating a user ends their sessions immediately."
SAVED = "Saved."

NEW_TOKEN = "New token"
TOKENS_TABLE = "API tokens (secrets are not shown)"
TOKEN = "Token"
REVOKE = "Revoke"
TOKEN_FOR = "Name"
TOKEN_BEGINS = "Prefix"
TOKEN_MAY = "Scopes"
TOKEN_MADE = "Created"
TOKEN_USED = "Last used"
TOKEN_EXPIRES = "Expires"
TOKEN_REVOKED = "Revoked"
REVOKED = "Revoked. The token no longer works."

SERVICE = "Service"
DATABASE = "Database"
EVENTS_WAITING = "Pending events"
BEHIND_BY = "Event lag"
TASKS_WAITING = "Queued tasks"
TASKS_GIVEN_UP = "Failed tasks"
UNREADABLE_EVENTS = "Some events could not be read"
SEE_EVENTS = "View events"
SEE_TASKS = "View failed tasks"

ALL_DELIVERED = "No undelivered messages"
UNDELIVERED_APPEAR = "Messages that could not be delivered appear here with the reason."
DELIVER = "Retry delivery"
DELIVERED_AGAIN = "The delivery will be retried."


def seconds(number: float) -> str:
    return f"{number:,.0f} s"


def at_least(number: int, *, whole: bool) -> str:
    return count(number) if whole else f"{number:,} or more"


def given_up(kind: str, attempts: int, error: str) -> str:
    return f"{kind} · {pluralize(attempts, 'attempt')} · {error}"
