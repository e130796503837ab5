"""Assertions: an ODCS operator word and its limits, and whether a measured value keeps them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import isnan
from typing import Any

OPERATORS: dict[str, tuple[Callable[[Any, Any], bool], str]] = {
    "mustBe": (lambda value, limit: value == limit, "be {}"),
    "mustNotBe": (lambda value, limit: value != limit, "not be {}"),
    "mustBeGreaterThan": (lambda value, limit: value > limit, "be greater than {}"),
    "mustBeGreaterOrEqualTo": (lambda value, limit: value >= limit, "be at least {}"),
    "mustBeLessThan": (lambda value, limit: value < limit, "be less than {}"),
    "mustBeLessOrEqualTo": (lambda value, limit: value <= limit, "be at most {}"),
    "mustBeBetween": (lambda value, limit: limit[0] <= value <= limit[1], "be between {0[0]} and {0[1]}"),
    "mustNotBeBetween": (lambda value, limit: not limit[0] <= value <= limit[1], "not be between {0[0]} and {0[1]}"),
}
PAIRED = frozenset({"mustBeBetween", "mustNotBeBetween"})
# The operator of promises whose limits a detector tells from the metric's past.
ANOMALIES = "mustHaveNoAnomalies"
OPERATORS[ANOMALIES] = (lambda value, limit: False, "have no anomalies as {} tells them")
# The operator of promises that only code can judge: no document has it.
FUNCTION = "function"


@dataclass(frozen=True)
class ReferenceLimit:
    """A limit that is a metric of another dataset: it has a value only where that metric was measured."""

    dataset: str
    analyzer: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The metric in words, equal for equal metrics: 'the size of titles', 'the mean of amount in titles'."""
        said = dict(sorted(self.arguments.items()))
        where = said.pop("where", None)
        columns = said.pop("columns", None) or said.pop("column", None)
        of = f" of {columns if isinstance(columns, str) else ', '.join(columns)} in" if columns else " of"
        more = "".join(f" {name} {given}" for name, given in said.items())
        return f"the {self.analyzer.replace('_', ' ')}{more}{of} {self.dataset}" + (f" where {where}" if where else "")


@dataclass(frozen=True)
class DetectorLimit:
    """A limit that is told from the metric's past, by the detector of that name with these arguments."""

    detector: str = "auto"
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """The detector in words, equal for equal ones: 'online_normal (std_devs 4)'."""
        said = ", ".join(f"{name} {given}" for name, given in sorted(self.arguments.items()))
        return f"{self.detector} ({said})" if said else self.detector


@dataclass(frozen=True)
class Assertion:
    """A promise about one measured value: `operator` is an ODCS word, `limit` a scalar, or a pair of them (PAIRED).

    A limit may be Referred; `resolved` has to name its value before the promise can be judged."""

    operator: str
    limit: Any

    @cached_property
    def references(self) -> tuple[ReferenceLimit, ...]:
        """The limits that are metrics of other datasets; () for most."""
        limits = self.limit if self.operator in PAIRED else (self.limit,)
        return tuple(each for each in limits if isinstance(each, ReferenceLimit))

    @property
    def detection(self) -> DetectorLimit | None:
        """The detector that tells the limits; None where they are written."""
        return self.limit if isinstance(self.limit, DetectorLimit) else None

    def resolved(self, values: Mapping[str, Any]) -> "Assertion":
        """The promise with the value of each limit that refers, by its words. Raises KeyError (the words)."""
        known = {str(each): values[str(each)] for each in self.references}
        if not known:
            return self
        limits = self.limit if self.operator in PAIRED else (self.limit,)
        found = tuple(known[str(each)] if isinstance(each, ReferenceLimit) else each for each in limits)
        return replace(self, limit=found if self.operator in PAIRED else found[0])

    def holds(self, value: Any) -> bool:
        """Whether `value` keeps the promise. NaN keeps none; raises TypeError where it cannot be compared."""
        if isinstance(value, float) and isnan(value):
            return False
        if self.detection is not None:
            raise TypeError("what is an anomaly is known only beside the metric's past")
        if self.references:
            raise TypeError("the limit refers to a metric whose value is not known")
        test, _ = OPERATORS[self.operator]
        return test(_comparable(value), self._comparable)

    @cached_property
    def _comparable(self) -> Any:
        return _comparable(self.limit)

    def sentence(self) -> str:
        """What is promised, in words: 'be at least 0.95'."""
        return OPERATORS[self.operator][1].format(self.limit)


def _comparable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_comparable(each) for each in value)
    # A YAML float is the decimal number that its author wrote, not the binary one nearest to it.
    return Decimal(repr(value)) if isinstance(value, float) else value
