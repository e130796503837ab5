"""What a detector is: a declaration that says, from a metric's past, which values its next point may have.

class Threshold(Detector):
    '''Two limits.'''
    name = "threshold"
    lower: float | None = None
    upper: float | None = None

    def band(self, asked): return Band(self.lower, self.upper)
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from treaty.contracts.assertions import Assertion
from treaty.engine.anomaly.series import DetectionRequest, finite
from treaty.engine.core.number_format import figure

OPEN = "learning: what is known of the past admits every value"
DETECTORS: "dict[str, type[Detector]]" = {}
Sides = Literal["both", "lower", "upper"]

# The least and the largest value, both included; None: open to that side.
Limits = tuple[float | None, float | None]


def between(limits: Limits, value: float) -> bool:
    """Whether the limits admit the value."""
    lower, upper = limits
    return bool((lower is None or value >= lower) and (upper is None or value <= upper))


@dataclass(frozen=True, kw_only=True)
class DetectorBand:
    """The values that are no anomaly, both ends included; None: open to that side.

    `expected`: the value that is most likely. `rate`: the share of points that fall outside while nothing is wrong,
    `per_year`: how many that are; None where the detector promises none. `by`: what told it, in words. `points`: how
    many it was learned from. `fit`: the name of the limits that were learned beforehand; None: they were told now."""

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
        """What is expected and by what, in words: 'expected 102 (days of the week), 0.5 false alarms a year'."""
        middle = "" if self.expected is None else f"expected {figure(self.expected)} "
        alarms = "" if self.per_year is None else f", {figure(round(self.per_year, 2))} false alarms a year"
        return f"{middle}({self.by}, {self.points} values{alarms})"

    def plain(self) -> dict[str, Any]:
        """The band as plain data."""
        return asdict(self)

    def within(self, least: float, most: float) -> "DetectorBand":
        """The band as far as the metric itself can go."""
        lower = None if self.lower is None else min(max(self.lower, least), most)
        upper = None if self.upper is None else max(min(self.upper, most), least)
        return replace(self, lower=lower, upper=upper)


class InsufficientHistory(str):
    """Why there is no band yet, in words: nothing is judged."""

    __slots__ = ()


class Detector(BaseModel):
    """How anomalies of one metric are told. Subclasses are frozen values; their fields are their arguments.

    `least` is how many points of the past they need before they say anything. `observed_quantity`: what `observed`
    is, in words, where it is not the metric's value."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: ClassVar[str]
    least: ClassVar[int] = 1
    observed_quantity: ClassVar[str] = ""

    sides: Sides = Field(default="both", description="which side alarms: both, lower or upper")
    holidays: tuple[date, ...] = Field(default=(), description="days that are not like others")

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        # A class without a name is what several detectors have in common, no detector.
        if "name" in vars(cls) and DETECTORS.setdefault(cls.name, cls).__qualname__ != cls.__qualname__:
            raise TypeError(f"a detector named {cls.name!r} exists already")

    def arguments(self) -> dict[str, Any]:
        """The arguments as plain data, defaults left out."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def judge(self, asked: DetectionRequest) -> DetectorBand | InsufficientHistory:
        """The band of the next point; in words why there is none yet."""
        have = len(asked.past.values)
        if have < self.least:
            excluded = sum(each.excluded for each in asked.past.points)
            without = f", without {excluded} of incidents" if excluded else ""
            return InsufficientHistory(f"learning: {have} of {self.least} values{without}")
        found = self.band(replace(asked, holidays=asked.holidays | frozenset(self.holidays)))
        return (
            found
            if isinstance(found, InsufficientHistory)
            else self._sided(found.within(0, 1) if asked.share else found)
        )

    def band(self, asked: DetectionRequest) -> DetectorBand | InsufficientHistory:
        """The band of the next point, told from at least `least` values."""
        raise NotImplementedError

    def observed(self, asked: DetectionRequest, value: Any) -> Any:
        """What is held against the band: by default the metric's value itself."""
        return value

    @property
    def shares_alarms(self) -> bool:
        """Whether its false alarms are a share of the table's."""
        return False

    def among(self, _: int) -> "Detector":
        """The detector as one of so many that keep to its number of false alarms together."""
        return self

    @property
    def one_sided(self) -> bool:
        """Whether one side alone alarms."""
        return self.sides != "both"

    def promise(self, band: DetectorBand) -> Assertion | InsufficientHistory:
        """What a value must keep not to be an anomaly."""
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
    """A detector that keeps to a number of false alarms."""

    false_alarms: float | None = Field(
        default=None, gt=0, le=1000, description="false alarms a year; without it, a share of the contract's budget"
    )

    @property
    def shares_alarms(self) -> bool:
        return self.false_alarms is None

    def among(self, many: int) -> "Detector":
        alarms = self.false_alarms
        return self if alarms is None else self.model_copy(update={"false_alarms": alarms / many})

    def promised(self, asked: DetectionRequest) -> DetectionRequest:
        """The question with the detector's own number of false alarms, where it has one."""
        return asked if self.false_alarms is None else replace(asked, false_alarms=self.false_alarms)

    def rate(self, asked: DetectionRequest) -> float:
        """The share of points that may alarm while nothing is wrong."""
        return self.promised(asked).rate


def detector(name: str, arguments: Mapping[str, Any]) -> Detector:
    """Return the detector of that name with these arguments. Raises KeyError (the name), pydantic's ValidationError."""
    return DETECTORS[name].model_validate(dict(arguments))
