"""Texts of the profile of a table."""

from treaty.ui.texts.formatting import count, join_list, pluralize, value

DATASET = "Contract, contract.object or a dataset's name"
SHOW = "Show"
FROM_STATES = "Told from stored states: no data was read. What no check needs is not told."
NAME_MISSING = "Still missing: the name of a contract or a dataset"

CLASSIFIED = "classified"
ALL_VALUES = "All values"
FREQUENT_VALUES = "Frequent values"
MASKS = "What texts look like"


def title(table: str) -> str:
    return f"Profile of {table}"


def sampled(share: float) -> str:
    return f", a sample of {share:.2%}"


def parted(partitions: int) -> str:
    return f" in {pluralize(partitions, 'partition')}"


def read(rows: int, sample: str, partitions: str, columns: int) -> str:
    return f"{count(rows)} rows{sample}{partitions}, {pluralize(columns, 'column')}"


def written_as(formats: list[str]) -> str:
    return f" written {join_list(formats)}"


def reads_as(kind: str, form: str) -> str:
    return f"reads as {kind}{form}"


def bins(name: str, number: int, lowest: float, highest: float) -> str:
    return f"{name}: {number} bins from {value(lowest)} to {value(highest)}"
