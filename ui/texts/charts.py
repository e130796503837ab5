"""Texts of charts: descriptions for screen readers, limits and tooltips."""

from treaty.ui.texts.formatting import count, pluralize

NO_LIMIT = "no limits"
TIP_PARTITION = "Partition"
TIP_VALUE = "Value"
TIP_STATE = "State"
WITHIN = "within"
OUTSIDE = "outside"


def no_values(metric: str) -> str:
    return f"{metric}: no values yet"


def over(metric: str, partitions: int) -> str:
    return f"{metric} over {pluralize(partitions, 'partition')}"


def allowed(limits: str) -> str:
    return f"allowed: {limits}"


def how_many_outside(number: int) -> str:
    return f"{count(number)} outside the limits"
