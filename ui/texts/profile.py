"""Texts of the profile of a table."""

from treaty.ui.texts.formatting import join_list, percent, pluralize, value

DATASET = "Contract, contract.object or dataset name"
SHOW = "Show profile"
FROM_STATES = "Computed from stored states; no data was read. Statistics that no check needs are missing."
NAME_MISSING = "Enter the name of a contract or a dataset."

CLASSIFIED = "classified"
ALL_VALUES = "All values"
FREQUENT_VALUES = "Frequent values"
MASKS = "Text patterns"


def title(table: str) -> str:
    return f"Profile of {table}"


def sampled(share: float) -> str:
    return f", a sample of {percent(share)}"


def parted(partitions: int) -> str:
    return f" in {pluralize(partitions, 'partition')}"


def read(rows: int, sample: str, partitions: str, columns: int) -> str:
    return f"{pluralize(rows, 'row')}{sample}{partitions}, {pluralize(columns, 'column')}"


def written_as(formats: list[str]) -> str:
    return f" (formats: {join_list(formats)})"


def reads_as(kind: str, form: str) -> str:
    return f"can be read as {kind}{form}"


def bins(name: str, number: int, lowest: float, highest: float) -> str:
    return f"{name}: {number} bins from {value(lowest)} to {value(highest)}"
