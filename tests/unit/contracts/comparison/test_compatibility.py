"""Two versions compared: every kind of change, in which direction it goes, and which modes it breaks."""

from typing import Any

from support.every import every
from support.version_cases import CASES, Case
from support.versions import compared

from treaty.contracts.comparison.compatibility import violations
from treaty.contracts.comparison.differences import Difference
from treaty.contracts.document.model import Compatibility


def directions(differences: tuple[Difference, ...]) -> set[str]:
    return {each.direction.value for each in differences}


@every("case", CASES.values(), ids=CASES)
def test_a_change_goes_in_its_direction_and_breaks_what_it_breaks(case: Case) -> None:
    found = compared(case.old, case.new)

    assert directions(found.differences) - {"untested"} == {case.direction} - {"untested"}
    assert found.differences
    for mode, breaks in (("BACKWARD", case.backward), ("FORWARD", case.forward)):
        modes = Compatibility(structure=mode, guarantees=mode)
        assert bool(list(violations([("1.0.0", found)], modes))) is breaks
    assert found.bump == case.bump


@every("case", CASES.values(), ids=CASES)
def test_the_way_back_has_the_same_differences_in_the_other_direction(case: Case) -> None:
    there, back = (compared(*pair).differences for pair in ((case.old, case.new), (case.new, case.old)))

    def turned(each: Difference) -> tuple[Any, ...]:
        return (each.kind.mirrored, each.element, each.direction.mirrored, each.new, each.old)

    assert sorted(map(str, map(turned, there))) == sorted(
        str((each.kind, each.element, each.direction, each.old, each.new)) for each in back
    )


@every("case", CASES.values(), ids=CASES)
def test_a_document_does_not_differ_from_itself(case: Case) -> None:
    assert compared(case.old, case.old).differences == compared(case.new, case.new).differences == ()


@every("case", CASES.values(), ids=CASES)
def test_a_difference_shows_what_differs(case: Case) -> None:
    alike = [each for each in compared(case.old, case.new).differences if each.old == each.new]
    assert alike == []
