"""Clauses of programs that were learned by history: limits of a metric, or of how it differs from an earlier value."""

import re
from math import exp, inf
from typing import ClassVar

from pydantic import Field, model_validator

from treaty.contracts.fingerprint import short_fingerprint
from treaty.engine.anomaly.detector import Detector, DetectorBand, InsufficientHistory, Limits
from treaty.engine.anomaly.series import DetectionRequest

NEEDS_LIMIT = "give at least one limit"
NEEDS_WIDTH = "a clause that is refitted says its width in spreads: draft it anew, or let it be pinned"
PINNED, TIGHTEN = "pinned", "tighten_only"
REFITS = re.compile(rf"{PINNED}|{TIGHTEN}|within: ?(\d{{1,3}}(?:\.\d+)?) ?%")


class ProgramClause(Detector):
    """One clause of a program that was learned by history (Auto-Validate by-History, KDD 2023), with its limits.

    They are those of the version that was approved. What is learned anew judges only where `refit` admits it: never
    (`pinned`), within these limits (`tighten_only`), or where no limit moves by more than a share of the band
    (`within: 10%`); else it is proposed, for a new version. `lag` 0: limits of the value itself; else of how it differs
    from the value so many partitions before, or of the logarithm of their ratio (`logged`). Clauses of one program name
    it alike."""

    name = "program"
    least: ClassVar[int] = 0

    of: str = Field(min_length=1, description="the program that the clause is of: a column, or the table")
    lag: int = Field(default=0, ge=0, le=366, description="how many partitions back the compared value is; 0: none")
    logged: bool = Field(default=False, description="limits of the logarithm of the ratio, not of the difference")
    lower: float | None = Field(default=None, allow_inf_nan=False, description="the least value or difference")
    upper: float | None = Field(default=None, allow_inf_nan=False, description="the largest value or difference")
    rate: float | None = Field(default=None, ge=0, le=1, description="the share of clean partitions that may alarm")
    points: int = Field(default=0, ge=0, description="how many partitions it was learned from")
    refit: str = Field(
        default=PINNED, description="which limits learned later judge: pinned, tighten_only, or such as within: 10%"
    )
    width: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="limits in spreads of the past")
    fit: str | None = Field(default=None, max_length=64, description="the fit that the limits are of; None: the clause")

    @model_validator(mode="after")
    def _limited(self) -> "ProgramClause":
        if self.lower is None and self.upper is None:
            raise ValueError(NEEDS_LIMIT)
        if self.logged and not self.lag:
            raise ValueError("a ratio needs an earlier value: give a lag")
        if REFITS.fullmatch(self.refit) is None:
            raise ValueError(f"a refit is {PINNED}, {TIGHTEN}, or such as 'within: 10%'")
        if self.is_refitted and not self.has_width:
            raise ValueError(NEEDS_WIDTH)
        return self

    @property
    def is_refitted(self) -> bool:
        """Whether limits that are learned later may judge."""
        return self.refit != PINNED

    @property
    def is_guard(self) -> bool:
        """Whether it stands in the program whatever it catches, and counts as no false alarm."""
        return self.rate is None

    @property
    def has_width(self) -> bool:
        """Whether it can be refitted: how wide it is, is known."""
        return self.is_guard or self.width is not None

    @property
    def limits(self) -> Limits:
        """The least and the largest value or difference; None: open to that side."""
        return self.lower, self.upper

    @property
    def named(self) -> str:
        """The name of the fit whose limits these are: of those that were approved, where they are of no later one."""
        return self.fit or short_fingerprint([self.name, self.of, self.lag, self.logged, self.lower, self.upper])

    def admits(self, limits: Limits) -> bool:
        """Whether limits that were learned later may judge without anybody's approval."""
        if self.refit == PINNED or not _same_sides(self.limits, limits):
            return False
        if self.refit == TIGHTEN:
            return self._contains(limits)
        most = self._share * self._band
        pairs = zip(limits, self.limits, strict=True)
        return all(abs(new - old) <= most for new, old in pairs if new is not None and old is not None)

    def fitted(self, limits: Limits, points: int, name: str) -> "ProgramClause":
        """The clause with the limits of a later fit."""
        return self.model_copy(update={"lower": limits[0], "upper": limits[1], "points": points, "fit": name})

    def _contains(self, limits: Limits) -> bool:
        lower, upper = limits
        above = self.lower is None or (lower is not None and lower >= self.lower)
        return above and (self.upper is None or (upper is not None and upper <= self.upper))

    @property
    def _share(self) -> float:
        found = REFITS.fullmatch(self.refit)
        return float(found[1]) / 100 if found and found[1] else 0.0

    @property
    def _band(self) -> float:
        """How wide the approved limits are; of one alone, how far it is from nothing."""
        if self.lower is None or self.upper is None:
            return max(abs(limit) for limit in self.limits if limit is not None)
        return self.upper - self.lower

    def band(self, asked: DetectionRequest) -> DetectorBand | InsufficientHistory:
        values = asked.past.values
        if len(values) < self.lag:
            return InsufficientHistory(f"learning: {len(values)} of {self.lag} values")
        before = values[-self.lag] if self.lag else 0.0
        if self.logged and before <= 0:
            return InsufficientHistory(
                f"the value {self.lag} partitions before has no logarithm: nothing is compared with it"
            )
        lower, upper = (
            None if limit is None else self._absolute_limit(before, limit) for limit in (self.lower, self.upper)
        )
        yearly = None if self.rate is None else self.rate * asked.past.yearly
        return DetectorBand(
            lower=lower,
            upper=upper,
            expected=None,
            rate=self.rate,
            per_year=yearly,
            by=self._description,
            points=self.points,
            fit=self.named,
        )

    def _absolute_limit(self, before: float, limit: float) -> float:
        """The limit of the value itself; infinite where no double holds it."""
        if not self.logged:
            return before + limit
        try:
            return before * exp(limit)
        except OverflowError:
            return inf

    @property
    def _description(self) -> str:
        against = f", against {self.lag} partitions before" if self.lag else ""
        return f"the program of {self.of}{against}"


def _same_sides(one: Limits, other: Limits) -> bool:
    return [limit is None for limit in one] == [limit is None for limit in other]
