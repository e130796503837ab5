"""Texts of the administration page."""

from treaty.ui.texts.formatting import count, pluralize

USERS = "Users"
TOKENS = "Tokens"
LOCATIONS = "Locations"
CATALOGS = "Catalogs"
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

LOCATIONS_INTRO = "Contracts can only be about tables below these locations."
NO_LOCATIONS = "No allowed locations"
ADD_A_LOCATION = "Add the folder, bucket or catalog that your tables lie in."
LOCATION = "Location"
LOCATION_EXAMPLE = "/data, s3://lake/raw or a catalog"
LOCATION_DOMAIN = "Domain"
ALL_DOMAINS = "all"
ONLY_FOR = "Leave empty to allow all domains."
ADDED_BY = "Added by"
FROM_SETTINGS = "TREATY_LOCATIONS"
FROM_CONTRACTS = "an earlier contract"
ALLOW = "Allow location"
LOCATION_MISSING = "Enter a location."
ALLOWED = "The location is allowed."
REMOVE = "Remove"
LOCATION_REMOVED = "Removed. Tables below the location are no longer read."

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


def allowed_for(location: str, domain: str | None) -> str:
    return f"{location} ({domain})" if domain else location


def given_up(kind: str, attempts: int, error: str) -> str:
    return f"{kind} · {pluralize(attempts, 'attempt')} · {error}"
