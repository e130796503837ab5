"""Assertions on a measured value, in Python."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

from treaty.contracts.assertions import ANOMALIES, FUNCTION, Assertion, DetectorLimit

if TYPE_CHECKING:
    from treaty.engine.anomaly.detector import Detector

Expected = Assertion | Callable[[Any], bool]
WHOLE = Assertion("mustBe", 1)


class CheckBuilder(Protocol):
    """An object to which checks can be added."""

    def that(self, analyzer: str, must: Expected, **words: Any) -> Self: ...


@dataclass(frozen=True)
class CallableLimit(Assertion):
    """An assertion defined by a Python function, which can be run but not stored.

    `limit`: the assertion in words. The function receives the distribution behind the value if the analyzer has one,
    else the value."""

    function: Callable[[Any], bool] = field(default=bool, repr=False)

    def holds(self, value: Any) -> bool:
        """Return whether the function is true for the value."""
        return bool(self.function(value))

    def sentence(self) -> str:
        """Return the words given with the function."""
        return str(self.limit)


def satisfying(function: Callable[[Any], bool], words: str = "satisfy the given function") -> CallableLimit:
    """Require a value for which the function is true. `words` complete the sentence "the size must ..."."""
    return CallableLimit(FUNCTION, words, function)


def equal_to(limit: Any) -> Assertion:
    """Require a value equal to the limit."""
    return Assertion("mustBe", limit)


def unlike(limit: Any) -> Assertion:
    """Require a value different from the limit."""
    return Assertion("mustNotBe", limit)


def more_than(limit: Any) -> Assertion:
    """Require a value greater than the limit."""
    return Assertion("mustBeGreaterThan", limit)


def at_least(limit: Any) -> Assertion:
    """Require a value greater than or equal to the limit."""
    return Assertion("mustBeGreaterOrEqualTo", limit)


def less_than(limit: Any) -> Assertion:
    """Require a value less than the limit."""
    return Assertion("mustBeLessThan", limit)


def at_most(limit: Any) -> Assertion:
    """Require a value less than or equal to the limit."""
    return Assertion("mustBeLessOrEqualTo", limit)


def between(low: Any, high: Any) -> Assertion:
    """Require a value between two limits, both included."""
    return Assertion("mustBeBetween", (low, high))


def outside(low: Any, high: Any) -> Assertion:
    """Require a value that is not between two limits."""
    return Assertion("mustNotBeBetween", (low, high))


def no_anomalies(detector: "str | Detector" = "auto", **arguments: Any) -> Assertion:
    """Require a value that is no anomaly compared with the metric's history.

    `detector`: name of a detector, with its `arguments`, or a detector: `OnlineNormal(std_devs=4)`."""
    if isinstance(detector, str):
        return Assertion(ANOMALIES, DetectorLimit(detector, arguments))
    return Assertion(ANOMALIES, DetectorLimit(detector.name, {**detector.arguments(), **arguments}))


def expected(expected: Expected) -> Assertion:
    """Return the given assertion, or the assertion for a function."""
    return expected if isinstance(expected, Assertion) else satisfying(expected)
