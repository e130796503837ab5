"""Texts of the evidence of a suggestion."""

from treaty.ui.texts.formatting import join_list, percent, pluralize

NOT_COUNTED = "Uniqueness was estimated with a sketch, not counted"
PARTS_OF_TABLE = "parts of the table"
NEW_PARTITIONS = "new partitions"
NONE = "none"
TOO_FEW = "too few to test separately"
NOT_ABOUT_VALUES = "Not about values, so nothing was evaluated"


def alarms_for_nothing(most: str, of: str) -> str:
    return f"At most {most} of {of} raise a false alarm (95 % confidence)"


def back_test(alarmed: str, evaluated: int, named: str) -> str:
    return f"Backtest: {alarmed} of {evaluated:,} partitions alarmed{named}"


def of_lake(columns: int, share: float) -> str:
    return (
        f"Learned from {pluralize(columns, 'indexed column')}, which share the shapes of {percent(share)} of the values"
    )


def stated_by(catalog: str, table: str, since: str) -> str:
    return f"The catalog {catalog} states it for {table}, since {since[:10]} at the latest"


def unique_by_name(chance: float, model: str) -> str:
    of_model = f" ({model})" if model else ""
    return f"Table and column names alone suggest uniqueness with a probability of {percent(chance)}{of_model}"


def catches(share: float) -> str:
    return f"Detects {percent(share)} of common issues"


def counter_examples(masks: list[str]) -> str:
    return f"Other values look like {join_list(masks)}"


def owners(accepted: int, decided: int) -> str:
    return f"Owners accepted {accepted:,} of {pluralize(decided, 'suggestion')} of this kind"


def held_on(successes: int, of: int, *, by_rows: bool) -> str:
    return f"satisfied in {successes:,} of {pluralize(of, 'part' if by_rows else 'partition')}"


def judged_apart(learned_on: int, judged_on: int) -> str:
    return f"learned on {learned_on:,}, tested on {judged_on:,}"


def rows(number: int) -> str:
    return pluralize(number, "row")
