"""Texts of the evidence of a suggestion."""

from treaty.ui.texts.formatting import join_list, pluralize

NOT_COUNTED = "Nobody counted its values: a sketch of them admits it"
PARTS_OF_TABLE = "parts of the table"
NEW_PARTITIONS = "new partitions"
NONE = "none"
TOO_FEW = "too few to judge apart"


def alarms_for_nothing(most: str, of: str) -> str:
    return f"By what it was judged on, at most {most} of {of} alarm for nothing (95 % certain)"


def back_test(alarmed: str, judged: int, named: str) -> str:
    return f"Judged each by what came before it, {alarmed} of {judged:,} alarmed{named}"


def unique_by_name(chance: float) -> str:
    return f"By the names of the table and its columns alone, it is unique with a chance of {chance:.0%}"


def catches(share: float) -> str:
    return f"Tells {share:.0%} of common issues from clean data"


def counter_examples(masks: list[str]) -> str:
    return f"Others look like {join_list(masks)}"


def owners(accepted: int, decided: int) -> str:
    return f"Owners accepted {accepted:,} of {pluralize(decided, 'suggestion')} of this kind"


def held_on(held: int, of: int, *, by_rows: bool) -> str:
    return f"held on {held:,} of {pluralize(of, 'part' if by_rows else 'partition')}"


def judged_apart(learned_on: int, judged_on: int) -> str:
    return f"learned on {learned_on:,}, judged on {judged_on:,}"


def rows(number: int) -> str:
    return pluralize(number, "row")
