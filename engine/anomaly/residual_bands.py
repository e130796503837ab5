"""Bands from residuals: Student's t for what a model leaves open, and a tail that is as heavy as the past's was."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import erfc, exp, log, sqrt
from typing import Any

# Of the past's residuals, the outer tenth tells how heavy the tail is; the model's own tail counts as thirty of them.
# By hand: fewer than a tenth leave too few of a year of days, and with thirty one year outweighs the model.
OUTER, WEIGHT = 0.1, 30.0
# What one residual may add to the tail: a thousandfold value must not open the band for ever.
MOST = 8.0
HALVINGS = 60


@dataclass(frozen=True)
class TailModel:
    """What happens in truth at the model's own probabilities: peaks over a threshold with a power tail (Pickands 1975;
    Hill 1975), shrunk to the model's own. `share`: of points beyond OUTER; `index`: 1 where the model is right, less
    where the tail is heavier."""

    share: float = OUTER
    index: float = 1.0

    @staticmethod
    def of(surprises: Sequence[float]) -> "TailModel":
        """The tail that these were drawn from: of each point of the past, how likely a value as far out was."""
        outer = [min(log(OUTER / max(each, 1e-300)), MOST) for each in surprises if each < OUTER]
        share = (len(outer) + WEIGHT) / (len(surprises) + WEIGHT / OUTER)
        return TailModel(share, (len(outer) + WEIGHT) / (sum(outer) + WEIGHT))

    def real(self, model: float) -> float:
        """How often what the model gives that probability happens."""
        return model if model >= OUTER else self.share * (model / OUTER) ** self.index

    def modelled(self, real: float) -> float:
        """The model's probability of what happens that often."""
        return real if real >= self.share else OUTER * float((real / self.share) ** (1 / self.index))


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """The next value as a model sees it: `expected`, with Student's t around it of that `spread` and `freedom`.

    `tail_probabilities`: of the past's points, how likely a value as far out was just before it came, 0 to 1. `logged`:
    all of it is said of the value's logarithm."""

    expected: float
    spread: float
    freedom: float
    tail_probabilities: tuple[float, ...] = ()
    logged: bool = False

    @cached_property
    def tail(self) -> TailModel:
        """How heavy the tail of the past was."""
        return TailModel.of(self.tail_probabilities)

    @property
    def middle(self) -> float:
        """The expected value itself."""
        return self.value(self.expected)

    def value(self, said: float) -> float:
        """The value that is said on the model's scale."""
        return exp(min(said, 700.0)) if self.logged else said

    def edge(self, each_side: float, *, upper: bool) -> float:
        """The value beyond which that share of points falls on one side."""
        away = self.spread * quantile(self.tail.modelled(2 * each_side) / 2, self.freedom)
        return self.value(self.expected + (away if upper else -away))

    def beyond(self, value: float, *, upper: bool) -> float:
        """The share of points beyond the value on that side."""
        from scipy.special import stdtr

        if self.logged and value <= 0:
            return 1.0 if upper else 0.0
        away = ((log(value) if self.logged else value) - self.expected) / self.spread
        outer = float(stdtr(self.freedom, -abs(away)))
        real = self.tail.real(2 * outer) / 2
        return real if (away >= 0) is upper else 1 - real


@dataclass(frozen=True)
class ForecastPool:
    """Several forecasts, each as far as it is to be believed: weights add up to 1."""

    forecasts: tuple[Forecast, ...]
    weights: tuple[float, ...]

    @property
    def middle(self) -> float:
        """The value that the most believed one expects."""
        return self.forecasts[self.weights.index(max(self.weights))].middle

    def between(self, rate: float, *, one_sided: bool = False) -> tuple[float, float]:
        """The two values outside of which that share of points falls; on each side that share where `one_sided`."""
        each_side = rate if one_sided else rate / 2
        return self._edge(each_side, upper=False), self._edge(each_side, upper=True)

    def _edge(self, each_side: float, *, upper: bool) -> float:
        edges = [each.edge(each_side, upper=upper) for each in self.forecasts]

        def too_many(value: float) -> bool:
            pairs = zip(self.weights, self.forecasts, strict=True)
            return sum(weight * each.beyond(value, upper=upper) for weight, each in pairs) > each_side

        return halved(min(edges), max(edges), too_many, upper=upper)


def halved(low: float, high: float, too_many: Callable[[float], bool], *, upper: bool) -> float:
    """Where, between the two, what is beyond stops being too many."""
    for _ in range(HALVINGS if high > low else 0):
        middle = low + (high - low) / 2
        if too_many(middle) is upper:
            low = middle
        else:
            high = middle
    return low if low == high else (high if upper else low)


def quantile(upper: float, freedom: float) -> float:
    """How many spreads from the middle of Student's t the value lies above which that share is."""
    from scipy.special import stdtrit

    return float(-stdtrit(freedom, upper))


def surprise(distances: Any, freedom: Any) -> Any:
    """How likely it was to be as many spreads away, on either side: arrays in, an array out."""
    from scipy.special import stdtr

    return 2 * stdtr(freedom, -abs(distances))


def normal_rate(std_devs: float, *, one_sided: bool) -> float:
    """The share of a normal distribution that lies more than so many standard deviations away."""
    return erfc(std_devs / sqrt(2)) / (2 if one_sided else 1)
