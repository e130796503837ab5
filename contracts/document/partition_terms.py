"""Validate terms about partitions: views, and objects whose files arrive unpartitioned."""

from collections.abc import Sequence

from treaty.contracts.document.model import SCOPES, DataObject, View
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Faults, suggest_nearest
from treaty.contracts.predicates.parser import inspect, parse


def inspect_views(views: Sequence[View], path: str, faults: Faults) -> None:
    """Add a fault for each view with an invalid name or condition.

    Names that are blank, unprintable, used twice or equal to a scope are invalid. The restriction to partition columns
    is validated when a check of a table refers to the view."""
    used_names: set[str] = set(SCOPES)
    for index, view in enumerate(views):
        location = join(path, index)
        if not view.name.strip() or not view.name.isprintable():
            faults.add(
                "view-name", join(location, "name"), "is blank or has unprintable characters", "use a visible name"
            )
        elif view.name in used_names:
            faults.add(
                "view-name", join(location, "name"), "is already the name of a scope or a view", "use a unique name"
            )
        used_names.add(view.name)
        inspect(parse, view.where, join(location, "where"), faults)
        if faults.full:
            return


def inspect_arrivals(named: Sequence[str], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Add a fault for each unknown object and each object with partition columns."""
    by_name = {each.name: each for each in objects}
    for index, name in enumerate(named):
        location = join(path, index)
        if name not in by_name:
            message = "refers to an object that the contract does not define"
            faults.add("terms-object", location, message, suggest_nearest(name, by_name))
        elif by_name[name].partition_by:
            message = "refers to an object with partition columns, which already identify new data"
            faults.add("terms-arrivals", location, message, "remove the arrivals entry or the partition columns")
