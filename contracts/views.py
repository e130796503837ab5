"""Views as a document names them: each by a name of its own, and by a condition that is admitted as a predicate."""

from collections.abc import Sequence

from contracts.document import SCOPES, View
from contracts.errors import Faults
from contracts.predicates import inspect, parse
from contracts.syntax import join


def inspect_views(views: Sequence[View], path: str, faults: Faults) -> None:
    """Keeps a fault for names that are blank, unprintable, taken or a scope's own, and for conditions that are none.

    Whether a condition reads partition columns alone is said where a check of a table names the view."""
    taken: set[str] = set(SCOPES)
    for index, view in enumerate(views):
        where = join(path, index)
        if not view.name.strip() or not view.name.isprintable():
            faults.add("view-name", join(where, "name"), "is blank or has unprintable characters", "write a name")
        elif view.name in taken:
            faults.add("view-name", join(where, "name"), "is a scope or a view already", "give each its own name")
        taken.add(view.name)
        inspect(parse, view.where, join(where, "where"), faults)
        if faults.full:
            return
