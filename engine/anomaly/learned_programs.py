"""Program clauses learned from history: limits of a metric or of its difference from an earlier value."""

from math import exp, inf
from typing import Any, ClassVar

from pydantic import Field, model_validator

from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.anomaly.cadence import LagUnit, cadence, lag_description, nearest, position
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory, Limits
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint, finite
from treaty.engine.core.learning_options import PINNED, REFITS, TIGHTEN

NEEDS_LIMIT = "give at least one limit"
NEEDS_WIDTH = "a clause that can be refitted needs a width: draft the program again, or set refit to pinned"


class ProgramClause(Detector):
    """One clause of a program learned from history (Auto-Validate-by-History, KDD 2023), with its limits.

    The limits are those of the approved version. Limits that are learned later apply only as `refit` permits: never
    (`pinned`), within the approved limits (`tighten_only`), or if no limit moves by more than a share of the band
    (`within: 10%`); otherwise they are proposed as a new version. `lag` 0: limits of the value itself; otherwise of
    its difference from the value that many steps before, or of the logarithm of their ratio (`logged`). No verdict if
    that partition is missing, has no value, or belongs to an open incident. Clauses of one program have the same
    `of`."""

    name = "program"
    least: ClassVar[int] = 0

    of: str = Field(min_length=1, description="the program of the clause: a column, or the table")
    lag: int = Field(default=0, ge=0, le=366, description="steps to the earlier value; 0 means no comparison")
    lag_unit: LagUnit | None = Field(
        default=None, description="length of a step; by default the cadence of the partitions"
    )
    logged: bool = Field(
        default=False, description="whether the limits are of the logarithm of the ratio instead of the difference"
    )
    lower: float | None = Field(
        default=None, allow_inf_nan=False, description="the smallest permitted value or difference"
    )
    upper: float | None = Field(
        default=None, allow_inf_nan=False, description="the largest permitted value or difference"
    )
    rate: float | None = Field(
        default=None, ge=0, le=1, description="the share of clean partitions that may raise an alarm"
    )
    points: int = Field(default=0, ge=0, description="number of partitions that it was learned from")
    refit: str = Field(
        default=PINNED,
        description="which later limits apply without approval: `pinned`, `tighten_only`, or for example `within: 10%`",
    )
    width: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="width of the limits in spreads of the history"
    )
    fit: str | None = Field(
        default=None, max_length=64, description="the fit of the limits; by default the clause itself"
    )

    @model_validator(mode="after")
    def _limited(self) -> "ProgramClause":
        if self.lower is None and self.upper is None:
            raise ValueError(NEEDS_LIMIT)
        if self.logged and not self.lag:
            raise ValueError("a ratio needs an earlier value: set lag")
        if REFITS.fullmatch(self.refit) is None:
            raise ValueError(f"refit must be {PINNED}, {TIGHTEN}, or for example 'within: 10%'")
        if self.is_refitted and not self.has_width:
            raise ValueError(NEEDS_WIDTH)
        return self

    @property
    def is_refitted(self) -> bool:
        """Return whether limits that are learned later may apply."""
        return self.refit != PINNED

    @property
    def is_guard(self) -> bool:
        """Return whether the clause is a guard, whose limits do not depend on the spread.

        It has only a lower limit and no width, or in older contracts no rate."""
        return self.rate is None or (self.width is None and self.upper is None and not self.lag)

    @property
    def has_width(self) -> bool:
        """Return whether the clause can be refitted: it is a guard, or its width is defined."""
        return self.is_guard or self.width is not None

    @property
    def limits(self) -> Limits:
        """Return the smallest and the largest permitted value or difference; None means no limit on that side."""
        return self.lower, self.upper

    @property
    def named(self) -> str:
        """Return the name of the fit of these limits; for approved limits, a fingerprint of the clause."""
        return self.fit or short_fingerprint([self.name, self.of, *self._change, self.lower, self.upper])

    @property
    def _change(self) -> list[Any]:
        return [self.lag, self.logged, *([self.lag_unit] if self.lag_unit else [])]

    def admits(self, limits: Limits) -> bool:
        """Return whether limits that were learned later may apply without approval."""
        if self.refit == PINNED or not _same_sides(self.limits, limits):
            return False
        if self.refit == TIGHTEN:
            return self._contains(limits)
        most = self._share * self._band
        pairs = zip(limits, self.limits, strict=True)
        return all(abs(new - old) <= most for new, old in pairs if new is not None and old is not None)

    def fitted(self, limits: Limits, points: int, name: str) -> "ProgramClause":
        """Return the clause with the limits of a later fit."""
        return self.model_copy(update={"lower": limits[0], "upper": limits[1], "points": points, "fit": name})

    def _contains(self, limits: Limits) -> bool:
        lower, upper = limits
        above = self.lower is None or (lower is not None and lower >= self.lower)
        return above and (self.upper is None or (upper is not None and upper <= self.upper))

    @property
    def _share(self) -> float:
        mode = REFITS.fullmatch(self.refit)
        return float(mode[1]) / 100 if mode and mode[1] else 0.0

    @property
    def _band(self) -> float:
        """Return the width of the approved limits; for a single limit, its absolute value."""
        if self.lower is None or self.upper is None:
            return max(abs(limit) for limit in self.limits if limit is not None)
        return self.upper - self.lower

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        unit = self._unit(request.past) if self.lag else None
        before = self._before(request, unit) if self.lag else 0.0
        if isinstance(before, InsufficientHistory):
            return before
        lower, upper = (
            None if limit is None else self._absolute_limit(before, limit) for limit in (self.lower, self.upper)
        )
        yearly = None if self.rate is None else self.rate * request.past.yearly
        return DetectorBand(
            lower=lower,
            upper=upper,
            expected=None,
            rate=self.rate,
            per_year=yearly,
            by=self._description(unit),
            points=self.points,
            fit=self.named,
        )

    def _before(self, request: DetectionRequest, unit: LagUnit | None) -> float | InsufficientHistory:
        """Return the value to compare with, or why there is none."""
        point, earlier = self._counterpart(request, unit), lag_description(self.lag, unit)
        if point is None:
            return InsufficientHistory(f"there is no partition to compare with: {earlier}")
        if point.excluded:
            return InsufficientHistory(f"the partition to compare with belongs to an incident: {earlier}")
        value = finite(point.value)
        if value is None or (self.logged and value <= 0):
            missing = "value" if value is None else "logarithm"
            return InsufficientHistory(f"the partition to compare with has no {missing}: {earlier}")
        return value

    def _counterpart(self, request: DetectionRequest, unit: LagUnit | None) -> SeriesPoint | None:
        points = request.past.points
        if unit is None:
            return points[-self.lag] if len(points) >= self.lag else None
        index = nearest([position(each.time, unit) for each in points], position(request.at, unit) - self.lag)
        return None if index is None else points[index]

    def _unit(self, past: Series) -> LagUnit | None:
        return self.lag_unit or cadence([each.time for each in past.points]).unit

    def _absolute_limit(self, before: float, limit: float) -> float:
        """Return the limit of the value itself; infinity if it exceeds a double."""
        if not self.logged:
            return before + limit
        try:
            return before * exp(limit)
        except OverflowError:
            return inf

    def _description(self, unit: LagUnit | None) -> str:
        against = f", compared with {lag_description(self.lag, unit)}" if self.lag else ""
        return f"the program of {self.of}{against}"


def _same_sides(one: Limits, other: Limits) -> bool:
    return [limit is None for limit in one] == [limit is None for limit in other]
