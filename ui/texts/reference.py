"""Texts of the reference page, except the descriptions of analyzers."""

from treaty.ui.texts.status_labels import family

TITLE = "What a contract may promise"
INTRO = "A check names an analyzer, its arguments and a limit. Every analyzer takes a filter, where."
FIND = "Find"
FIND_BY = "a name, a word of the description, an argument"
NOT_FOUND = "Nothing found"
NONE_HAS_IT = "No analyzer has that in its name, its description or its arguments."
UNIT = "Unit"
JUDGED_ON = "Judged on"
REQUIRED = "required"
A_LIST = "a list"


def members(of: str, number: int) -> str:
    return f"{family(of)} ({number})"


def list_of(kind: str) -> str:
    return f" of {kind}"
