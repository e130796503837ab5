"""Texts that several pages share: table headings, input labels and buttons."""

from treaty.ui.texts.formatting import NOTHING, pluralize, value

ALL = "All"

# Headings and labels.
ADMITTED = "Allowed"
BREAKS_THEM = "Breaking changes"
CHECK = "Check"
COLUMN = "Column"
COLUMNS = "Columns"
CONSUMER = "Consumer"
CONSUMERS = "Consumers"
CONTRACT = "Contract"
CONTRACTS = "Contracts"
DECISION = "Decision"
EXPECTED = "Expected"
FIT = "Fit"
KIND = "Kind"
LAST = "Latest"
MEASURED = "Measured"
NAME = "Name"
NAMESPACE = "Namespace"
OBJECT = "Object"
OUTCOME = "Outcome"
OWNERS = "Owners"
PARTITION = "Partition"
PROMISE = "Rule"
ROWS = "Rows"
SEVERITY = "Severity"
SINCE = "Since"
STATE = "State"
TABLE = "Table"
USES_IT_FOR = "Purpose"
VALUE = "Value"
VERSION = "Version"
DESCRIPTION = "Description"
WHEN = "Time"
WHO = "User"
WHY = "Reason"

# Buttons and links.
ADD = "Add"
CANCEL = "Cancel"
MAKE_TOKEN = "Create token"
OPEN = "Open"
PUT_OFF = "Snooze"
REVIEW_DRAFT = "Review draft"
SEARCH = "Search"
SIGN_IN = "Sign in"
SNOOZED = "Snoozed"
STOP = "Stop"
UNDO = "Undo"

# Periods.
DAYS_30 = "30 days"
DAYS_90 = "90 days"
YEAR = "1 year"
FOR_EVER = "No expiration"

IN_DISCUSSION = "Comment added under Discussion."

# Empty states.
NO_CONTRACT_YET = "No contracts yet"
NO_HISTORY = "No history yet"
NO_METRIC = "No metrics"
NOTHING_MEASURED = "The last run stored no measurements. Metrics appear after the next run."
NO_VALUES = "No values"
NO_CHECKS = "no checks"
NOBODY = "Unassigned"

# The program that serves the pages, and errors in its settings.
PROGRAM = "python -m treaty.ui"
PURPOSE = "Serve the web pages of the registry."
HOST = "address to listen on (default: %(default)s)"
PORT = "port to listen on (default: %(default)s)"
ISSUER_MISSING = "TREATY_OIDC_CLIENT_ID requires TREATY_OIDC_ISSUER: set it to the URL of the identity provider"
API_URL = "TREATY_API_URL must begin with http:// or https://"
HOSTS = "TREATY_UI_HOSTS must be a comma-separated list of host names without scheme, port or '*'"

CONTRACT_EXAMPLE = "shop-orders"
SAME_AS_TABLE = "Show as table"


def either(ways: list[str]) -> str:
    return " or ".join(ways)


def span(lowest: float, highest: float, unit: str = "") -> str:
    return f"from {value(lowest, unit)} to {value(highest, unit)}"


def and_more(number: int) -> str:
    return f"{number:,} more"


def version(number: str) -> str:
    return f"version {number}"


def rows(number: int | None) -> str:
    return f"{NOTHING} rows" if number is None else pluralize(number, "row")


def open_contract(contract: str) -> str:
    return f"Open contract {contract}"


def partitions(number: int) -> str:
    return pluralize(number, "partition")


def suggestions(number: int) -> str:
    return pluralize(number, "suggestion")


def by_partition(metric: str) -> str:
    return f"{metric} by partition"


def part(number: int, of: int) -> str:
    return f"{number:,} of {of:,}"
