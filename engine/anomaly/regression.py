"""Least squares with one-step forecasts: every point is forecast from the points before it.

The recursive residuals of Brown, Durbin and Evans (1975), all at once: the sums of squares up to each point are
cumulative, and one batched solution gives the coefficients before each point. Their squares add up to those of the
whole fit, so a forecast's interval is exact if the noise is normal."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from treaty.engine.anomaly.residual_bands import Forecast, surprise

# A point with new features determines a coefficient; its residual says nothing about the noise.
UNSEEN = 1e4
RIDGE = 1e-9
# Fewer residuals than this do not determine the noise.
MIN_RESIDUALS = 3


@dataclass(frozen=True, kw_only=True)
class RegressionFit:
    """Result of least squares on a series.

    `forecast`: forecast of the next point; None if its features are new. `scores`: log density of each point under
    its forecast, 0 without a forecast. `has_scores`: mask of the points with a forecast. `studentised`: residuals
    divided by their spread, each computed without its own point. `freedom`: degrees of freedom."""

    forecast: Forecast | None
    scores: Any
    has_scores: Any
    studentised: Any
    freedom: float


def fit(values: Any, features: Any, weights: Any) -> RegressionFit:
    """Fit `values` (n) on `features` (n + 1 rows, the last of the next point).

    `weights`: weight of each row, 1 or 0."""
    rows, width = features.shape
    weighed = features[:-1] * weights[:, None]
    grams = np.empty((rows, width, width))
    grams[0] = np.eye(width) * RIDGE
    np.cumsum(weighed[:, :, None] * features[:-1, None, :], axis=0, out=grams[1:])
    grams[1:] += grams[0]
    sums = np.zeros((rows, width))
    np.cumsum(weighed * values[:, None], axis=0, out=sums[1:])
    solved = np.linalg.solve(grams, np.stack([sums, features], axis=2))
    expected = np.einsum("ij,ij->i", features, solved[:, :, 0])
    leverage = np.einsum("ij,ij->i", features, solved[:, :, 1])
    return _fit_result(values, expected, leverage, weights, (features, solved[-1, :, 0], grams[-1]))


def _fit_result(values: Any, expected: Any, leverage: Any, weights: Any, last: tuple[Any, Any, Any]) -> RegressionFit:
    is_determined = leverage < UNSEEN
    width = np.sqrt(1 + np.where(is_determined, leverage, 0))
    errors = np.where(is_determined[:-1], (values - expected[:-1]) / width[:-1], 0)
    counted = weights * is_determined[:-1]
    freedom = np.concatenate([[0], np.cumsum(counted)])
    squares = np.concatenate([[0], np.cumsum(counted * errors**2)])
    spread = np.sqrt(np.maximum(squares / np.maximum(freedom, 1), _floor(values)))
    has_scores = is_determined[:-1] & (freedom[:-1] >= MIN_RESIDUALS)
    distances = errors / spread[:-1]
    rare = surprise(distances, np.maximum(freedom[:-1], 1))
    forecast = None
    if is_determined[-1] and freedom[-1] >= MIN_RESIDUALS:
        tail_probabilities = tuple(rare[has_scores].tolist())
        forecast = Forecast(
            expected=float(expected[-1]),
            spread=float(spread[-1] * width[-1]),
            freedom=float(freedom[-1]),
            tail_probabilities=tail_probabilities,
        )
    scores = np.where(has_scores, _density(distances, spread[:-1] * width[:-1], np.maximum(freedom[:-1], 1)), 0)
    return RegressionFit(
        forecast=forecast,
        scores=scores,
        has_scores=has_scores,
        studentised=_studentised(values, *last),
        freedom=float(freedom[-1]),
    )


def _floor(values: Any) -> float:
    """Return the smallest possible variance: that of rounding."""
    return float(np.max(np.abs(values), initial=0.0) * 1e-9) ** 2 + 1e-300


def _density(distances: Any, scale: Any, freedom: Any) -> Any:
    """Return the log density of Student's t."""
    from scipy.special import gammaln

    half = (freedom + 1) / 2
    constant = gammaln(half) - gammaln(freedom / 2) - 0.5 * np.log(freedom * np.pi) - np.log(scale)
    return constant - half * np.log1p(distances**2 / freedom)


def _studentised(values: Any, features: Any, coefficients: Any, gram: Any) -> Any:
    """Return the externally studentized residuals: each divided by the spread without its own point."""
    rows = features[:-1]
    residuals = values - rows @ coefficients
    leverage = np.clip(np.einsum("ij,ji->i", rows, np.linalg.solve(gram, rows.T)), 0, 1 - 1e-9)
    left = len(values) - np.linalg.matrix_rank(rows) - 1
    if left < 1:
        return np.zeros(len(values))
    scaled = residuals**2 / (1 - leverage)
    without = np.maximum((np.sum(residuals**2) - scaled) / left, _floor(values))
    return residuals / np.sqrt(without * (1 - leverage))
