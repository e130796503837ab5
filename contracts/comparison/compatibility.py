"""Two versions of a contract compared: what differs, how much that is, and which versions may follow which.

Let D(c) be the data that a contract permits. A mode is a law about D(old) and D(new); a difference breaks it where the
direction that it goes is against the law, or is not known.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from treaty.contracts.comparison.differences import Difference, DifferenceSection, Order, text_direction
from treaty.contracts.comparison.directions import Direction
from treaty.contracts.comparison.guarantees import guarantees
from treaty.contracts.comparison.service_levels import service_levels
from treaty.contracts.comparison.structure import structure
from treaty.contracts.comparison.terms import document_words, term_differences
from treaty.contracts.document.model import Compatibility, Contract, Mode

CHECKED_SECTIONS = (DifferenceSection.STRUCTURE, DifferenceSection.GUARANTEES)


class Bump(StrEnum):
    """How much a new version differs: which part of its number grows."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"

    def covers(self, other: "Bump") -> bool:
        """Whether it says at least as much as the other one."""
        sizes = list(Bump)
        return sizes.index(self) <= sizes.index(other)


# Readers upgrade last: what they were promised and no longer are is the larger change. What is not known counts as it.
BUMPS = {
    Direction.LOOSENS: Bump.MAJOR,
    Direction.BOTH: Bump.MAJOR,
    Direction.UNDETERMINED: Bump.MAJOR,
    Direction.TIGHTENS: Bump.MINOR,
    Direction.UNTESTED: Bump.PATCH,
}


@dataclass(frozen=True)
class ModeDefinition:
    """What a mode means: in a sentence for people, in data, and which directions break it."""

    sentence: str
    meaning: str
    breaking_directions: frozenset[Direction]
    transitive: bool = False


_UNCLEAR = frozenset({Direction.BOTH, Direction.UNDETERMINED})
_NO_TIGHTENING = ModeDefinition(
    "Partitions that passed before still pass", "D(old) ⊆ D(new)", _UNCLEAR | {Direction.TIGHTENS}
)
_NO_LOOSENING = ModeDefinition(
    "Existing readers keep every promise they had", "D(new) ⊆ D(old)", _UNCLEAR | {Direction.LOOSENS}
)
_NEITHER = ModeDefinition(
    "Only words changed, or columns that may be null were added", "D(new) = D(old)",
    _UNCLEAR | {Direction.TIGHTENS, Direction.LOOSENS},
)  # fmt: skip


def _of_all(law: ModeDefinition) -> ModeDefinition:
    return ModeDefinition(
        f"{law.sentence}, for all live versions", law.meaning, law.breaking_directions, transitive=True
    )


MODES: dict[Mode, ModeDefinition] = {
    "NONE": ModeDefinition("Any change may follow", "", frozenset()),
    "BACKWARD": _NO_TIGHTENING,
    "BACKWARD_TRANSITIVE": _of_all(_NO_TIGHTENING),
    "FORWARD": _NO_LOOSENING,
    "FORWARD_TRANSITIVE": _of_all(_NO_LOOSENING),
    "FULL": _NEITHER,
    "FULL_TRANSITIVE": _of_all(_NEITHER),
}


@dataclass(frozen=True)
class VersionComparison:
    """What differs from one version to another; no differences for documents that say the same."""

    differences: tuple[Difference, ...]

    def of(self, part: DifferenceSection) -> tuple[Difference, ...]:
        """The differences of one part."""
        return tuple(each for each in self.differences if each.section is part)

    def bump_of(self, part: DifferenceSection) -> Bump:
        """How much that part differs; a patch where it does not."""
        return _largest(BUMPS[each.direction] for each in self.of(part))

    @property
    def bump(self) -> Bump:
        """How much the whole differs."""
        return _largest(BUMPS[each.direction] for each in self.differences)

    @property
    def undetermined(self) -> tuple[Difference, ...]:
        """The differences of which an owner must say what they mean: they count as major until then."""
        return tuple(each for each in self.differences if each.direction is Direction.UNDETERMINED)

    def breaking(self, mode: Mode, part: DifferenceSection) -> tuple[Difference, ...]:
        """The differences of that part that break the law of the mode.

        A column that may be null is added without breaking any: old data are read with nulls in its place."""
        return tuple(
            each for each in self.of(part) if each.direction in MODES[mode].breaking_directions and not _harmless(each)
        )


@dataclass(frozen=True)
class CompatibilityBreach:
    """A difference from `version` that breaks the mode that its part is under."""

    version: str
    mode: Mode
    difference: Difference


def compare(old: Contract, new: Contract, order: Order = text_direction) -> VersionComparison:
    """What differs from the old document to the new one. `order` says what changes of arguments mean: the contract
    alone cannot (`treaty.engine.checks.argument_order.order` can).

    Nothing is said of version numbers, of states of the life cycle, nor of ids of tables, columns and checks."""
    return VersionComparison(
        (
            *structure(old, new, order),
            *guarantees(old, new, order),
            *service_levels(old, new),
            *term_differences(old, new),
            *document_words(old, new),
        )
    )


def violations(
    compared: Sequence[tuple[str, VersionComparison]], modes: Compatibility
) -> Iterator[CompatibilityBreach]:
    """What breaks the modes: first that of the version in force, which comes first among those compared with, by their
    numbers. The others, live or pinned by a reader, are of account for transitive modes alone."""
    for part, mode in zip(CHECKED_SECTIONS, (modes.structure, modes.guarantees), strict=True):
        for version, comparison in compared if MODES[mode].transitive else compared[:1]:
            yield from (CompatibilityBreach(version, mode, each) for each in comparison.breaking(mode, part))


def _harmless(difference: Difference) -> bool:
    return difference.presence and difference.direction is Direction.TIGHTENS


def _largest(bumps: Iterable[Bump]) -> Bump:
    found = set(bumps)
    return next((each for each in Bump if each in found), Bump.PATCH)
