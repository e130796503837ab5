"""Two versions of a contract compared, as people are told: what differs, what that breaks, which number it asks for."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from treaty.contracts.comparison.compatibility import MODES, CompatibilityBreach, VersionComparison, compare, violations
from treaty.contracts.document.model import Compatibility, Contract, Mode
from treaty.engine.checks.argument_order import order


@dataclass(frozen=True, kw_only=True)
class VersionDiff:
    """A document beside the version that it follows (`old` None: it is the first), and what breaks which mode.

    `modes` are those that it was judged by."""

    old: Contract | None
    new: Contract
    comparison: VersionComparison
    modes: Compatibility
    violations: tuple[CompatibilityBreach, ...] = ()


def compare_versions(
    old: Contract | None, new: Contract, *, modes: Compatibility | None = None, live: Collection[Contract] = ()
) -> VersionDiff:
    """The new document beside the old one, judged by the old one's terms unless other `modes` are asked for.

    `live`: all versions that are in force or that readers are pinned to, of which transitive modes are."""
    if old is None:
        return VersionDiff(old=None, new=new, comparison=VersionComparison(()), modes=modes or new.terms.compatibility)
    judged = modes or old.terms.compatibility
    first = compare(old, new, order)
    others = [each for each in live if each.version != old.version] if _transitive(judged) else []
    found = [(old.version, first), *((each.version, compare(each, new, order)) for each in others)]
    return VersionDiff(old=old, new=new, comparison=first, modes=judged, violations=tuple(violations(found, judged)))


def modes_of(modes: Compatibility) -> Sequence[Mode]:
    """The modes in the order of JUDGED."""
    return (modes.structure, modes.guarantees)


def _transitive(modes: Compatibility) -> bool:
    return any(MODES[each].transitive for each in modes_of(modes))
