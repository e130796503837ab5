"""Assertions: an ODCS operator word and its limits, and whether a measured value keeps them."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from math import isnan
from typing import Any

Limit = int | float | str | bool
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


@dataclass(frozen=True)
class Assertion:
    """A promise about one measured value: `operator` is an ODCS word, `limit` a scalar, or a pair of them (PAIRED)."""

    operator: str
    limit: Any

    def holds(self, value: Any) -> bool:
        """Whether `value` keeps the promise. NaN keeps none; raises TypeError where it cannot be compared."""
        if isinstance(value, float) and isnan(value):
            return False
        test, _ = OPERATORS[self.operator]
        return test(_comparable(value), _comparable(self.limit))

    def sentence(self) -> str:
        """What is promised, in words: 'be at least 0.95'."""
        return OPERATORS[self.operator][1].format(self.limit)


def _comparable(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(_comparable(each) for each in value)
    # A YAML float is the decimal number that its author wrote, not the binary one nearest to it.
    return Decimal(repr(value)) if isinstance(value, float) else value
