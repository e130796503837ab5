"""Represent an estimated number with its bounds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with bounds, `low` <= value <= `high`; all three are equal if the value is exact.

    The confidence of the bounds depends on the method that makes the estimate."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Estimate":
        """Return an estimate without uncertainty."""
        return cls(value, value, value)

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Return the bounds; None if the value is exact."""
        return (self.low, self.high) if self.low < self.high else None

    @property
    def rounded(self) -> tuple[float, float] | None:
        """Return the bounds of a count as whole numbers; None if the count is exact."""
        return Estimate(round(self.value), round(self.low), round(self.high)).bounds

    @property
    def error(self) -> float:
        """Return the maximum error of the value; 0 if it is exact."""
        return max(self.high - self.value, self.value - self.low)
