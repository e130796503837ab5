"""Compare two versions of a contract: differences, version bump and compatibility.

Let D(c) be the data that a contract permits. A mode is a law about D(old) and D(new). A difference breaks it if its
direction violates the law or is unknown."""

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
    """The size of a change: the part of the version number that increases."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"

    def covers(self, other: "Bump") -> bool:
        """Return whether this bump is at least as large as the other one."""
        sizes = list(Bump)
        return sizes.index(self) <= sizes.index(other)


# Consumers upgrade last, so a guarantee that they lose is the larger change. An unknown direction counts like it.
BUMPS = {
    Direction.LOOSENS: Bump.MAJOR,
    Direction.BOTH: Bump.MAJOR,
    Direction.UNDETERMINED: Bump.MAJOR,
    Direction.TIGHTENS: Bump.MINOR,
    Direction.UNTESTED: Bump.PATCH,
}


@dataclass(frozen=True)
class ModeDefinition:
    """A compatibility mode: a sentence for people, its law as a formula, and the directions that break it."""

    sentence: str
    meaning: str
    breaking_directions: frozenset[Direction]
    transitive: bool = False


_UNCLEAR = frozenset({Direction.BOTH, Direction.UNDETERMINED})
_NO_TIGHTENING = ModeDefinition(
    "Partitions that passed before still pass", "D(old) ⊆ D(new)", _UNCLEAR | {Direction.TIGHTENS}
)
_NO_LOOSENING = ModeDefinition(
    "Existing consumers keep every guarantee they had", "D(new) ⊆ D(old)", _UNCLEAR | {Direction.LOOSENS}
)
_NEITHER = ModeDefinition(
    "Only metadata changed, or nullable columns were added", "D(new) = D(old)",
    _UNCLEAR | {Direction.TIGHTENS, Direction.LOOSENS},
)  # fmt: skip


def _of_all(law: ModeDefinition) -> ModeDefinition:
    return ModeDefinition(
        f"{law.sentence}, for all live versions", law.meaning, law.breaking_directions, transitive=True
    )


MODES: dict[Mode, ModeDefinition] = {
    "NONE": ModeDefinition("Any change is allowed", "", frozenset()),
    "BACKWARD": _NO_TIGHTENING,
    "BACKWARD_TRANSITIVE": _of_all(_NO_TIGHTENING),
    "FORWARD": _NO_LOOSENING,
    "FORWARD_TRANSITIVE": _of_all(_NO_LOOSENING),
    "FULL": _NEITHER,
    "FULL_TRANSITIVE": _of_all(_NEITHER),
}


@dataclass(frozen=True)
class VersionComparison:
    """The differences from one version to another; none for equivalent documents."""

    differences: tuple[Difference, ...]

    def of(self, part: DifferenceSection) -> tuple[Difference, ...]:
        """Return the differences of one section."""
        return tuple(each for each in self.differences if each.section is part)

    def bump_of(self, part: DifferenceSection) -> Bump:
        """Return the bump that one section requires; a patch if it is unchanged."""
        return _largest(BUMPS[each.direction] for each in self.of(part))

    @property
    def bump(self) -> Bump:
        """Return the bump that all differences together require."""
        return _largest(BUMPS[each.direction] for each in self.differences)

    @property
    def undetermined(self) -> tuple[Difference, ...]:
        """Return the differences that an owner must classify; until then they count as major."""
        return tuple(each for each in self.differences if each.direction is Direction.UNDETERMINED)

    def breaking(self, mode: Mode, part: DifferenceSection) -> tuple[Difference, ...]:
        """Return the differences of the section that break the law of the mode.

        Adding a nullable column breaks no mode: old data is read with nulls in its place."""
        return tuple(
            each for each in self.of(part) if each.direction in MODES[mode].breaking_directions and not _harmless(each)
        )


@dataclass(frozen=True)
class CompatibilityBreach:
    """A difference from `version` that breaks the mode of its section."""

    version: str
    mode: Mode
    difference: Difference


def compare(old: Contract, new: Contract, order: Order = text_direction) -> VersionComparison:
    """Return the differences from the old document to the new one.

    `order`: interprets changes of arguments, which the contract alone cannot
    (`treaty.engine.checks.argument_order.order` can). Version numbers, statuses, and ids of tables, columns and checks
    are not compared."""
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
    """Yield the differences that break the modes.

    `compared`: comparisons by version number, the version in force first. The others, live or pinned by a consumer,
    matter for transitive modes only."""
    for part, mode in zip(CHECKED_SECTIONS, (modes.structure, modes.guarantees), strict=True):
        for version, comparison in compared if MODES[mode].transitive else compared[:1]:
            yield from (CompatibilityBreach(version, mode, each) for each in comparison.breaking(mode, part))


def _harmless(difference: Difference) -> bool:
    return difference.presence and difference.direction is Direction.TIGHTENS


def _largest(bumps: Iterable[Bump]) -> Bump:
    sizes = set(bumps)
    return next((each for each in Bump if each in sizes), Bump.PATCH)
