"""Baselines for Auto-Validate by-History: limits, outlier detectors, two-sample tests, static thresholds.

Each is `fit(history, kind) -> model`. Detectors represent each snapshot as a point of six statistics."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy

from bench.programs.avh_protocol import Fit
from bench.programs.avh_tables import Snapshot
from treaty.engine.statistics.statistics import compute_statistics
from treaty.engine.statistics.summaries import Summary, summary

SIX = {
    "numeric": ("row_count", "complete_ratio", "mean", "standard_deviation", "median", "unique_ratio"),
    "categorical": ("row_count", "complete_ratio", "mean_length", "unique_ratio", "mean_digits", "mean_upper"),
}


@dataclass(frozen=True)
class Judge:
    """A model with a single function."""

    flag: Callable[[Snapshot], bool]


def summary_of(snapshot: Snapshot) -> Summary:
    """Return the summary of the snapshot, computed once."""
    return snapshot.once("summary", lambda each: summary(each.column))  # type: ignore[no-any-return]


def point(snapshot: Snapshot, kind: str) -> Any:
    """Return the six statistics of a snapshot; 0 for missing or infinite ones."""
    values = snapshot.once("alone", lambda each: compute_statistics(summary_of(each)))
    statistics = numpy.array([values.get(name) or 0.0 for name in SIX[kind]])
    return numpy.where(numpy.isfinite(statistics), statistics, 0.0)


def sigma(width: float, history: list[Snapshot], kind: str) -> Judge:
    """Require each of six statistics within `width` standard deviations."""
    points = numpy.array([point(each, kind) for each in history])
    middle, spread = points.mean(axis=0), points.std(axis=0)
    slack = 1e-9 * (1 + numpy.abs(middle))
    return Judge(lambda each: bool((numpy.abs(point(each, kind) - middle) > width * spread + slack).any()))


def deviations(history: list[Snapshot], kind: str) -> Judge:
    """Require each of six statistics within 3.5 median absolute deviations (Hampel X84)."""
    points = numpy.array([point(each, kind) for each in history])
    middle = numpy.median(points, axis=0)
    spread = 1.4826 * numpy.median(numpy.abs(points - middle), axis=0)
    slack = 1e-9 * (1 + numpy.abs(middle))
    return Judge(lambda each: bool((numpy.abs(point(each, kind) - middle) > 3.5 * spread + slack).any()))


def extremes(history: list[Snapshot], kind: str) -> Judge:
    """Require numbers within the past range and texts among past values."""
    if kind == "categorical":
        past = numpy.unique(numpy.concatenate([summary_of(each).values.keys for each in history]))  # type: ignore[union-attr]
        return Judge(lambda each: not numpy.isin(summary_of(each).values.keys, past).all())  # type: ignore[union-attr]
    curves = [curve for each in history if (curve := summary_of(each).curve)]  # type: ignore[union-attr]
    low, high = min((c.smallest for c in curves), default=0.0), max((c.largest for c in curves), default=0.0)

    def flag(each: Snapshot) -> bool:
        curve = summary_of(each).curve  # type: ignore[union-attr]
        return curve is None or curve.smallest < low or curve.largest > high

    return Judge(flag)


def learned(make: Callable[[int], Any], history: list[Snapshot], kind: str) -> Judge:
    """Train a scikit-learn detector on six statistics, each scaled by its deviation."""
    points = numpy.array([point(each, kind) for each in history])
    middle, spread = points.mean(axis=0), points.std(axis=0)
    scale = numpy.where(spread > 0, spread, 1e-9 * (1 + numpy.abs(middle)))
    model = make(len(points)).fit((points - middle) / scale)
    return Judge(lambda each: bool(model.predict(((point(each, kind) - middle) / scale)[None, :])[0] < 0))


def nearest(history: list[Snapshot], kind: str) -> Judge:
    """Compare the mean distance to the five nearest points with the history's maximum.

    See Redyuk et al. 2021."""
    points = numpy.array([point(each, kind) for each in history])
    low, extent = points.min(axis=0), numpy.ptp(points, axis=0)
    scale = numpy.where(extent > 0, extent, 1e-9 * (1 + numpy.abs(low)))
    scaled = (points - low) / scale
    own = numpy.sort(numpy.linalg.norm(scaled[:, None] - scaled[None], axis=2), axis=1)[:, 1:6].mean(axis=1)

    def flag(each: Snapshot) -> bool:
        distances = numpy.linalg.norm(scaled - (point(each, kind) - low) / scale, axis=1)
        return bool(numpy.sort(distances)[:5].mean() > own.max())

    return Judge(flag)


def two_samples(level: float, history: list[Snapshot], kind: str) -> Judge:
    """Test against the last snapshot: Kolmogorov-Smirnov for numbers, chi-squared for texts."""
    from scipy.stats import chi2

    before = summary_of(history[-1])
    name = "kolmogorov_smirnov" if kind == "numeric" else "chi_squared_of_values"

    def flag(each: Snapshot) -> bool:
        now = summary_of(each)
        value = compute_statistics(now, before).get(name)
        if value is None:
            return True
        if kind == "numeric":
            effective = now.present * before.present / (now.present + before.present)
            return bool(2 * numpy.exp(-2 * effective * value**2) < level)
        freedom = max(1.0, max(now.distinct or 1.0, before.distinct or 1.0) - 1)
        return bool(chi2.sf(value * (now.present + before.present), freedom) < level)

    return Judge(flag)


def static(history: list[Snapshot], kind: str) -> Judge:
    """Require a small distance to the last snapshot, as recommended for TFDV's comparators.

    At most 0.01, for numbers 0.1."""
    before = summary_of(history[-1])
    name, most = ("jensen_shannon", 0.1) if kind == "numeric" else ("l_infinity_of_values", 0.01)
    return Judge(lambda each: (value := compute_statistics(summary_of(each), before).get(name)) is None or value > most)


def suggested(history: list[Snapshot], kind: str) -> Judge:
    """Apply Deequ's suggestions: completeness, a small value set, non-negative numbers."""
    last = [summary_of(each) for each in history]
    complete = min(each.present / max(1, each.rows) for each in last)
    limits = extremes(history, kind) if kind == "categorical" and (last[-1].distinct or 0) < 50 else None
    negative = any(each.curve and each.curve.smallest < 0 for each in last if not each.is_text)  # type: ignore[union-attr]

    def flag(each: Snapshot) -> bool:
        now = summary_of(each)
        fewer = now.present / max(1, now.rows) < complete - (0.0 if complete == 1 else 0.05)
        below = not now.is_text and not negative and bool(now.curve and now.curve.smallest < 0)  # type: ignore[union-attr]
        return fewer or below or bool(limits and limits.flag(each))

    return Judge(flag)


def _forest(_: int) -> Any:
    from sklearn.ensemble import IsolationForest

    return IsolationForest(n_estimators=50, random_state=0)


def _factor(points: int) -> Any:
    from sklearn.neighbors import LocalOutlierFactor

    return LocalOutlierFactor(n_neighbors=min(10, points - 1), novelty=True)


def _support(_: int) -> Any:
    from sklearn.svm import OneClassSVM

    return OneClassSVM(nu=0.05, gamma="scale")


BASELINES: Mapping[str, Fit] = {
    "limits seen": extremes,
    "3 sigma": partial(sigma, 3.0),
    "6 sigma": partial(sigma, 6.0),
    "median absolute deviation": deviations,
    "isolation forest": partial(learned, _forest),
    "local outlier factor": partial(learned, _factor),
    "one-class SVM": partial(learned, _support),
    "average nearest neighbours": nearest,
    "KS, chi-squared": partial(two_samples, 0.001),
    "static distances": static,
    "suggested once": suggested,
}
