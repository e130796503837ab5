"""Collect evidence from stored partitions for differences between two versions.

Covers differences whose direction the texts leave open, and every changed threshold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from treaty.contracts.comparison.column_attributes import BOUNDS, COUNTED
from treaty.contracts.comparison.compatibility import compare
from treaty.contracts.comparison.differences import Difference, DifferenceSection
from treaty.contracts.comparison.directions import Direction
from treaty.contracts.document.model import Contract
from treaty.engine.checks.argument_order import order
from treaty.engine.evaluation.replay.report import Replay, ReplayedCheck

# Names of a difference's elements, and the checks that these attributes stand for.
WORDS: Mapping[str, Sequence[str]] = {"allowed values": ("enum",), "range": tuple(BOUNDS), **COUNTED}
CHECKED_SECTIONS = (DifferenceSection.STRUCTURE, DifferenceSection.GUARANTEES)


@dataclass(frozen=True)
class DifferenceEvidence:
    """A difference and the evidence of the stored partitions for it."""

    difference: Difference
    says: str


def weighed(old: Contract | None, new: Contract, replays: Sequence[Replay]) -> tuple[DifferenceEvidence, ...]:
    """Return the differences that data can support, with their evidence.

    () if no version is in force."""
    if old is None:
        return ()
    lines = {(each.object, line.check_id): line for each in replays for line in each.lines}
    differences = compare(old, new, order).differences
    return tuple(_of(each, lines) for each in differences if _is_open(each))


def _is_open(difference: Difference) -> bool:
    """Return whether stored data can contain evidence for the difference."""
    return difference.section in CHECKED_SECTIONS and difference.direction is not Direction.UNTESTED


def _of(difference: Difference, lines: Mapping[tuple[str, str], ReplayedCheck]) -> DifferenceEvidence:
    lines_of_checks = (lines.get((difference.object or "", name)) for name in _checks(difference))
    evidence = [line.evidence for line in lines_of_checks if line and line.evidence]
    return DifferenceEvidence(
        difference, "; ".join(evidence) or "no check of either version evaluates it on stored states"
    )


def _checks(difference: Difference) -> Iterator[str]:
    """Yield the ids of the checks that the difference is about."""
    if difference.check:
        yield difference.check
    elif difference.column:
        yield from (f"{difference.column}-{word}" for word in WORDS.get(difference.element, (difference.element,)))


def plain(evidence: Sequence[DifferenceEvidence]) -> list[dict[str, str | None]]:
    """Return the evidence as plain data."""
    return [
        {
            "object": each.difference.object,
            "column": each.difference.column,
            "check_id": each.difference.check,
            "element": each.difference.element,
            "direction": each.difference.direction.value,
            "sentence": each.difference.sentence,
            "evidence": each.says,
        }
        for each in evidence
    ]
