"""Order thresholds: decide whether one assertion accepts everything that another one accepts.

Acceptance changes only at the limits. Two assertions are therefore compared by evaluating both at all limits, between
them and beyond them, so no other definition of an operator is needed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from treaty.contracts.assertions import PAIRED, Assertion
from treaty.contracts.comparison.directions import Direction, inclusion, of_sets


@dataclass(frozen=True)
class NumericDomain:
    """The numbers that a value can take; it does not restrict texts and booleans.

    `least`, `most`: inclusive ends; None means unbounded. `whole`: integers only."""

    least: int | None = None
    most: int | None = None
    whole: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether the domain contains the number."""
        above = self.least is None or value >= self.least
        return above and (self.most is None or value <= self.most)


ANY = NumericDomain()


def compare_thresholds(old: Sequence[Assertion], new: Sequence[Assertion], domain: NumericDomain = ANY) -> Direction:
    """Return the direction between the values that satisfy all of `old` and all of `new`.

    Undetermined if limits are of different kinds or refer to another dataset, unless all assertions are equal."""
    if list(old) == list(new):
        return Direction.UNTESTED
    probes = _probes([*old, *new], domain)
    return of_sets(_accepted_probes(probes, old), _accepted_probes(probes, new)) if probes else Direction.UNDETERMINED


def rising(assertion: Assertion, domain: NumericDomain = ANY) -> Direction:
    """Return the direction of an assertion on a value that can only have increased.

    Undetermined if it depends on the increase."""
    probes = _probes([assertion], domain)
    if not probes:
        return Direction.UNDETERMINED
    accepted = [assertion.holds(each) for each in probes]
    direction = inclusion(
        new_within_old=accepted == sorted(accepted, reverse=True), old_within_new=accepted == sorted(accepted)
    )
    return Direction.UNDETERMINED if direction is Direction.BOTH else direction


def admits_only(assertion: Assertion, value: int, domain: NumericDomain = ANY) -> bool:
    """Return whether this is the only number of the domain that satisfies the assertion."""
    return compare_thresholds([assertion], [Assertion("mustBe", value)], domain) is Direction.UNTESTED


def _accepted_probes(probes: Iterable[Any], assertions: Sequence[Assertion]) -> list[Any]:
    return [probe for probe in probes if all(each.holds(probe) for each in assertions)]


def _probes(assertions: Iterable[Assertion], domain: NumericDomain) -> list[Any]:
    """Return ascending values that reveal any difference at these limits; [] if there are none."""
    limits = [limit for each in assertions for limit in (each.limit if each.operator in PAIRED else (each.limit,))]
    if all(isinstance(each, bool) for each in limits):
        return [False, True]
    if all(isinstance(each, int | float) and not isinstance(each, bool) for each in limits):
        return [each for each in _numbers([Fraction(repr(limit)) for limit in limits], domain) if domain.holds(each)]
    return _texts(limits) if all(isinstance(each, str) for each in limits) else []


def _numbers(limits: Iterable[Fraction], domain: NumericDomain) -> list[Any]:
    ends = (Fraction(end) for end in (domain.least, domain.most) if end is not None)
    points = sorted({*limits, *ends})
    if domain.whole:
        return sorted({near for each in points for near in range(floor(each) - 1, ceil(each) + 2)})
    amid = ((low + high) / 2 for low, high in pairwise(points))
    return sorted({points[0] - 1, *points, *amid, points[-1] + 1})


def _texts(limits: Sequence[str]) -> list[str]:
    """Return the limits, their immediate successors and the least text.

    [] if the limits are times whose order differs from that of their texts."""
    moments = {_form(each) for each in limits}
    if len(moments) > 1:
        return []
    return sorted({"", *(text for each in limits for text in (each, each + "\0"))})


def is_moment(text: str) -> bool:
    """Return whether the text is a date or a time in ISO 8601."""
    return _form(text) is not None


def _form(text: str) -> tuple[int, Any] | None:
    """Return the format of a date or time; None for other texts.

    Times of one format are in the order of their texts."""
    try:
        return len(text), datetime.fromisoformat(text).utcoffset()
    except ValueError:
        return None


def of_values(old: Iterable[Any], new: Iterable[Any]) -> Direction:
    """Return the direction between two lists of allowed values: 1 equals 1.0, but not '1' or true."""
    return of_sets(map(_alike, old), map(_alike, new))


def _alike(value: Any) -> tuple[str, Any]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number", Fraction(repr(value))) if number else (type(value).__name__, value)
