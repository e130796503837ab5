"""Present the comparison of two versions, for the API and the command line."""

from collections.abc import Collection
from dataclasses import asdict

from treaty.contracts.comparison.compatibility import CHECKED_SECTIONS, MODES, CompatibilityBreach
from treaty.contracts.comparison.differences import Difference, DifferenceSection
from treaty.contracts.document.model import Mode
from treaty.registry import schemas
from treaty.registry.contracts.numbering import next_free, says_enough
from treaty.registry.contracts.version_comparison import VersionDiff, modes_of


def shown(diff: VersionDiff, used: Collection[str] = ()) -> schemas.DiffOut:
    """Return the comparison as a response.

    `used`: version numbers in use, in addition to those of the two versions."""
    comparison, old = diff.comparison, diff.old
    number = old.version if old else None
    free = next_free({*used, number} if number else used, comparison.bump, after=number)
    return schemas.DiffOut(
        contract_id=diff.new.id,
        old=number,
        new=diff.new.version,
        differences=tuple(map(_change, comparison.differences)),
        bump=comparison.bump,
        structure=comparison.bump_of(DifferenceSection.STRUCTURE),
        guarantees=comparison.bump_of(DifferenceSection.GUARANTEES),
        undetermined=len(comparison.undetermined),
        suggested_version=free,
        is_bump_sufficient=number is None or says_enough(number, diff.new.version, comparison.bump),
        modes=tuple(_law(diff, *each) for each in zip(CHECKED_SECTIONS, modes_of(diff.modes), strict=True)),
        breaches=tuple(map(_breach, diff.violations)),
    )


def _change(difference: Difference) -> schemas.ContractDifferenceOut:
    return schemas.ContractDifferenceOut(**asdict(difference))


def _law(diff: VersionDiff, part: DifferenceSection, mode: Mode) -> schemas.CompatibilityModeOut:
    compatible = all(each.difference.section is not part for each in diff.violations)
    return schemas.CompatibilityModeOut(
        section=part, mode=mode, sentence=MODES[mode].sentence, meaning=MODES[mode].meaning, is_kept=compatible
    )


def _breach(violation: CompatibilityBreach) -> schemas.CompatibilityBreachOut:
    return schemas.CompatibilityBreachOut(
        version=violation.version, mode=violation.mode, difference=_change(violation.difference)
    )
