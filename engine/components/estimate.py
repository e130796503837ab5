"""A number that is not known exactly, with the bounds between which it lies."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A value with bounds: `low` <= value <= `high`; all three equal where it is exact.

    How sure the bounds are says whoever makes the estimate."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Estimate":
        """A value that is known."""
        return cls(value, value, value)

    @property
    def error(self) -> float:
        """By how much the value may be wrong; 0 where it is exact."""
        return max(self.high - self.value, self.value - self.low)
