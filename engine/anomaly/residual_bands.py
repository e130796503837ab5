"""Bands from residuals: Student's t around a forecast, with a tail as heavy as that of the history."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, log, sqrt
from typing import Any

# Degrees of freedom of the heavier tails that the history may show. The model's own tail counts at least a fifth, and
# thirty residuals as much as the history; with other numbers normal noise or Student's t alarmed too often at rates of
# one in a million (tuned by hand on simulated residuals).
HEAVY, LEAST_OWN, PRIOR = (2.5, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 30.0), 0.2, 30.0
# Smaller residuals show no tail: only their number counts.
INNER = 1.0
# Degrees of freedom of a tail that is as good as normal.
NORMAL = 1e6
# Maximum distance of one residual: a value a thousand times too large must not widen the band forever.
MOST = 5.0
# Steps of expectation and maximization for the scale of a tail.
STEPS = 12
HALVINGS = 60


@dataclass(frozen=True)
class TailModel:
    """The tail of a forecast's errors: the model's own, averaged with heavier ones by their posterior weights.

    A power of the model's own probabilities, as of normal ones, cannot follow a tail of Student's t to small rates.
    `weights`: of the model's own tail and of each of HEAVY. `scales`: spread of each of HEAVY."""

    weights: tuple[float, ...] = (1.0,)
    scales: tuple[float, ...] = ()

    @staticmethod
    def of(surprises: Sequence[float]) -> "TailModel":
        """Estimate the tail from the probability of each past point under its forecast."""
        if not surprises:
            return TailModel()
        import numpy as np
        from scipy.special import ndtri

        distances = np.minimum(-ndtri(np.maximum(np.array(surprises), 1e-300) / 2), MOST)
        scales = _scales(distances**2)
        own = max(LEAST_OWN, PRIOR / (PRIOR + len(distances)))
        heavy = np.log((1 - own) / len(HEAVY)) - 0.5 * np.log(len(distances)) + _likelihood(distances, HEAVY, scales)
        logs = np.array([np.log(own) + _likelihood(distances, [NORMAL], [1.0])[0], *heavy])
        weights = np.exp(logs - logs.max())
        return TailModel(tuple((weights / weights.sum()).tolist()), tuple(scales.tolist()))

    def beyond(self, distance: float, freedom: float) -> float:
        """Return the share of points at least that many spreads away, on either side."""
        from scipy.special import stdtr

        own = 2 * float(stdtr(freedom, -distance)) * self.weights[0]
        if not self.scales:
            return own
        return own + 2 * float(stdtr(HEAVY, [-distance / each for each in self.scales]) @ self.weights[1:])

    def distance(self, share: float, freedom: float) -> float:
        """Return the number of spreads that this share of points is away, on either side."""
        if not self.scales:
            return quantile(share / 2, freedom)
        longest = 1.0
        while self.beyond(longest, freedom) > share:
            longest *= 2
        return halved(0.0, longest, lambda away: self.beyond(away, freedom) > share, upper=True)


def _scales(squares: Any) -> Any:
    """Return the scale of each heavy tail that fits these squared distances."""
    import numpy as np

    freedom = np.array(HEAVY)
    usual = 1 - 2 / freedom  # the tail has the variance of the model
    variance = usual
    for _ in range(STEPS):
        weights = (freedom[:, None] + 1) / (freedom[:, None] + squares / variance[:, None])
        variance = ((weights * squares).sum(axis=1) + PRIOR * usual) / (len(squares) + PRIOR)
    return np.sqrt(variance)


def _likelihood(distances: Any, freedoms: Sequence[float], scales: Sequence[float]) -> Any:
    """Return the log likelihood of the distances under each Student's t; inner distances are only counted."""
    import numpy as np
    from scipy.special import gammaln, stdtr

    freedom, scale = np.array(freedoms), np.array(scales)
    outer = distances[distances >= INNER] ** 2
    half = (freedom + 1) / 2
    density = gammaln(half) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi) - np.log(scale) + np.log(2)
    falls = (half[:, None] * np.log1p(outer / (freedom * scale**2)[:, None])).sum(axis=1)
    inner = (len(distances) - len(outer)) * np.log1p(-2 * stdtr(freedom, -INNER / scale))
    return inner + len(outer) * density - falls


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
        away = self.spread * self.tail.distance(2 * each_side, self.freedom)
        return self.value(self.expected + (away if upper else -away))

    def beyond(self, value: float, *, upper: bool) -> float:
        """Return the share of points beyond the value on that side."""
        if self.logged and value <= 0:
            return 1.0 if upper else 0.0
        away = ((log(value) if self.logged else value) - self.expected) / self.spread
        real = self.tail.beyond(abs(away), self.freedom) / 2
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
