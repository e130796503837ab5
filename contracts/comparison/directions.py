"""Directions: how a change affects the set of data that a contract permits."""

from collections.abc import Hashable, Iterable
from enum import StrEnum
from typing import Any


class Direction(StrEnum):
    """The direction of a change in the set of permitted data.

    `tightens`: the old contract permits all data that the new one permits. `loosens`: the new
    contract permits all data that the old one permits. `both`: each contract permits data that the other does not.
    `undetermined`: the effect cannot be derived from the documents. `untested`: the permitted data is the same."""

    TIGHTENS = "tightens"
    LOOSENS = "loosens"
    BOTH = "both"
    UNDETERMINED = "undetermined"
    UNTESTED = "untested"

    @property
    def mirrored(self) -> "Direction":
        """Return the direction of the reverse change."""
        return _MIRRORED.get(self, self)


_MIRRORED = {Direction.TIGHTENS: Direction.LOOSENS, Direction.LOOSENS: Direction.TIGHTENS}


def inclusion(*, new_within_old: bool, old_within_new: bool) -> Direction:
    """Return the direction between two sets, from whether each includes the other."""
    if new_within_old and old_within_new:
        return Direction.UNTESTED
    if new_within_old:
        return Direction.TIGHTENS
    return Direction.LOOSENS if old_within_new else Direction.BOTH


def of_sets(old: Iterable[Hashable], new: Iterable[Hashable]) -> Direction:
    """Return the direction between two lists of permitted values."""
    before, after = frozenset(old), frozenset(new)
    return inclusion(new_within_old=after <= before, old_within_new=before <= after)


def of_flags(old: Any, new: Any) -> Direction:
    """Return the direction of a constraint that is switched on or off."""
    return inclusion(new_within_old=bool(new) or not old, old_within_new=bool(old) or not new)


def of_presence(old: Any, new: Any, otherwise: Direction = Direction.BOTH) -> Direction:
    """Return the direction of a constraint that may be absent (None).

    `otherwise`: the direction if both have one and they differ."""
    if old == new:
        return Direction.UNTESTED
    return otherwise if old is not None and new is not None else of_flags(old is not None, new is not None)


def steps(old: Any, new: Any, *, ascending: Iterable[Any]) -> Direction:
    """Return the direction between two items of a list, ordered from loosest to tightest."""
    order = list(ascending)
    before, after = order.index(old), order.index(new)
    return inclusion(new_within_old=after >= before, old_within_new=before >= after)
