"""Which values assertions admit: whether one admits all that another does, and what it means that a value grows.

What is admitted changes at the limits alone. So two assertions are compared on the limits of both, on what lies between
them and on what lies beyond, each judged by the assertions themselves; no other meaning of an operator is written down.
"""

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
    """The numbers that a value can be: from `least` to `most` (None: no end), `whole` ones only, or all.

    Says nothing of texts and truths."""

    least: int | None = None
    most: int | None = None
    whole: bool = False

    def holds(self, value: Any) -> bool:
        """Whether a value can be that number."""
        above = self.least is None or value >= self.least
        return above and (self.most is None or value <= self.most)


ANY = NumericDomain()


def compare_thresholds(old: Sequence[Assertion], new: Sequence[Assertion], domain: NumericDomain = ANY) -> Direction:
    """The direction from the values that keep all of `old` to those that keep all of `new`.

    Undetermined where limits are of different kinds, or refer to another dataset, unless all are the same."""
    if list(old) == list(new):
        return Direction.UNTESTED
    probes = _probes([*old, *new], domain)
    return of_sets(_accepted_probes(probes, old), _accepted_probes(probes, new)) if probes else Direction.UNDETERMINED


def rising(assertion: Assertion, domain: NumericDomain = ANY) -> Direction:
    """The direction of a promise about a value that is now never less than it was. Undetermined where that depends."""
    probes = _probes([assertion], domain)
    if not probes:
        return Direction.UNDETERMINED
    kept = [assertion.holds(each) for each in probes]
    found = inclusion(new_within_old=kept == sorted(kept, reverse=True), old_within_new=kept == sorted(kept))
    return Direction.UNDETERMINED if found is Direction.BOTH else found


def admits_only(assertion: Assertion, value: int, domain: NumericDomain = ANY) -> bool:
    """Whether of all numbers of the domain that one alone keeps the promise."""
    return compare_thresholds([assertion], [Assertion("mustBe", value)], domain) is Direction.UNTESTED


def _accepted_probes(probes: Iterable[Any], assertions: Sequence[Assertion]) -> list[Any]:
    return [probe for probe in probes if all(each.holds(probe) for each in assertions)]


def _probes(assertions: Iterable[Assertion], domain: NumericDomain) -> list[Any]:
    """Values in ascending order that tell apart whatever differs only at these limits; [] where there are none."""
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
    """The limits, what comes right after each, and the least text; [] for times that are not in the order of texts."""
    moments = {_form(each) for each in limits}
    if len(moments) > 1:
        return []
    return sorted({"", *(text for each in limits for text in (each, each + "\0"))})


def is_moment(text: str) -> bool:
    """Whether the text is a date or a time as ISO 8601."""
    return _form(text) is not None


def _form(text: str) -> tuple[int, Any] | None:
    """How a date or time is written: those of one form are in the order of their texts. None for any other text."""
    try:
        return len(text), datetime.fromisoformat(text).utcoffset()
    except ValueError:
        return None


def of_values(old: Iterable[Any], new: Iterable[Any]) -> Direction:
    """The direction between two lists of admitted values: 1 is 1.0, but neither '1' nor true."""
    return of_sets(map(_alike, old), map(_alike, new))


def _alike(value: Any) -> tuple[str, Any]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return ("number", Fraction(repr(value))) if number else (type(value).__name__, value)
