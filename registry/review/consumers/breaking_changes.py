"""Whom a change breaks: what a consumer relies on, held against what a new version no longer promises. No database."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from treaty.contracts.comparison.compatibility import MODES, compare
from treaty.contracts.comparison.differences import Difference
from treaty.contracts.document.model import Contract
from treaty.engine.checks.argument_order import order
from treaty.engine.checks.columns_read import Binder, Reach, bound, reaches

ALL = "*"
# Consumers are the readers of whom that mode says that they keep every promise they had.
BREAKING = MODES["FORWARD"].breaking_directions


@dataclass(frozen=True)
class ColumnReliance:
    """What a consumer relies on: by object the columns, ALL for every one; an object without any: the table alone."""

    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def touched(self, object_name: str | None, reach: Reach) -> bool:
        """Whether it relies on what is changed: on one of the columns, on the table (None), on anything of a contract
        (no object)."""
        if object_name is None:
            return bool(self.columns)
        mine = self.columns.get(object_name)
        if mine is None or reach is None or ALL in mine:
            return mine is not None
        return any(_overlap(one, other) for one in mine for other in reach)


def reliance(reads: Mapping[str, Iterable[str]], needs: Iterable[tuple[str, Reach]]) -> ColumnReliance:
    """What somebody relies on who reads these columns and whose own checks need those."""
    found: dict[str, set[str]] = {name: set(columns) for name, columns in reads.items()}
    for name, reach in needs:
        found.setdefault(name, set()).update(reach or ())
    return ColumnReliance({name: frozenset(columns) for name, columns in found.items()})


@dataclass(frozen=True)
class VersionChanges:
    """The differences between two versions, each with what it is about."""

    differences: tuple[tuple[Difference, Reach], ...]

    def breaks(self, of: ColumnReliance) -> tuple[str, ...]:
        """Why they break who relies on that, a sentence each; () where they do not."""
        found = (each.sentence for each, reach in self.differences if of.touched(each.object, reach))
        return tuple(dict.fromkeys(found))


def changes(old: Contract, new: Contract, checks: Binder = bound) -> VersionChanges:
    """The differences from the old version that break a reader, each with the columns that it is about.

    `checks` binds those of an object."""
    breaking = [each for each in compare(old, new, order).differences if each.direction in BREAKING]
    names = {each.object for each in breaking if each.object is not None}
    known = {name: (reaches(old, name, checks), reaches(new, name, checks)) for name in names}
    return VersionChanges(tuple((each, _reach(each, known.get(each.object or "", ({}, {})))) for each in breaking))


def _reach(of: Difference, known: tuple[Mapping[str, Reach], Mapping[str, Reach]]) -> Reach:
    """The columns that it is about: those of its check, before and after; else its own; None: the table as a whole."""
    if of.check is None:
        return frozenset({of.column}) if of.column else None
    found = list(_reaches(of, known))
    return None if not found or None in found else frozenset(column for each in found for column in each or ())


def _reaches(of: Difference, known: Iterable[Mapping[str, Reach]]) -> Iterator[Reach]:
    check = of.check or ""
    yield from (each[check] for each in known if check in each)
    if of.column:
        yield frozenset({of.column})


def _overlap(one: str, other: str) -> bool:
    """Whether one is the other, or lies in it. Case does not matter: to Spark it does not."""
    left, right = one.casefold(), other.casefold()
    return left == right or left.startswith((f"{right}.", f"{right}[")) or right.startswith((f"{left}.", f"{left}["))
