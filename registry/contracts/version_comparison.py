"""Compare two versions of a contract: differences, compatibility violations and required bump."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from treaty.contracts.comparison.compatibility import MODES, CompatibilityBreach, VersionComparison, compare, violations
from treaty.contracts.document.model import Compatibility, Contract, Mode
from treaty.engine.checks.argument_order import order


@dataclass(frozen=True, kw_only=True)
class VersionDiff:
    """Comparison of a document with the version that it follows.

    `old`: None if the document is the first version.
    `modes`: compatibility modes that were applied.
    `violations`: differences that violate these modes."""

    old: Contract | None
    new: Contract
    comparison: VersionComparison
    modes: Compatibility
    violations: tuple[CompatibilityBreach, ...] = ()


def compare_versions(
    old: Contract | None, new: Contract, *, modes: Compatibility | None = None, live: Collection[Contract] = ()
) -> VersionDiff:
    """Compare the new document with the old one.

    `modes`: compatibility modes to apply; None means those of the old document, or of the new one if it is the
    first.
    `live`: versions that are in force or pinned; transitive modes compare with each of them."""
    if old is None:
        return VersionDiff(old=None, new=new, comparison=VersionComparison(()), modes=modes or new.terms.compatibility)
    applied = modes or old.terms.compatibility
    first = compare(old, new, order)
    live_versions = [each for each in live if each.version != old.version] if _transitive(applied) else []
    comparisons = [(old.version, first), *((each.version, compare(each, new, order)) for each in live_versions)]
    return VersionDiff(
        old=old, new=new, comparison=first, modes=applied, violations=tuple(violations(comparisons, applied))
    )


def modes_of(modes: Compatibility) -> Sequence[Mode]:
    """Return the mode of the structure and the mode of the guarantees, in that order."""
    return (modes.structure, modes.guarantees)


def _transitive(modes: Compatibility) -> bool:
    return any(MODES[each].transitive for each in modes_of(modes))
