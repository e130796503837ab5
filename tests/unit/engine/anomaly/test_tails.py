"""Tails of forecasts: a small rate holds for normal noise and for heavier tails, and one outlier does not decide it."""

import numpy
import pytest
from scipy import stats

from treaty.engine.anomaly.residual_bands import TailModel

POINTS, FREEDOM = 500, 490.0
RATES = [0.01, 0.001, 0.0001]


def tail_of(values: numpy.ndarray) -> tuple[TailModel, float]:
    spread = float(values.std())
    return TailModel.of((2 * stats.norm.sf(abs(values) / spread)).tolist()), spread


@pytest.mark.parametrize("freedom", [3, 4, 1e6])
@pytest.mark.parametrize("rate", RATES)
def test_on_average_as_many_points_lie_beyond_as_the_rate_says(freedom: float, rate: float) -> None:
    drawn = numpy.random.default_rng(17).standard_t(freedom, (60, POINTS))
    tails = [tail_of(each) for each in drawn]
    beyond = [2 * stats.t.sf(tail.distance(rate, FREEDOM) * spread, freedom) for tail, spread in tails]
    assert 0.5 <= numpy.mean(beyond) / rate <= 1.6


def test_a_distance_is_the_inverse_of_the_share_beyond() -> None:
    for values in (numpy.random.default_rng(1).standard_t(3, POINTS), numpy.zeros(3), numpy.zeros(0)):
        tail = TailModel.of((2 * stats.norm.sf(abs(values))).tolist())
        for rate in (0.3, *RATES, 1e-7):
            assert tail.beyond(tail.distance(rate, FREEDOM), FREEDOM) == pytest.approx(rate, rel=1e-6)


def test_a_single_outlier_does_not_open_the_band() -> None:
    values = numpy.random.default_rng(2).standard_normal(POINTS)
    clean, odd = (TailModel.of((2 * stats.norm.sf(abs(each))).tolist()) for each in (values, numpy.append(values, 1e6)))
    assert odd.distance(0.001, FREEDOM) < 2 * clean.distance(0.001, FREEDOM)
