"""Directions: how a change moves the set of data that a contract permits."""

from collections.abc import Hashable, Iterable
from enum import StrEnum
from typing import Any


class Direction(StrEnum):
    """`tightens`: all data that the new contract permits, the old one did; `loosens`: the other way round; `both`:
    each permits data that the other does not; `undetermined`: the texts do not say; `untested`: the data that are
    permitted are the same."""

    TIGHTENS = "tightens"
    LOOSENS = "loosens"
    BOTH = "both"
    UNDETERMINED = "undetermined"
    UNTESTED = "untested"

    @property
    def mirrored(self) -> "Direction":
        """The direction of the way back."""
        return _MIRRORED.get(self, self)


_MIRRORED = {Direction.TIGHTENS: Direction.LOOSENS, Direction.LOOSENS: Direction.TIGHTENS}


def inclusion(*, new_within_old: bool, old_within_new: bool) -> Direction:
    """The direction between two sets of which it is known whether each holds the other."""
    if new_within_old and old_within_new:
        return Direction.UNTESTED
    if new_within_old:
        return Direction.TIGHTENS
    return Direction.LOOSENS if old_within_new else Direction.BOTH


def of_sets(old: Iterable[Hashable], new: Iterable[Hashable]) -> Direction:
    """The direction between what is admitted by two lists of what is admitted."""
    before, after = frozenset(old), frozenset(new)
    return inclusion(new_within_old=after <= before, old_within_new=before <= after)


def of_flags(old: Any, new: Any) -> Direction:
    """The direction of a promise that is made or not."""
    return inclusion(new_within_old=bool(new) or not old, old_within_new=bool(old) or not new)


def of_presence(old: Any, new: Any, otherwise: Direction = Direction.BOTH) -> Direction:
    """The direction of a word of which absence (None) promises nothing; `otherwise` where both have another one."""
    if old == new:
        return Direction.UNTESTED
    return otherwise if old is not None and new is not None else of_flags(old is not None, new is not None)


def steps(old: Any, new: Any, *, ascending: Iterable[Any]) -> Direction:
    """The direction from one word to another of a list that goes from the loosest to the tightest."""
    order = list(ascending)
    before, after = order.index(old), order.index(new)
    return inclusion(new_within_old=after >= before, old_within_new=before >= after)
