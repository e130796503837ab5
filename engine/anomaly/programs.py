"""Clauses of programs that were learned by history: limits of a metric, or of how it differs from an earlier value."""

from math import exp, inf
from typing import ClassVar

from pydantic import Field, model_validator

from engine.anomaly.base import Band, Detector, Learning
from engine.anomaly.series import Question

NEEDS_LIMIT = "give at least one limit"


class ProgramClause(Detector):
    """One clause of a program that was learned by history (Auto-Validate by-History, KDD 2023), with its limits.

    They are those of the version that was approved: what is learned anew is a new version. `lag` 0: limits of the
    value itself; else of how it differs from the value so many partitions before, or of the logarithm of their ratio
    (`logged`). Clauses of one program name it alike."""

    name = "program"
    least: ClassVar[int] = 0

    of: str = Field(min_length=1, description="the program that the clause is of: a column, or the table")
    lag: int = Field(default=0, ge=0, le=366, description="how many partitions back the compared value is; 0: none")
    logged: bool = Field(default=False, description="limits of the logarithm of the ratio, not of the difference")
    lower: float | None = Field(default=None, allow_inf_nan=False, description="the least value or difference")
    upper: float | None = Field(default=None, allow_inf_nan=False, description="the largest value or difference")
    rate: float | None = Field(default=None, ge=0, le=1, description="the share of clean partitions that may alarm")
    points: int = Field(default=0, ge=0, description="how many partitions it was learned from")

    @model_validator(mode="after")
    def _limited(self) -> "ProgramClause":
        if self.lower is None and self.upper is None:
            raise ValueError(NEEDS_LIMIT)
        if self.logged and not self.lag:
            raise ValueError("a ratio needs an earlier value: give a lag")
        return self

    def band(self, asked: Question) -> Band | Learning:
        values = asked.past.values
        if len(values) < self.lag:
            return Learning(f"learning: {len(values)} of {self.lag} values")
        before = values[-self.lag] if self.lag else 0.0
        if self.logged and before <= 0:
            return Learning(f"the value {self.lag} partitions before has no logarithm: nothing is compared with it")
        lower, upper = (None if limit is None else self._beside(before, limit) for limit in (self.lower, self.upper))
        yearly = None if self.rate is None else self.rate * asked.past.yearly
        return Band(lower, upper, None, self.rate, yearly, self._told, self.points)

    def _beside(self, before: float, limit: float) -> float:
        """The limit of the value itself; infinite where no double holds it."""
        if not self.logged:
            return before + limit
        try:
            return before * exp(limit)
        except OverflowError:
            return inf

    @property
    def _told(self) -> str:
        against = f", against {self.lag} partitions before" if self.lag else ""
        return f"the program of {self.of}{against}"
