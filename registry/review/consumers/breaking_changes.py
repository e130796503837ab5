"""Decide which consumers a change breaks: their reliance against the new version. No database."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from treaty.contracts.comparison.compatibility import MODES, compare
from treaty.contracts.comparison.differences import Difference
from treaty.contracts.document.model import Contract
from treaty.engine.checks.argument_order import order
from treaty.engine.checks.columns_read import Binder, Reach, bound, reaches

ALL = "*"
# Consumers read data, and FORWARD is the mode that guarantees readers what they had.
BREAKING = MODES["FORWARD"].breaking_directions


@dataclass(frozen=True)
class ColumnReliance:
    """Columns that a consumer relies on, by object.

    ALL means every column; an empty set means the table alone."""

    columns: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def touched(self, object_name: str | None, reach: Reach) -> bool:
        """Return whether the consumer relies on the changed part.

        `object_name`: None means the contract as a whole. `reach`: changed columns; None means the table as a whole."""
        if object_name is None:
            return bool(self.columns)
        columns = self.columns.get(object_name)
        if columns is None or reach is None or ALL in columns:
            return columns is not None
        return any(_overlap(one, other) for one in columns for other in reach)


def reliance(reads: Mapping[str, Iterable[str]], needs: Iterable[tuple[str, Reach]]) -> ColumnReliance:
    """Return the reliance of a consumer that reads these columns and whose checks need those."""
    columns_by_object: dict[str, set[str]] = {name: set(columns) for name, columns in reads.items()}
    for name, reach in needs:
        columns_by_object.setdefault(name, set()).update(reach or ())
    return ColumnReliance({name: frozenset(columns) for name, columns in columns_by_object.items()})


@dataclass(frozen=True)
class VersionChanges:
    """Differences between two versions, each with the columns that it affects."""

    differences: tuple[tuple[Difference, Reach], ...]

    def breaks(self, of: ColumnReliance) -> tuple[str, ...]:
        """Return one sentence per difference that breaks the consumer; () if none does."""
        sentences = (each.sentence for each, reach in self.differences if of.touched(each.object, reach))
        return tuple(dict.fromkeys(sentences))


def changes(old: Contract, new: Contract, checks: Binder = bound) -> VersionChanges:
    """Return the differences from the old version that break readers, with the columns affected.

    `checks`: binds the checks of an object."""
    breaking = [each for each in compare(old, new, order).differences if each.direction in BREAKING]
    names = {each.object for each in breaking if each.object is not None}
    reaches_by_object = {name: (reaches(old, name, checks), reaches(new, name, checks)) for name in names}
    return VersionChanges(
        tuple((each, _reach(each, reaches_by_object.get(each.object or "", ({}, {})))) for each in breaking)
    )


def _reach(of: Difference, reaches: tuple[Mapping[str, Reach], Mapping[str, Reach]]) -> Reach:
    """Return the columns that a difference affects; None means the table as a whole.

    A difference of a check affects the columns that the check reads in either version."""
    if of.check is None:
        return frozenset({of.column}) if of.column else None
    per_version = list(_reaches(of, reaches))
    return (
        None
        if not per_version or None in per_version
        else frozenset(column for each in per_version for column in each or ())
    )


def _reaches(of: Difference, reaches: Iterable[Mapping[str, Reach]]) -> Iterator[Reach]:
    check = of.check or ""
    yield from (each[check] for each in reaches if check in each)
    if of.column:
        yield frozenset({of.column})


def _overlap(one: str, other: str) -> bool:
    """Return whether one path equals or contains the other, ignoring case as Spark does."""
    left, right = one.casefold(), other.casefold()
    return left == right or left.startswith((f"{right}.", f"{right}[")) or right.startswith((f"{left}.", f"{left}["))
