"""What differs between two contract documents: where, from what to what, and in which direction that goes."""

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
    """What a difference is of: tables and columns, checks and service levels, Treaty's own terms, or words alone."""

    STRUCTURE = "structure"
    GUARANTEES = "guarantees"
    TERMS = "terms"
    TEXT = "text"


class DifferenceKind(StrEnum):
    """Whether something came, went, or is another now."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"

    @property
    def mirrored(self) -> "DifferenceKind":
        """What it was on the way back."""
        return _MIRRORED.get(self, self)


_MIRRORED = {DifferenceKind.ADDED: DifferenceKind.REMOVED, DifferenceKind.REMOVED: DifferenceKind.ADDED}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One difference. `element` names the word or the thing that differs, `old` and `new` are what the documents say.

    `path` is the place in the new document, in the old one where it is gone. `object`, `column` and `check` say which
    one it is about; None for what is about none. `presence`: it promises of data only that a column is there, so that
    data without it, read with nulls in its place, keep it."""

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
    """Where differences are found: they are made with its names."""

    section: DifferenceSection
    path: str = ""
    object: str | None = None
    column: str | None = None
    check: str | None = None

    @property
    def subject(self) -> str:
        """What it is called in a sentence."""
        if self.check:
            return f"check {self.check}"
        return self.column or (f"table {self.object}" if self.object else "the contract")

    def at(self, path: str) -> "DifferenceLocation":
        """The place of a word within it."""
        return replace(self, path=f"{self.path}.{path}" if self.path else path)

    def difference(self, what: str, old: Any, new: Any, direction: Direction, sentence: str = "") -> Difference:
        """The difference between two words; None stands for a word that is not there."""
        before, after = display_text(old), display_text(new)
        change = (
            DifferenceKind.ADDED if old is None else DifferenceKind.REMOVED if new is None else DifferenceKind.CHANGED
        )
        said = sentence or SENTENCES[change].format(what=what, subject=self.subject, old=before, new=after)
        return Difference(
            section=self.section,
            kind=change,
            element=what,
            direction=direction,
            sentence=said,
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
    DifferenceKind.CHANGED: "{what} of {subject} was {old} and is {new}",
}


@dataclass(frozen=True)
class CheckOrder:
    """What is known of two checks beside their thresholds: the direction from what one measures to what the other does,
    the old threshold being kept, and which numbers the measured value can be."""

    direction: Direction
    domain: NumericDomain = ANY


Order = Callable[[ContractCheck, ContractCheck], CheckOrder]


def text_direction(old: ContractCheck, new: ContractCheck) -> CheckOrder:
    """What the words alone say: the same words measure the same, of others it is undetermined."""
    same = all(getattr(old, word) == getattr(new, word) for word in ("kind", "analyzer", "arguments", "where"))
    return CheckOrder(Direction.UNTESTED if same and old.column == new.column else Direction.UNDETERMINED)


def display_text(value: Any) -> str | None:
    """A word of a document as differences show it: lists one by one, shortened; None for none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return _shortened(", ".join(f"{name}: {display_text(each)}" for name, each in value.items()))
    return _shortened(display_list(value) if isinstance(value, list | tuple | set | frozenset) else str(value))


def display_list(values: Iterable[Any]) -> str:
    """The first of the values, and how many there are beyond them."""
    said = [str(display_text(each)) for each in values]
    return ", ".join(said[:MOST]) + (f" and {len(said) - MOST} more" if len(said) > MOST else "")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def other_words(
    place: DifferenceLocation, old: Mapping[str, Any], new: Mapping[str, Any], known: Iterable[str]
) -> Iterator[Difference]:
    """Of every word that is not `known` and that differs, a difference that no data are judged by.

    What stands under a word is shown where it is one text, number or truth; examples are data and never shown."""
    for word in sorted((old.keys() | new.keys()) - set(known)):
        before, after = old.get(word), new.get(word)
        if before != after:
            at = replace(place, section=DifferenceSection.TEXT).at(word)
            said = (
                f"{word} of {place.subject} {'is new' if before is None else 'is gone' if after is None else 'changed'}"
            )
            yield at.difference(word, _plain(before), _plain(after), Direction.UNTESTED, said)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str | int | float) else "..."
