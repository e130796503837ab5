"""Least squares as it would have been told day by day: every point is forecast from those before it alone.

The recursive residuals of Brown, Durbin and Evans (1975), all at once: the sums of squares up to each point are
cumulative, and one batched solution gives the coefficients that were known before it. Their squares add up to those of
the whole fit, so that a forecast's interval is exact where noise is normal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treaty.engine.anomaly.residual_bands import Forecast, surprise

# A point whose features were not seen before tells of a coefficient, not of the noise.
UNSEEN = 1e4
RIDGE = 1e-9
# Residuals before the noise is told from that many say nothing.
MIN_RESIDUALS = 3


@dataclass(frozen=True, kw_only=True)
class RegressionFit:
    """What least squares made of a series. `scores`: the log density of each point as forecast, 0 where none was.

    `studentised`: residuals over their spread, each without its own point. `forecast` None: the next point is like none
    before."""

    forecast: Forecast | None
    scores: Any
    has_scores: Any
    studentised: Any
    freedom: float


def fit(values: Any, features: Any, kept: Any) -> RegressionFit:
    """The fit of `values` (n) on `features` (n + 1 rows, the last of the point to come), of the `kept` rows alone."""
    rows, width = features.shape
    weighed = features[:-1] * kept[:, None]
    grams = np.empty((rows, width, width))
    grams[0] = np.eye(width) * RIDGE
    np.cumsum(weighed[:, :, None] * features[:-1, None, :], axis=0, out=grams[1:])
    grams[1:] += grams[0]
    sums = np.zeros((rows, width))
    np.cumsum(weighed * values[:, None], axis=0, out=sums[1:])
    solved = np.linalg.solve(grams, np.stack([sums, features], axis=2))
    expected = np.einsum("ij,ij->i", features, solved[:, :, 0])
    leverage = np.einsum("ij,ij->i", features, solved[:, :, 1])
    return _fit_result(values, expected, leverage, kept, (features, solved[-1, :, 0], grams[-1]))


def _fit_result(values: Any, expected: Any, leverage: Any, kept: Any, last: tuple[Any, Any, Any]) -> RegressionFit:
    seen = leverage < UNSEEN
    width = np.sqrt(1 + np.where(seen, leverage, 0))
    errors = np.where(seen[:-1], (values - expected[:-1]) / width[:-1], 0)
    counted = kept * seen[:-1]
    freedom = np.concatenate([[0], np.cumsum(counted)])
    squares = np.concatenate([[0], np.cumsum(counted * errors**2)])
    spread = np.sqrt(np.maximum(squares / np.maximum(freedom, 1), _floor(values)))
    told = seen[:-1] & (freedom[:-1] >= MIN_RESIDUALS)
    distances = errors / spread[:-1]
    rare = surprise(distances, np.maximum(freedom[:-1], 1))
    forecast = None
    if seen[-1] and freedom[-1] >= MIN_RESIDUALS:
        known = tuple(rare[told].tolist())
        forecast = Forecast(
            expected=float(expected[-1]),
            spread=float(spread[-1] * width[-1]),
            freedom=float(freedom[-1]),
            tail_probabilities=known,
        )
    scores = np.where(told, _density(distances, spread[:-1] * width[:-1], np.maximum(freedom[:-1], 1)), 0)
    return RegressionFit(
        forecast=forecast,
        scores=scores,
        has_scores=told,
        studentised=_studentised(values, *last),
        freedom=float(freedom[-1]),
    )


def _floor(values: Any) -> float:
    """The least variance: what rounding leaves."""
    return float(np.max(np.abs(values), initial=0.0) * 1e-9) ** 2 + 1e-300


def _density(distances: Any, scale: Any, freedom: Any) -> Any:
    """The log density of Student's t."""
    from scipy.special import gammaln

    half = (freedom + 1) / 2
    constant = gammaln(half) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi) - np.log(scale)
    return constant - half * np.log1p(distances**2 / freedom)


def _studentised(values: Any, features: Any, coefficients: Any, gram: Any) -> Any:
    """Each residual of the whole fit over its spread as told without it (externally studentised)."""
    rows = features[:-1]
    residuals = values - rows @ coefficients
    leverage = np.clip(np.einsum("ij,ji->i", rows, np.linalg.solve(gram, rows.T)), 0, 1 - 1e-9)
    left = len(values) - np.linalg.matrix_rank(rows) - 1
    if left < 1:
        return np.zeros(len(values))
    scaled = residuals**2 / (1 - leverage)
    without = np.maximum((np.sum(residuals**2) - scaled) / left, _floor(values))
    return residuals / np.sqrt(without * (1 - leverage))
