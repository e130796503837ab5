"""Check whether a document may follow the version in force.

A document follows the version in force of its own group, else the newest one of any group. The terms of that version
decide, not those of the document. Violations of enforced terms refuse an approval; all others are only reported.

A compatibility mode named in the terms was promised to consumers, so a version that breaks it is refused. Such a
version may start a group of its own under a greater major number; the old version then stays in force in parallel.
Modes that are not named are defaults: violations of them are reported, and affected consumers are asked to
acknowledge the version, but it is not refused.

A version number that understates the change is refused if the terms contain `versions: enforced`. A first version
follows none and is never refused."""

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
    """Comparison of a document with the version that it follows.

    `suggested`: next free version number that matches the size of the change; None for a first version. `refusals`:
    why the document cannot be approved as it is. `breach_sentences`: the compatibility modes that it breaks, refused
    or not."""

    compared: VersionDiff
    suggested: str | None
    refusals: tuple[Fault, ...]
    breach_sentences: tuple[str, ...]

    @property
    def follows(self) -> str | None:
        """Return the number of the version that it follows; None for a first version."""
        return self.compared.old.version if self.compared.old else None

    @property
    def bump(self) -> Bump | None:
        """Return the size of the change; None for a first version."""
        return self.compared.comparison.bump if self.compared.old else None

    def summary(self) -> dict[str, Any]:
        """Return the part stored with an approval: plain data without values of a table."""
        changes = [each.sentence for each in self.compared.comparison.differences]
        return {"follows": self.follows, "bump": self.bump, "changes": changes, "breaks": list(self.breach_sentences)}


def check_succession(session: Session, document: Contract, documents: Documents) -> SuccessionCheck:
    """Check how the document would follow the version in force now."""
    old = diffs.followed_version(diffs.live(session, document.id, documents), document)
    diff = compare_versions(
        old, document, live=diffs.of_group(diffs.relied_on(session, document.id, documents), document)
    )
    if old is None:
        return SuccessionCheck(diff, None, (), ())
    numbers = {*diffs.version_numbers(session, document.id), old.version}
    suggested = next_free(numbers, diff.comparison.bump, after=old.version)
    refusals = (*_understated(diff, old, suggested), *_broken(diff, old, numbers))
    return SuccessionCheck(diff, suggested, refusals[:MOST], tuple(map(_sentence, diff.violations[:MOST])))


def _understated(diff: VersionDiff, old: Contract, suggested: str) -> Iterator[Fault]:
    bump = diff.comparison.bump
    if old.terms.review.versions == "enforced" and not says_enough(old.version, diff.new.version, bump):
        message = f"understates the change from {old.version}, which is {bump.value}"
        yield Fault(
            code="TR-VERSION",
            where="version",
            message=message,
            remedy=f"use {suggested}",
            line=diff.new.lines.get("version"),
        )


def _broken(diff: VersionDiff, old: Contract, numbers: set[str]) -> Iterator[Fault]:
    if _begins_a_group(old, diff.new):
        return
    free = next_free(numbers, Bump.MAJOR, after=old.version)
    for each in _named(diff.violations, old):
        path = each.difference.path
        message = f"breaks {_sentence(each)}"
        remedy = f"undo the breaking change, or start a new group with version {free}"
        yield Fault(code="TR-COMPATIBILITY", where=path, message=message, remedy=remedy, line=diff.new.lines.get(path))


def _begins_a_group(old: Contract, new: Contract) -> bool:
    """Return whether the document starts a new group under a greater major number."""
    return old.terms.group != new.terms.group and says_enough(old.version, new.version, Bump.MAJOR)


def _named(breaches: Sequence[CompatibilityBreach], old: Contract) -> list[CompatibilityBreach]:
    """Return the violations of modes that the terms in force name explicitly."""
    return [each for each in breaches if each.difference.section.value in old.terms.compatibility.model_fields_set]


def _sentence(breach: CompatibilityBreach) -> str:
    mode_sentence = MODES[breach.mode].sentence
    return f"{breach.mode} of version {breach.version} ('{mode_sentence}'): {breach.difference.sentence}"
