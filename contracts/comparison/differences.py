"""Differences between two contract documents: location, old and new value, and direction."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from treaty.contracts.comparison.directions import Direction
from treaty.contracts.comparison.threshold_order import ANY, NumericDomain
from treaty.contracts.document.model import ContractCheck

MOST = 20
LONGEST = 300


class DifferenceSection(StrEnum):
    """The section of the contract that a difference belongs to.

    Structure is tables and columns, guarantees are checks and service levels, terms are Treaty's own terms, and text is
    everything that does not affect validation."""

    STRUCTURE = "structure"
    GUARANTEES = "guarantees"
    TERMS = "terms"
    TEXT = "text"


class DifferenceKind(StrEnum):
    """Added, removed or changed."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"

    @property
    def mirrored(self) -> "DifferenceKind":
        """Return the kind of the reverse difference."""
        return _MIRRORED.get(self, self)


_MIRRORED = {DifferenceKind.ADDED: DifferenceKind.REMOVED, DifferenceKind.REMOVED: DifferenceKind.ADDED}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A single difference between two documents.

    `element`: the key or thing that differs. `old`, `new`: the values as displayed; None if absent. `path`: location in
    the new document, or in the old one for removed elements. `object`, `column`, `check`: the element concerned; None
    if it concerns none. `presence`: it only requires a column to exist, so data without the column, read with nulls in
    its place, satisfies it."""

    section: DifferenceSection
    kind: DifferenceKind
    element: str
    direction: Direction
    sentence: str
    path: str
    object: str | None = None
    column: str | None = None
    check: str | None = None
    old: str | None = None
    new: str | None = None
    presence: bool = False


@dataclass(frozen=True, kw_only=True)
class DifferenceLocation:
    """Location of differences, used to create them."""

    section: DifferenceSection
    path: str = ""
    object: str | None = None
    column: str | None = None
    check: str | None = None

    @property
    def subject(self) -> str:
        """Return the name of the location in a sentence."""
        if self.check:
            return f"check {self.check}"
        return self.column or (f"table {self.object}" if self.object else "the contract")

    def at(self, path: str) -> "DifferenceLocation":
        """Return the location of a key within this one."""
        return replace(self, path=f"{self.path}.{path}" if self.path else path)

    def difference(self, what: str, old: Any, new: Any, direction: Direction, sentence: str = "") -> Difference:
        """Return the difference between two values; None represents an absent value."""
        before, after = display_text(old), display_text(new)
        change = (
            DifferenceKind.ADDED if old is None else DifferenceKind.REMOVED if new is None else DifferenceKind.CHANGED
        )
        message = sentence or SENTENCES[change].format(what=what, subject=self.subject, old=before, new=after)
        return Difference(
            section=self.section,
            kind=change,
            element=what,
            direction=direction,
            sentence=message,
            path=self.path,
            object=self.object,
            column=self.column,
            check=self.check,
            old=before,
            new=after,
        )


SENTENCES = {
    DifferenceKind.ADDED: "{subject} now has {what} {new}",
    DifferenceKind.REMOVED: "{subject} no longer has {what} {old}",
    DifferenceKind.CHANGED: "{what} of {subject} changed from {old} to {new}",
}


@dataclass(frozen=True)
class CheckOrder:
    """Relation between two checks apart from their thresholds.

    `direction`: direction from one metric to the other with the old threshold. `domain`: numbers that the metric can
    yield."""

    direction: Direction
    domain: NumericDomain = ANY


Order = Callable[[ContractCheck, ContractCheck], CheckOrder]


def text_direction(old: ContractCheck, new: ContractCheck) -> CheckOrder:
    """Return the relation that the words alone show: the same metric, or undetermined."""
    same = all(getattr(old, word) == getattr(new, word) for word in ("kind", "analyzer", "arguments", "where"))
    return CheckOrder(Direction.UNTESTED if same and old.column == new.column else Direction.UNDETERMINED)


def display_text(value: Any) -> str | None:
    """Format a value for display in a difference, shortened; None for None."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return _shortened(", ".join(f"{name}: {display_text(each)}" for name, each in value.items()))
    return _shortened(display_list(value) if isinstance(value, list | tuple | set | frozenset) else str(value))


def display_list(values: Iterable[Any]) -> str:
    """Format the first values and the number of further ones."""
    texts = [str(display_text(each)) for each in values]
    return ", ".join(texts[:MOST]) + (f" and {len(texts) - MOST} more" if len(texts) > MOST else "")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def other_words(
    place: DifferenceLocation, old: Mapping[str, Any], new: Mapping[str, Any], known_words: Iterable[str]
) -> Iterator[Difference]:
    """Yield a difference without effect on validation for each other changed key.

    `known_words`: keys to skip. Only single texts, numbers and booleans are displayed; examples are data and are never
    displayed."""
    for word in sorted((old.keys() | new.keys()) - set(known_words)):
        before, after = old.get(word), new.get(word)
        if before != after:
            text_place = replace(place, section=DifferenceSection.TEXT).at(word)
            change = "was added" if before is None else "was removed" if after is None else "changed"
            message = f"{word} of {place.subject} {change}"
            yield text_place.difference(word, _plain(before), _plain(after), Direction.UNTESTED, message)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else "..."
