"""Terms about partitions: views, each with a name and a predicate, and objects whose files arrive unpartitioned."""

from collections.abc import Sequence

from treaty.contracts.document.model import SCOPES, DataObject, View
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest
from treaty.contracts.predicates.parser import inspect, parse


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


def inspect_arrivals(named: Sequence[str], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Keeps a fault for names that no object has, and for objects with partition columns."""
    known = {each.name: each for each in objects}
    for index, name in enumerate(named):
        where = join(path, index)
        if name not in known:
            message = "names an object that the contract does not have"
            faults.add("terms-object", where, message, suggest_nearest(name, known))
        elif known[name].partition_by:
            message = "names an object with partition columns, which tell what is new"
            faults.add("terms-arrivals", where, message, "leave one of both out")
