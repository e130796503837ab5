"""Succession: how a document may follow the version in force, of its own group, else the newest of any.

The terms of that version decide, not those of the document. What they enforce refuses an approval; all else is told.

A mode of compatibility that the terms name is what readers were told, so a version that breaks it is refused. It may
come first in a group of its own instead, under a greater major number: the old one then stays in force beside it. Modes
that nobody named are defaults: what breaks them is told, and consumers whom it breaks are waited for, no more.

A number that says less than the change is refused where the terms say `versions: enforced`. A first version follows
nothing, and is refused nothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlmodel import Session

from treaty.contracts.comparison.compatibility import MODES, Bump, CompatibilityBreach
from treaty.contracts.document.model import Contract
from treaty.contracts.errors import Fault
from treaty.registry.contracts.documents import Documents
from treaty.registry.contracts.numbering import next_free, says_enough
from treaty.registry.contracts.version_comparison import VersionDiff, compare_versions
from treaty.registry.review.proposals import diffs

MOST = 20


@dataclass(frozen=True)
class SuccessionCheck:
    """A document beside the version that it follows. `suggested`: the free number that says how large the change is.

    `refusals`: why it cannot be approved as it is; `breach_sentences`: which modes it breaks, in words, refused or
    not."""

    compared: VersionDiff
    suggested: str | None
    refusals: tuple[Fault, ...]
    breach_sentences: tuple[str, ...]

    @property
    def follows(self) -> str | None:
        """The number of the version that it follows; None: it is the first."""
        return self.compared.old.version if self.compared.old else None

    @property
    def bump(self) -> Bump | None:
        """How large the change is; None for a first version."""
        return self.compared.comparison.bump if self.compared.old else None

    def summary(self) -> dict[str, Any]:
        """What is kept of it with an approval: plain data, no values of a table."""
        changes = [each.sentence for each in self.compared.comparison.differences]
        return {"follows": self.follows, "bump": self.bump, "changes": changes, "breaks": list(self.breach_sentences)}


def check_succession(session: Session, document: Contract, documents: Documents) -> SuccessionCheck:
    """How the document would follow what is in force now."""
    old = diffs.followed_version(diffs.live(session, document.id, documents), document)
    found = compare_versions(
        old, document, live=diffs.of_group(diffs.relied_on(session, document.id, documents), document)
    )
    if old is None:
        return SuccessionCheck(found, None, (), ())
    numbers = {*diffs.version_numbers(session, document.id), old.version}
    suggested = next_free(numbers, found.comparison.bump, after=old.version)
    refusals = (*_understated(found, old, suggested), *_broken(found, old, numbers))
    return SuccessionCheck(found, suggested, refusals[:MOST], tuple(map(_sentence, found.violations[:MOST])))


def _understated(found: VersionDiff, old: Contract, suggested: str) -> Iterator[Fault]:
    bump = found.comparison.bump
    if old.terms.review.versions == "enforced" and not says_enough(old.version, found.new.version, bump):
        message = f"says less than the change from {old.version}, which is {bump.value}"
        yield Fault(
            code="TR-VERSION",
            where="version",
            message=message,
            remedy=f"take {suggested}",
            line=found.new.lines.get("version"),
        )


def _broken(found: VersionDiff, old: Contract, numbers: set[str]) -> Iterator[Fault]:
    if _begins_a_group(old, found.new):
        return
    beside = next_free(numbers, Bump.MAJOR, after=old.version)
    for each in _named(found.violations, old):
        where = each.difference.path
        message = f"breaks {_sentence(each)}"
        remedy = f"keep the promise, or begin a group of its own as version {beside}"
        yield Fault(
            code="TR-COMPATIBILITY", where=where, message=message, remedy=remedy, line=found.new.lines.get(where)
        )


def _begins_a_group(old: Contract, new: Contract) -> bool:
    """Whether it stays beside what it is compared with, and says so by its number."""
    return old.terms.group != new.terms.group and says_enough(old.version, new.version, Bump.MAJOR)


def _named(found: Sequence[CompatibilityBreach], old: Contract) -> list[CompatibilityBreach]:
    """Of what breaks modes that which breaks one that the terms in force name."""
    return [each for each in found if each.difference.section.value in old.terms.compatibility.model_fields_set]


def _sentence(found: CompatibilityBreach) -> str:
    law = MODES[found.mode].sentence
    return f"{found.mode} of version {found.version} ('{law}'): {found.difference.sentence}"
