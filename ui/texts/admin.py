"""Texts of the administration page."""

from treaty.ui.texts.formatting import count, pluralize

USERS = "Users"
TOKENS = "Tokens"
HEALTH = "Health"
UNDELIVERED = "Undelivered"

CHANGE_USER = "Change a user"
USER = "User"
ADD_USER = "Add a user"
ROLES = "Roles"
SAVE_ROLES = "Save roles"
SHUT_OUT = "Shut out"
LET_IN = "Let in again"
SESSIONS_END = "Their sessions end at once."
SAVED = "Saved."

TOKENS_TABLE = "API tokens, without their secrets"
TOKEN = "Token"
REVOKE = "Revoke"
TOKEN_FOR = "For"
TOKEN_BEGINS = "Begins"
TOKEN_MAY = "May"
TOKEN_MADE = "Made"
TOKEN_USED = "Used last"
TOKEN_REVOKED = "Revoked"
REVOKED = "Revoked: it is good for nothing now."

SERVICE = "Service"
DATABASE = "Database"
EVENTS_WAITING = "Events that wait"
BEHIND_BY = "Behind by"
TASKS_WAITING = "Tasks that wait"
TASKS_GIVEN_UP = "Tasks given up"
UNREADABLE_EVENTS = "There are events that could not be read"
SEE_EVENTS = "See them"
SEE_TASKS = "See the tasks that were given up"

ALL_DELIVERED = "Everything was delivered"
UNDELIVERED_APPEAR = "Messages that could not be delivered appear here, with the reason."
DELIVER = "Deliver it after all"
DELIVERED_AGAIN = "It is tried again."


def seconds(number: float) -> str:
    return f"{number:,.0f} s"


def at_least(number: int, *, whole: bool) -> str:
    return count(number) if whole else f"{number:,} or more"


def given_up(kind: str, attempts: int, error: str) -> str:
    return f"{kind} · tried {pluralize(attempts, 'time')} · {error}"
