"""Bands from residuals: Student's t around a forecast, with a tail as heavy as that of the history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, log, sqrt
from typing import Any

# The outer tenth of the history's residuals determines the weight of the tail; the prior of the model's own tail counts
# as thirty of them. Chosen by hand: less than a tenth leaves too few points of a daily year, and with a prior of thirty
# one year outweighs the model.
OUTER, WEIGHT = 0.1, 30.0
# Maximum contribution of one residual to the tail: a value a thousand times too large must not widen the band forever.
MOST = 8.0
HALVINGS = 60


@dataclass(frozen=True)
class TailModel:
    """Maps a model's tail probabilities to observed ones.

    Peaks over a threshold with a power tail (Pickands 1975; Hill 1975), shrunk to the model's own tail. `share`:
    share of points beyond OUTER. `index`: 1 if the model's tail is right, smaller if the real tail is heavier."""

    share: float = OUTER
    index: float = 1.0

    @staticmethod
    def of(surprises: Sequence[float]) -> "TailModel":
        """Estimate the tail from the probability of each past point under its forecast."""
        outer = [min(log(OUTER / max(each, 1e-300)), MOST) for each in surprises if each < OUTER]
        share = (len(outer) + WEIGHT) / (len(surprises) + WEIGHT / OUTER)
        return TailModel(share, (len(outer) + WEIGHT) / (sum(outer) + WEIGHT))

    def real(self, model: float) -> float:
        """Return the observed frequency of an event with that model probability."""
        return model if model >= OUTER else self.share * (model / OUTER) ** self.index

    def modelled(self, real: float) -> float:
        """Return the model probability of an event with that observed frequency."""
        return real if real >= self.share else OUTER * float((real / self.share) ** (1 / self.index))


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A model's forecast of the next value: Student's t with location, spread and degrees of freedom.

    `expected`: location. `tail_probabilities`: for each past point, the probability (0 to 1) of a value at least as
    far out, before the point was known. `logged`: all of this is on the scale of the value's logarithm."""

    expected: float
    spread: float
    freedom: float
    tail_probabilities: tuple[float, ...] = ()
    logged: bool = False

    @cached_property
    def tail(self) -> TailModel:
        """Return the tail model of the history."""
        return TailModel.of(self.tail_probabilities)

    @property
    def middle(self) -> float:
        """Return the expected value on the metric's own scale."""
        return self.value(self.expected)

    def value(self, forecast: float) -> float:
        """Convert a value from the model's scale to the metric's scale."""
        return exp(min(forecast, 700.0)) if self.logged else forecast

    def edge(self, each_side: float, *, upper: bool) -> float:
        """Return the value beyond which that share of points falls on one side."""
        away = self.spread * quantile(self.tail.modelled(2 * each_side) / 2, self.freedom)
        return self.value(self.expected + (away if upper else -away))

    def beyond(self, value: float, *, upper: bool) -> float:
        """Return the share of points beyond the value on that side."""
        from scipy.special import stdtr

        if self.logged and value <= 0:
            return 1.0 if upper else 0.0
        away = ((log(value) if self.logged else value) - self.expected) / self.spread
        outer = float(stdtr(self.freedom, -abs(away)))
        real = self.tail.real(2 * outer) / 2
        return real if (away >= 0) is upper else 1 - real


@dataclass(frozen=True)
class ForecastPool:
    """Several weighted forecasts; the weights add up to 1."""

    forecasts: tuple[Forecast, ...]
    weights: tuple[float, ...]

    @property
    def middle(self) -> float:
        """Return the expected value of the forecast with the largest weight."""
        return self.forecasts[self.weights.index(max(self.weights))].middle

    def between(self, rate: float, *, one_sided: bool = False) -> tuple[float, float]:
        """Return two values such that this share of points falls outside of them.

        With `one_sided`, that share falls on each side."""
        each_side = rate if one_sided else rate / 2
        return self._edge(each_side, upper=False), self._edge(each_side, upper=True)

    def _edge(self, each_side: float, *, upper: bool) -> float:
        edges = [each.edge(each_side, upper=upper) for each in self.forecasts]

        def too_many(value: float) -> bool:
            pairs = zip(self.weights, self.forecasts, strict=True)
            return sum(weight * each.beyond(value, upper=upper) for weight, each in pairs) > each_side

        return halved(min(edges), max(edges), too_many, upper=upper)


def halved(low: float, high: float, too_many: Callable[[float], bool], *, upper: bool) -> float:
    """Return by bisection the value between `low` and `high` at which `too_many` changes."""
    for _ in range(HALVINGS if high > low else 0):
        middle = low + (high - low) / 2
        if too_many(middle) is upper:
            low = middle
        else:
            high = middle
    return low if low == high else (high if upper else low)


def quantile(upper: float, freedom: float) -> float:
    """Return the upper quantile of Student's t, in spreads from the middle."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, upper))


def surprise(distances: Any, freedom: Any) -> Any:
    """Return the two-sided probability of distances at least this large, as an array."""
    from scipy.special import stdtr

    return 2 * stdtr(freedom, -abs(distances))


def normal_rate(std_devs: float, *, one_sided: bool) -> float:
    """Return the share of a normal distribution beyond that many standard deviations.

    On one side with `one_sided`, else on both."""
    return erfc(std_devs / sqrt(2)) / (2 if one_sided else 1)
