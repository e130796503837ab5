"""Texts of the reference page, except the descriptions of analyzers."""

from treaty.ui.texts.status_labels import family

TITLE = "Analyzers"
INTRO = "A check names an analyzer, its arguments and a threshold. Every analyzer accepts a filter, `where`."
FIND = "Search"
FIND_BY = "Name, description or argument"
NOT_FOUND = "No matching analyzers"
NONE_HAS_IT = "Try another name, description or argument."
UNIT = "Unit"
JUDGED_ON = "Scope"
REQUIRED = "required"
A_LIST = "list"


def members(of: str, number: int) -> str:
    return f"{family(of)} ({number:,})"


def list_of(kind: str) -> str:
    return f" of {kind}"
