"""Detectors in closed form: thresholds, changes, and distances from the mean or median of the history."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise
from math import log, sqrt
from statistics import fmean, median, stdev
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from treaty.contracts.comparison.threshold_order import ANY
from treaty.engine.anomaly.detector import (
    DETECTORS,
    Detector,
    DetectorBand,
    FalseAlarmDetector,
    InsufficientHistory,
    detector,
)
from treaty.engine.anomaly.residual_bands import normal_rate, quantile
from treaty.engine.anomaly.series import DetectionRequest, Series

# Median absolute deviation of a normal distribution in standard deviations.
MAD = 0.6744897501960817
NEEDS_LIMIT = "give at least one limit"


class Threshold(Detector):
    """Fixed limits. Needs no history."""

    name = "threshold"
    least: ClassVar[int] = 0
    lower: float | None = Field(default=None, description="the smallest permitted value")
    upper: float | None = Field(default=None, description="the largest permitted value")

    @model_validator(mode="after")
    def _limited(self) -> "Threshold":
        _require(self.lower, self.upper)
        return self

    def band(self, request: DetectionRequest) -> DetectorBand:
        return DetectorBand(lower=self.lower, upper=self.upper, by="fixed limits", points=len(request.past.values))


class AbsoluteChange(Detector):
    """Limits of the change from the previous value.

    With order 2, limits of the change of that change, and so on."""

    name = "absolute_change"
    decrease: float | None = Field(default=None, ge=0, description="the largest permitted decrease")
    increase: float | None = Field(default=None, ge=0, description="the largest permitted increase")
    order: int = Field(default=1, ge=1, le=5, description="the order of differencing")

    @model_validator(mode="after")
    def _limited(self) -> "AbsoluteChange":
        _require(self.decrease, self.increase)
        return self

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        values = request.past.values
        if len(values) < self.order:
            return InsufficientHistory(f"learning: {len(values)} of {self.order} values")
        expected = continued(values, self.order)
        lower = None if self.decrease is None else expected - self.decrease
        upper = None if self.increase is None else expected + self.increase
        return DetectorBand(
            lower=lower,
            upper=upper,
            expected=expected,
            by=f"maximum change, order {self.order}",
            points=len(values),
        )


class RelativeChange(Detector):
    """Limits of the ratio to an earlier value.

    0.8 to 1.25 permits a fifth less to a quarter more."""

    name = "relative_change"
    least_rate: float | None = Field(
        default=None, ge=0, description="the smallest permitted ratio to the earlier value"
    )
    largest_rate: float | None = Field(
        default=None, ge=0, description="the largest permitted ratio to the earlier value"
    )
    order: int = Field(default=1, ge=1, le=366, description="position of the earlier value; 1 is the previous value")

    @model_validator(mode="after")
    def _limited(self) -> "RelativeChange":
        _require(self.least_rate, self.largest_rate)
        return self

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        values = request.past.values
        if len(values) < self.order:
            return InsufficientHistory(f"learning: {len(values)} of {self.order} values")
        earlier = values[-self.order]
        if earlier == 0:
            return InsufficientHistory("the earlier value is 0, so there is no ratio to it")
        edges = [None if rate is None else rate * earlier for rate in (self.least_rate, self.largest_rate)]
        lower, upper = edges if earlier > 0 else reversed(edges)
        return DetectorBand(
            lower=lower,
            upper=upper,
            expected=earlier,
            by=f"ratio to the value {self.order} back",
            points=len(values),
        )


class NormalDetector(Detector):
    """Base class of the detectors that count standard deviations from the middle of the history."""

    std_devs: float = Field(
        default=3.0, gt=0, le=20, description="distance of the limits from the middle in standard deviations"
    )

    @property
    def share(self) -> float:
        """Return the share of false alarms among normal points, by the normal distribution."""
        return normal_rate(self.std_devs, one_sided=self.one_sided)

    def around(self, request: DetectionRequest, middle: float, spread: float, freedom: float) -> DetectorBand:
        """Return the band around a middle.

        The share of false alarms is that of `std_devs` standard deviations of a normal distribution, for any number
        of points."""
        away = spread * quantile(self.share if self.one_sided else self.share / 2, freedom)
        alarms = self.share * request.past.yearly
        words = f"{self.name.replace('_', ' ')}, {self.std_devs:g} standard deviations"
        return DetectorBand(
            lower=middle - away,
            upper=middle + away,
            expected=middle,
            rate=self.share,
            per_year=alarms,
            by=words,
            points=len(request.past.values),
        )


class OnlineNormal(NormalDetector):
    """A number of standard deviations from the mean of all earlier values.

    The tested value is never part of the history. With few values the band is wider, by Student's t, so that the
    share of false alarms stays that of the normal distribution."""

    name = "online_normal"
    least: ClassVar[int] = 3

    def band(self, request: DetectionRequest) -> DetectorBand:
        values = request.past.values
        spread = stdev(values) * sqrt(1 + 1 / len(values))
        return self.around(request, fmean(values), spread, len(values) - 1)


class BatchNormal(NormalDetector):
    """A number of standard deviations from the mean of the last `window` values."""

    name = "batch_normal"
    least: ClassVar[int] = 3
    window: int = Field(default=30, ge=3, le=1000, description="number of values to learn from")

    def band(self, request: DetectionRequest) -> DetectorBand:
        values = request.past.values[-self.window :]
        spread = stdev(values) * sqrt(1 + 1 / len(values))
        return self.around(request, fmean(values), spread, len(values) - 1)


class RobustDetector(NormalDetector):
    """A number of standard deviations from the median, estimated by the median absolute deviation.

    Up to half of the history may be wrong."""

    name = "robust"
    least: ClassVar[int] = 5

    def band(self, request: DetectionRequest) -> DetectorBand:
        values = request.past.values
        middle = median(values)
        away = median(abs(each - middle) for each in values) / MAD
        # The median absolute deviation is as precise as a standard deviation of 0.37 times as many values.
        return self.around(request, middle, away * sqrt(1 + 1.57 / len(values)), 0.37 * len(values))


class DifferenceDetector(Detector):
    """Another detector applied to the changes of a metric.

    With order 2, to the changes of these changes, and so on."""

    name = "difference"
    least: ClassVar[int] = 2
    order: int = Field(default=1, ge=1, le=5, description="the order of differencing")
    detector: str = Field(default="auto", description="the detector of the changes")
    arguments_: dict[str, Any] = Field(default={}, alias="arguments", description="the arguments of that detector")

    @model_validator(mode="after")
    def _validate_inner(self) -> "DifferenceDetector":
        if self.detector not in DETECTORS or self.detector == self.name:
            raise ValueError(f"unknown detector for changes: {self.detector!r}")
        self.inner  # noqa: B018 - validates the arguments of that detector
        return self

    @property
    def inner(self) -> Detector:
        """Return the detector of the changes."""
        return detector(self.detector, self.arguments_)

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        learned, values = request.past.learned, list(request.past.values)
        for _ in range(self.order):
            values = [later - earlier for earlier, later in pairwise(values)]
        points = [replace(each, value=value) for each, value in zip(learned[self.order :], values, strict=False)]
        inner_band = self.inner.judge(replace(request, past=Series(tuple(points)), domain=ANY))
        return (
            inner_band
            if isinstance(inner_band, InsufficientHistory)
            else _shifted(inner_band, continued(request.past.values, self.order))
        )


class ChangePoint(FalseAlarmDetector):
    """Band for the mean of the last values, derived from the values before them.

    Detects a small lasting shift that no single value shows."""

    name = "change_point"
    window: int = Field(
        default=5, ge=2, le=100, description="number of values in the recent window, with the evaluated one"
    )
    least: ClassVar[int] = 10

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        values = request.past.values
        before, recent = values[: 1 - self.window], values[1 - self.window :]
        if len(before) < self.window:
            return InsufficientHistory(f"learning: {len(values)} of {2 * self.window - 1} values")
        rate, middle = self.rate(request), fmean(before)
        spread = stdev(before) * sqrt(1 / self.window + 1 / len(before))
        away = spread * quantile(rate if self.one_sided else rate / 2, len(before) - 1)
        low, high = (self.window * edge - sum(recent) for edge in (middle - away, middle + away))
        words = f"the mean of {self.window} values, compared with earlier values"
        return DetectorBand(
            lower=low,
            upper=high,
            expected=middle,
            rate=rate,
            per_year=rate * request.past.yearly,
            by=words,
            points=len(values),
        )


class MissingArrival(FalseAlarmDetector):
    """Band for the hours since the previous point, derived from earlier intervals. Detects late data."""

    name = "missing_arrival"
    least: ClassVar[int] = 0
    observed_quantity: ClassVar[str] = "hours since the previous data"
    sides: Literal["upper"] = Field(default="upper", description="only late data is an anomaly")
    within: float | None = Field(
        default=None, gt=0, description="maximum number of hours; by default learned from history"
    )

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        gaps = [_hours(later.time - earlier.time) for earlier, later in _pairs(request.past)]
        if self.within is not None:
            return DetectorBand(lower=None, upper=self.within, by="fixed number of hours", points=len(gaps))
        if len(gaps) < 5:
            return InsufficientHistory(f"learning: {len(gaps)} of 5 intervals between points")
        rate, middle = self.rate(request), median(gaps)
        # Gaps are waiting times: beyond the longest one observed, each further typical gap is rarer by a factor of e.
        longest = max(gaps) + middle * max(0.5, -log(rate * (len(gaps) + 1)))
        words = "hours since the previous point, compared with earlier intervals"
        return DetectorBand(
            lower=None,
            upper=longest,
            expected=middle,
            rate=rate,
            per_year=rate * request.past.yearly,
            by=words,
            points=len(gaps),
        )

    def observed(self, request: DetectionRequest, value: Any) -> Any:
        last = request.past.points[-1].time if request.past.points else None
        return None if last is None else _hours(request.at - last)


def _pairs(past: Series) -> list[tuple[Any, Any]]:
    return list(pairwise(past.points))


def _hours(gap: timedelta) -> float:
    return gap / timedelta(hours=1)


def _require(*limits: float | None) -> None:
    if all(limit is None for limit in limits):
        raise ValueError(NEEDS_LIMIT)


def continued(values: Sequence[float], order: int) -> float:
    """Return the next value for which the difference of that order is 0."""
    return sum(math.comb(order, at) * values[-at] * (1 if at % 2 else -1) for at in range(1, order + 1))


def _shifted(band: DetectorBand, by: float) -> DetectorBand:
    def shift_edge(edge: float | None) -> float | None:
        return None if edge is None else edge + by

    words = f"changes: {band.by}"
    lower, upper, expected = map(shift_edge, (band.lower, band.upper, band.expected))
    return replace(band, lower=lower, upper=upper, expected=expected, by=words)
