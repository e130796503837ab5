"""Assertions: an ODCS operator with its limits, evaluated against a measured value."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from math import isinf, isnan
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
# The operator of assertions whose limits a detector derives from the metric's history.
ANOMALIES = "mustHaveNoAnomalies"
OPERATORS[ANOMALIES] = (lambda value, limit: False, "have no anomalies according to {}")
# The operator of assertions that are evaluated by code only; documents cannot contain it.
FUNCTION = "function"


@dataclass(frozen=True)
class ReferenceLimit:
    """A limit that is a metric of another dataset; it has a value only if that metric was measured."""

    dataset: str
    analyzer: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the metric in words, equal for equal metrics.

        Examples are 'the size of titles' and 'the mean of amount in titles'."""
        arguments = dict(sorted(self.arguments.items()))
        condition = arguments.pop("where", None)
        columns = arguments.pop("columns", None) or arguments.pop("column", None)
        of = f" of {columns if isinstance(columns, str) else ', '.join(columns)} in" if columns else " of"
        more = "".join(f" {name} {value}" for name, value in arguments.items())
        return f"the {self.analyzer.replace('_', ' ')}{more}{of} {self.dataset}" + (
            f" where {condition}" if condition else ""
        )


@dataclass(frozen=True)
class DetectorLimit:
    """A limit that the named detector derives from the metric's history."""

    detector: str = "auto"
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the detector in words, equal for equal ones: 'online_normal (std_devs 4)'."""
        arguments = ", ".join(f"{name} {value}" for name, value in sorted(self.arguments.items()))
        return f"{self.detector} ({arguments})" if arguments else self.detector


@dataclass(frozen=True)
class Assertion:
    """A condition on one measured value.

    `operator`: an ODCS operator. `limit`: a scalar, or a pair of them for operators in PAIRED. If a limit is a
    ReferenceLimit, `resolved` must supply its value before the assertion can be evaluated."""

    operator: str
    limit: Any

    @cached_property
    def references(self) -> tuple[ReferenceLimit, ...]:
        """Return the limits that are metrics of other datasets; () for most assertions."""
        limits = self.limit if self.operator in PAIRED else (self.limit,)
        return tuple(each for each in limits if isinstance(each, ReferenceLimit))

    @property
    def detection(self) -> DetectorLimit | None:
        """Return the detector that derives the limits; None if they are written out."""
        return self.limit if isinstance(self.limit, DetectorLimit) else None

    def resolved(self, values: Mapping[str, Any]) -> "Assertion":
        """Return the assertion with each reference replaced by its value, looked up by its text.

        Raises KeyError (the text) if a value is missing."""
        by_text = {str(each): values[str(each)] for each in self.references}
        if not by_text:
            return self
        limits = self.limit if self.operator in PAIRED else (self.limit,)
        replaced = tuple(by_text[str(each)] if isinstance(each, ReferenceLimit) else each for each in limits)
        return replace(self, limit=replaced if self.operator in PAIRED else replaced[0])

    def holds(self, value: Any) -> bool:
        """Return whether `value` satisfies the assertion. NaN satisfies none, and an infinite value only a function.

        Raises TypeError if the value cannot be compared with the limit, or if the limit is not resolved."""
        if isinstance(value, float) and (isnan(value) or (isinf(value) and self.operator != FUNCTION)):
            return False
        if self.detection is not None:
            raise TypeError("the limits come from a detector, which needs the metric's history")
        if self.references:
            raise TypeError("the limit refers to a metric without a known value")
        test, _ = OPERATORS[self.operator]
        return test(_comparable(value), self._comparable)

    @cached_property
    def _comparable(self) -> Any:
        return _comparable(self.limit)

    def sentence(self) -> str:
        """Return the assertion in words: 'be at least 0.95'."""
        return OPERATORS[self.operator][1].format(self.limit)


def _comparable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_comparable(each) for each in value)
    # A YAML float stands for the decimal number that its author wrote, not for the nearest binary one.
    return Decimal(repr(value)) if isinstance(value, float) else value
