"""What a measured value must keep, as Python writes it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, Self

from treaty.contracts.assertions import ANOMALIES, FUNCTION, Assertion, DetectorLimit

if TYPE_CHECKING:
    from treaty.engine.anomaly.detector import Detector

Expected = Assertion | Callable[[Any], bool]
WHOLE = Assertion("mustBe", 1)


class CheckBuilder(Protocol):
    """What can take one promise more."""

    def that(self, analyzer: str, must: Expected, **words: Any) -> Self: ...


@dataclass(frozen=True)
class CallableLimit(Assertion):
    """A promise that only code can judge: it can be run, not stored. `limit` says it in words.

    It is asked about the distribution behind the value where the analyzer has one, else about the value."""

    function: Callable[[Any], bool] = field(default=bool, repr=False)

    def holds(self, value: Any) -> bool:
        """What the function says of the value."""
        return bool(self.function(value))

    def sentence(self) -> str:
        """The words that came with the function."""
        return str(self.limit)


def satisfying(function: Callable[[Any], bool], words: str = "satisfy a function of the caller's") -> CallableLimit:
    """A value for which the function is true. `words` finish the sentence 'the size must ...'."""
    return CallableLimit(FUNCTION, words, function)


def equal_to(limit: Any) -> Assertion:
    """A value equal to the limit."""
    return Assertion("mustBe", limit)


def unlike(limit: Any) -> Assertion:
    """A value other than the limit."""
    return Assertion("mustNotBe", limit)


def more_than(limit: Any) -> Assertion:
    """A value greater than the limit."""
    return Assertion("mustBeGreaterThan", limit)


def at_least(limit: Any) -> Assertion:
    """A value greater than the limit, or equal to it."""
    return Assertion("mustBeGreaterOrEqualTo", limit)


def less_than(limit: Any) -> Assertion:
    """A value less than the limit."""
    return Assertion("mustBeLessThan", limit)


def at_most(limit: Any) -> Assertion:
    """A value less than the limit, or equal to it."""
    return Assertion("mustBeLessOrEqualTo", limit)


def between(low: Any, high: Any) -> Assertion:
    """A value between two limits, both included."""
    return Assertion("mustBeBetween", (low, high))


def outside(low: Any, high: Any) -> Assertion:
    """A value that is not between two limits."""
    return Assertion("mustNotBeBetween", (low, high))


def no_anomalies(detector: "str | Detector" = "auto", **arguments: Any) -> Assertion:
    """A value that is no anomaly beside the metric's past: by the detector of that name with these arguments, or by one
    that was made (`OnlineNormal(std_devs=4)`)."""
    if isinstance(detector, str):
        return Assertion(ANOMALIES, DetectorLimit(detector, arguments))
    return Assertion(ANOMALIES, DetectorLimit(detector.name, {**detector.arguments(), **arguments}))


def expected(given: Expected) -> Assertion:
    """The assertion given, or the one that a function stands for."""
    return given if isinstance(given, Assertion) else satisfying(given)
