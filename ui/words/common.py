"""Texts that several pages share: headings of tables, labels of inputs, and what buttons are called."""

from ui.words.writing import count, several, value

ALL = "All"

# Headings and labels.
ADMITTED = "Admitted"
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
WHAT = "What"
WHEN = "When"
WHO = "Who"
WHY = "Why"

# Steps and links.
ADD = "Add"
CANCEL = "Cancel"
OPEN = "Open"
SEARCH = "Search"
STOP = "Stop"
UNDO = "Undo"

SAME_AS_TABLE = "The same as a table"
NO_CHECKS = "no checks"
FOR_EVER = "for ever"
NOBODY = "nobody"


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
    return several(number, "partition")


def suggestions(number: int) -> str:
    return several(number, "suggestion")


def by_partition(metric: str) -> str:
    return f"{metric} by partition"


def part(number: int, of: int) -> str:
    return f"{number:,} of {of:,}"
