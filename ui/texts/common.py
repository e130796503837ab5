"""Texts that several pages share: table headings, input labels and buttons."""

from treaty.ui.texts.formatting import count, pluralize, value

ALL = "All"

# Headings and labels.
ADMITTED = "Admitted"
BREAKS_THEM = "Breaks them"
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
LAST = "Last"
MEASURED = "Measured"
NAME = "Name"
NAMESPACE = "Namespace"
OBJECT = "Object"
OUTCOME = "Outcome"
OWNERS = "Owners"
PARTITION = "Partition"
PROMISE = "Promise"
ROWS = "Rows"
SEVERITY = "Severity"
SINCE = "Since"
STATE = "State"
TABLE = "Table"
UNTIL = "Until"
USES_IT_FOR = "Uses it for"
VALUE = "Value"
VERSION = "Version"
DESCRIPTION = "What"
WHEN = "When"
WHO = "Who"
WHY = "Why"

# Buttons and links.
ADD = "Add"
CANCEL = "Cancel"
MAKE_TOKEN = "Make a token"
OPEN = "Open"
PUT_OFF = "Put off"
REVIEW_DRAFT = "Review the draft"
SEARCH = "Search"
SIGN_IN = "Sign in"
STOP = "Stop"
UNDO = "Undo"

# Periods.
DAYS_30 = "30 days"
DAYS_90 = "90 days"
YEAR = "1 year"
FOR_EVER = "for ever"

IN_DISCUSSION = "It stands under Discussion."

# Empty states.
NO_CONTRACT_YET = "No contract yet"
NO_HISTORY = "No history yet"
NO_METRIC = "No metric"
NOTHING_MEASURED = "The last run measured nothing."
NO_VALUES = "No values"
NO_CHECKS = "no checks"
NOBODY = "nobody"

# The program that serves the pages, and errors in its settings.
PROGRAM = "python -m treaty.ui"
PURPOSE = "Serve the pages of the registry."
HOST = "the address to listen on (default: %(default)s)"
PORT = "the port to listen on (default: %(default)s)"
ISSUER_MISSING = "TREATY_OIDC_CLIENT_ID needs TREATY_OIDC_ISSUER, the provider that knows the client"
API_URL = "TREATY_API_URL must begin with http:// or https://"
HOSTS = "TREATY_UI_HOSTS is a comma-separated list of host names, without scheme, port or '*'"

CONTRACT_EXAMPLE = "shop-orders"
SAME_AS_TABLE = "The same as a table"


def either(ways: list[str]) -> str:
    return " or ".join(ways)


def span(lowest: float, highest: float) -> str:
    return f"from {value(lowest)} to {value(highest)}"


def and_more(number: int) -> str:
    return f" and {number:,} more"


def version(number: str) -> str:
    return f"version {number}"


def rows(number: int | None) -> str:
    return f"{count(number)} rows"


def open_contract(contract: str) -> str:
    return f"Open the contract {contract}"


def partitions(number: int) -> str:
    return pluralize(number, "partition")


def suggestions(number: int) -> str:
    return pluralize(number, "suggestion")


def by_partition(metric: str) -> str:
    return f"{metric} by partition"


def part(number: int, of: int) -> str:
    return f"{number:,} of {of:,}"
