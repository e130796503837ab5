"""Select and weight the models of a series.

The weights are computed once and kept until the series has grown by a fifth."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import numpy as np

from treaty.engine.anomaly.detector import InsufficientHistory
from treaty.engine.anomaly.regression import RegressionFit, fit
from treaty.engine.anomaly.residual_bands import ForecastPool
from treaty.engine.anomaly.series import DetectionRequest, Series
from treaty.engine.anomaly.series_models import ABOUT, CalendarTimes, SeriesModel, features, seasons

# Cost of a model's features, in log density. Chosen by hand on simulated series of 20 to 200 points (seeds other than
# those of the benchmark): with half of these costs, noise was taken for seasons often enough to double the alarms. A
# wave of an unnamed period has already paid for the choice among all periods. Factors have a cost because a slowly
# growing series fits them equally well, and their band is wider at a high level.
SEASON, MEMORY, CHANGE, FACTORS = 4.0, 2.0, 3.0, 0.75
# Tempering of the model weights: they are chosen on the same history, which makes the best model look better than it is
# (tempered weights; Gruenwald 2012). Chosen by hand, on the same series as the costs.
TEMPER = 0.7
# Only the four best models count, and of these none with less than one fiftieth of the best one's weight.
UNLIKELY, MANY = 0.02, 4
# Lower bound of a point's score, so that the worst outlier does not decide the selection.
WORST = -12.0
# An isolated value with a probability below this, among all of the history, is not learned from.
ODD = 0.001
# Up to this many points the models are weighted again for each; later for every fifth more.
SOON, GROWTH = 60, 1.2
UNLIKE = InsufficientHistory(
    "learning: no earlier points are comparable, for example on a holiday or early in a season"
)
Weighed = tuple[tuple[SeriesModel, float], ...]


def pool_forecasts(
    past: Series, request: DetectionRequest, season: str | None = None
) -> tuple[str, ForecastPool] | InsufficientHistory:
    """Return the best model in words and the weighted forecasts of all selected models.

    `season`: consider only this season; None means all seasons that fit the series."""
    times = tuple(each.time for each in past.learned)
    count = _selection_length(len(times))
    step = Series(past.points[:count]).step.total_seconds() or 1.0
    weighed = _weighed(past.values[:count], times[:count], step, request.holidays, season)
    values, moments = np.array(past.values), CalendarTimes((*times, request.at), step, request.holidays)
    forecasts = [(shape, weight, modelled(shape, moments, values).forecast) for shape, weight in weighed]
    available = [(shape, weight, each) for shape, weight, each in forecasts if each is not None]
    if not available:
        return UNLIKE
    whole = sum(weight for _, weight, _ in available)
    weights = tuple(weight / whole for _, weight, _ in available)
    return available[0][0].words, ForecastPool(tuple(each for _, _, each in available), weights)


def _selection_length(count: int) -> int:
    """Return the length of the series at which the models were last weighted."""
    if count <= SOON:
        return count
    length = SOON
    while (longer := int(length * GROWTH)) <= count:
        length = longer
    return length


@lru_cache(maxsize=4096)
def _weighed(
    values: tuple[float, ...], times: tuple[datetime, ...], step: float, holidays: frozenset[date], season: str | None
) -> Weighed:
    """Return the models that forecast these values best with their weights, best first."""
    array, moments = np.array(values), CalendarTimes((*times, times[-1]), step, holidays)
    scores = _scores(array, moments, ("", *seasons(moments, array)) if season is None else (season,))
    best = max(scores.values())
    weights = {shape: float(np.exp(TEMPER * (score - best))) for shape, score in scores.items()}
    best_models = sorted(weights.items(), key=lambda each: -each[1])[:MANY]
    return tuple((shape, weight) for shape, weight in best_models if weight >= UNLIKELY)


def _scores(values: Any, times: CalendarTimes, named: Sequence[str]) -> dict[SeriesModel, float]:
    """Return the score of each candidate model: log density of the history minus its cost."""
    scale = float(np.std(values)) or 1.0
    level = modelled(SeriesModel(), times, values)
    scores: dict[SeriesModel, float] = {}
    best = SeriesModel()
    for candidates in _candidate_steps(values, named):
        for shape in {**dict.fromkeys(candidates(best))}:
            if shape not in scores:
                scores[shape] = _score(shape, times, values, level, scale) - _cost(shape)
        best = max(scores, key=lambda shape: scores[shape])
    return scores


def _cost(shape: SeriesModel) -> float:
    season = SEASON * (bool(shape.season) and not shape.season.startswith(ABOUT))
    return season + MEMORY * shape.lagged + CHANGE * bool(shape.difference) + FACTORS * shape.logged


def _candidate_steps(values: Any, named: Sequence[str]) -> Iterator[Callable[[SeriesModel], Iterator[SeriesModel]]]:
    """Yield the steps of the search; each proposes models from the best one so far.

    A trend is always included: without a real trend the band is still correct and hardly wider, but a model without
    it misses a slow trend."""
    yield lambda _: (SeriesModel(season=season, trend=True) for season in named)
    if values.min() > 0:
        yield lambda best: (replace(best, logged=True, season=each) for each in (best.season, *filter(None, named)))
    yield lambda best: iter((replace(best, lagged=True), replace(best, trend=False, difference=1)))


def _score(shape: SeriesModel, times: CalendarTimes, values: Any, level: RegressionFit, scale: float) -> float:
    """Return the log density of the history under a model's forecasts.

    Points without a forecast by the model count as under a constant level."""
    model_fit = modelled(shape, times, values)
    skipped = len(values) - len(model_fit.scores)
    scores = np.concatenate([np.zeros(skipped), model_fit.scores])
    has_scores = np.concatenate([np.zeros(skipped, dtype=bool), model_fit.has_scores])
    if shape.logged:
        scores = scores - np.log(values) * has_scores
    mixed = np.where(has_scores, scores, level.scores) + np.log(scale) * (has_scores | level.has_scores)
    return float(np.sum(np.maximum(mixed, WORST)))


def modelled(shape: SeriesModel, times: CalendarTimes, values: Any) -> RegressionFit:
    """Fit a model to the values, without isolated outliers.

    Values without a logarithm are fitted as they are."""
    logged = shape.logged and values.min() > 0
    scaled, base = np.log(values) if logged else values, 0.0
    if shape.difference:
        base = float(scaled[-shape.difference])
        scaled = scaled[shape.difference :] - scaled[: -shape.difference]
        times = replace(times, at=times.at[shape.difference :])
    middle = float(np.median(scaled))
    model_fit = _sound(scaled - middle, shape, times)
    if model_fit.forecast is None:
        return model_fit
    forecast = replace(model_fit.forecast, expected=model_fit.forecast.expected + middle + base, logged=logged)
    return replace(model_fit, forecast=forecast)


def _sound(values: Any, shape: SeriesModel, times: CalendarTimes) -> RegressionFit:
    columns = features(shape, times, values, np.concatenate([[0.0], values]))
    weights = np.ones(len(values))
    weights[: int(shape.lagged)] = 0.0
    first_fit = fit(values, columns, weights)
    odd = _odd(first_fit)
    return fit(values, columns, weights * ~odd) if odd.any() else first_fit


def _odd(fit: RegressionFit) -> Any:
    """Return the mask of outliers that occur alone or in pairs.

    Three in a row mean that the behavior has changed."""
    from treaty.engine.anomaly.residual_bands import quantile

    count = len(fit.studentised)
    out = np.abs(fit.studentised) > quantile(ODD / count / 2, max(fit.freedom - 1, 1))
    run = np.convolve(out, np.ones(3), "full")
    long = np.array([run[at : at + 3].max() >= 3 for at in range(count)], dtype=bool)
    return out & ~long
