"""Arrivals as a document asks for them: of objects that it has, and that no partition columns cut."""

from collections.abc import Sequence

from contracts.document import DataObject
from contracts.errors import Faults, nearest
from contracts.syntax import join


def inspect_arrivals(named: Sequence[str], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Keeps a fault for names that no object has, and for objects with partition columns."""
    known = {each.name: each for each in objects}
    for index, name in enumerate(named):
        where = join(path, index)
        if name not in known:
            message = "names an object that the contract does not have"
            faults.add("terms-object", where, message, nearest(name, known))
        elif known[name].partition_by:
            message = "names an object with partition columns, which tell what is new"
            faults.add("terms-arrivals", where, message, "leave one of both out")
