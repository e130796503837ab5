"""Two versions of a contract compared, as people are told: what differs, what that breaks, which number it asks for."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass

from treaty.contracts.comparison.compatibility import JUDGED, MODES, Comparison, Violation, compare, violations
from treaty.contracts.comparison.differences import Difference, Part
from treaty.contracts.document.model import Compatibility, Contract, Mode
from treaty.engine.checks.argument_order import order
from treaty.registry import schemas
from treaty.registry.contracts.numbering import next_free, says_enough


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A document beside the version that it follows (`old` None: it is the first), and what breaks which mode.

    `modes` are those that it was judged by."""

    old: Contract | None
    new: Contract
    comparison: Comparison
    modes: Compatibility
    violations: tuple[Violation, ...] = ()


def compared(
    old: Contract | None, new: Contract, *, modes: Compatibility | None = None, live: Collection[Contract] = ()
) -> Compared:
    """The new document beside the old one, judged by the old one's terms unless other `modes` are asked for.

    `live`: all versions that are in force or that readers are pinned to, of which transitive modes are."""
    if old is None:
        return Compared(old=None, new=new, comparison=Comparison(()), modes=modes or new.terms.compatibility)
    judged = modes or old.terms.compatibility
    first = compare(old, new, order)
    others = [each for each in live if each.version != old.version] if _transitive(judged) else []
    found = [(old.version, first), *((each.version, compare(each, new, order)) for each in others)]
    return Compared(old=old, new=new, comparison=first, modes=judged, violations=tuple(violations(found, judged)))


def shown(found: Compared, taken: Collection[str] = ()) -> schemas.DiffOut:
    """The comparison as the API gives it. `taken`: the numbers that versions have, beside those of the two."""
    comparison, old = found.comparison, found.old
    number = old.version if old else None
    free = next_free({*taken, number} if number else taken, comparison.bump, after=number)
    return schemas.DiffOut(
        contract_id=found.new.id,
        old=number,
        new=found.new.version,
        changes=tuple(map(_change, comparison.differences)),
        bump=comparison.bump,
        structure=comparison.bump_of(Part.STRUCTURE),
        guarantees=comparison.bump_of(Part.GUARANTEES),
        undetermined=len(comparison.undetermined),
        suggested=free,
        enough=number is None or says_enough(number, found.new.version, comparison.bump),
        laws=tuple(_law(found, *each) for each in zip(JUDGED, modes_of(found.modes), strict=True)),
        breaches=tuple(map(_breach, found.violations)),
    )


def modes_of(modes: Compatibility) -> Sequence[Mode]:
    """The modes in the order of JUDGED."""
    return (modes.structure, modes.guarantees)


def _transitive(modes: Compatibility) -> bool:
    return any(MODES[each].transitive for each in modes_of(modes))


def _change(difference: Difference) -> schemas.ChangeOut:
    return schemas.ChangeOut(**asdict(difference))


def _law(found: Compared, part: Part, mode: Mode) -> schemas.LawOut:
    kept = all(each.difference.part is not part for each in found.violations)
    return schemas.LawOut(part=part, mode=mode, sentence=MODES[mode].sentence, meaning=MODES[mode].meaning, kept=kept)


def _breach(violation: Violation) -> schemas.BreachOut:
    return schemas.BreachOut(version=violation.version, mode=violation.mode, change=_change(violation.difference))
