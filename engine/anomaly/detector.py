"""Base class of detectors: compute from a metric's history a band of values for its next point.

class Threshold(Detector):
    '''Two limits.'''
    name = "threshold"
    lower: float | None = None
    upper: float | None = None

    def band(self, asked): return DetectorBand(lower=self.lower, upper=self.upper)"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.engine.anomaly.series import DetectionRequest, finite
from treaty.engine.core.number_format import figure

OPEN = "learning: with the history so far every value is normal"
DETECTORS: "dict[str, type[Detector]]" = {}
Sides = Literal["both", "lower", "upper"]

# The smallest and the largest value, both included; None means no limit on that side.
Limits = tuple[float | None, float | None]


def between(limits: Limits, value: float) -> bool:
    """Return whether the value is within the limits."""
    lower, upper = limits
    return bool((lower is None or value >= lower) and (upper is None or value <= upper))


@dataclass(frozen=True, kw_only=True)
class DetectorBand:
    """Band of normal values, both ends included; None means no limit on that side.

    `expected`: most likely value. `rate`: share of normal points outside the band; `per_year`: the same as a number
    of points; None if the detector guarantees neither. `by`: how the band was computed, in words. `points`: number
    of points that it was learned from. `fit`: name of the limits if they were learned earlier; None means that they
    were computed now."""

    lower: float | None
    upper: float | None
    expected: float | None = None
    rate: float | None = None
    per_year: float | None = None
    by: str = ""
    points: int = 0
    fit: str | None = None

    @property
    def description(self) -> str:
        """Return the expected value and the method: "expected 102 (days of the week, 60 values, 0.5 false alarms a
        year)"."""
        middle = "" if self.expected is None else f"expected {figure(self.expected)} "
        alarms = "" if self.per_year is None else f", {figure(round(self.per_year, 2))} false alarms per year"
        return f"{middle}({self.by}, {self.points} values{alarms})"

    def plain(self) -> dict[str, Any]:
        """Return the band as plain data."""
        return asdict(self)

    def within(self, domain: NumericDomain) -> "DetectorBand":
        """Return the band clipped to the values that the metric can have."""
        return replace(self, lower=_nearest(self.lower, domain), upper=_nearest(self.upper, domain))


def _nearest(bound: float | None, domain: NumericDomain) -> float | None:
    if bound is None or domain.holds(bound):
        return bound
    return domain.least if domain.least is not None and bound < domain.least else domain.most


class InsufficientHistory(str):
    """The reason, in words, why there is no band yet and nothing is evaluated."""

    __slots__ = ()


class Detector(BaseModel):
    """An anomaly detector for one metric. Subclasses are frozen values; their fields are their arguments.

    `least`: number of past points that it needs. `observed_quantity`: name of what `observed` returns; empty for the
    metric's value."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: ClassVar[str]
    least: ClassVar[int] = 1
    observed_quantity: ClassVar[str] = ""

    sides: Sides = Field(default="both", description="which side raises alarms: `both`, `lower` or `upper`")
    holidays: tuple[date, ...] = Field(default=(), description="days that differ from others, such as public holidays")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        # A class without a name is a shared base class, not a detector.
        if "name" in vars(cls) and DETECTORS.setdefault(cls.name, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"a detector named {cls.name!r} already exists")

    def arguments(self) -> dict[str, Any]:
        """Return the arguments as plain data, without those that equal their defaults."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def judge(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        """Return the band of the next point, or the reason why there is none yet."""
        count = len(request.past.values)
        if count < self.least:
            excluded = sum(each.excluded for each in request.past.points)
            excluding = f", without {excluded} in incidents" if excluded else ""
            return InsufficientHistory(f"learning: {count} of {self.least} values{excluding}")
        band = self.band(replace(request, holidays=request.holidays | frozenset(self.holidays)))
        if isinstance(band, InsufficientHistory):
            return band
        return self._sided(band if self.observed_quantity else band.within(request.domain))

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        """Compute the band of the next point from at least `least` values."""
        raise NotImplementedError

    def observed(self, request: DetectionRequest, value: Any) -> Any:
        """Return the quantity that is compared with the band; by default the metric's value."""
        return value

    @property
    def shares_alarms(self) -> bool:
        """Return whether its false alarms come from the table's false-alarm budget."""
        return False

    def among(self, _: int) -> "Detector":
        """Return the detector as one of several that share its number of false alarms."""
        return self

    @property
    def one_sided(self) -> bool:
        """Return whether only one side raises alarms."""
        return self.sides != "both"

    def promise(self, band: DetectorBand) -> Assertion | InsufficientHistory:
        """Return the assertion that a normal value satisfies.

        A band without limits gives InsufficientHistory."""
        if band.lower is not None and band.upper is not None:
            return Assertion("mustBeBetween", (band.lower, band.upper))
        if band.lower is not None:
            return Assertion("mustBeGreaterOrEqualTo", band.lower)
        return InsufficientHistory(OPEN) if band.upper is None else Assertion("mustBeLessOrEqualTo", band.upper)

    def _sided(self, band: DetectorBand) -> DetectorBand:
        lower = None if self.sides == "upper" else finite(band.lower)
        upper = None if self.sides == "lower" else finite(band.upper)
        return replace(band, lower=lower, upper=upper)


class FalseAlarmDetector(Detector):
    """Base class of detectors with a bounded number of false alarms."""

    false_alarms: float | None = Field(
        default=None, gt=0, le=1000, description="false alarms per year; by default a share of the contract's budget"
    )

    @property
    def shares_alarms(self) -> bool:
        return self.false_alarms is None

    def among(self, many: int) -> "Detector":
        alarms = self.false_alarms
        return self if alarms is None else self.model_copy(update={"false_alarms": alarms / many})

    def promised(self, request: DetectionRequest) -> DetectionRequest:
        """Return the request with the detector's own number of false alarms, if it has one."""
        return request if self.false_alarms is None else replace(request, false_alarms=self.false_alarms)

    def rate(self, request: DetectionRequest) -> float:
        """Return the share of normal points that may raise an alarm."""
        return self.promised(request).rate


def detector(name: str, arguments: Mapping[str, Any]) -> Detector:
    """Return the detector of that name with these arguments.

    Raises KeyError with an unknown name, and pydantic's ValidationError for invalid arguments."""
    return DETECTORS[name].model_validate(dict(arguments))
