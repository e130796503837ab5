"""Detectors that use statsmodels: Holt-Winters, exponential smoothing, seasonal ARIMA.

Their parameters are estimated on a prefix of the points whose length grows by a quarter at a time, and reused in
between, because a series grows by appending. The band uses the errors of one-step forecasts, not the fit to the
points of the estimation."""

import warnings
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar

from pydantic import Field

from treaty.engine.anomaly.cadence import cadence, position
from treaty.engine.anomaly.detector import DetectorBand, FalseAlarmDetector, InsufficientHistory
from treaty.engine.anomaly.residual_bands import Forecast, ForecastPool, surprise
from treaty.engine.anomaly.series import DetectionRequest, Series

GROWTH = 1.25
UNFIT = InsufficientHistory("learning: the model could not be estimated from this history")


class SeasonalModel(FalseAlarmDetector):
    """Base class of the statsmodels detectors."""

    period: int = Field(
        default=7, ge=1, le=366, description="points in a season; 1 means no season; needs 2 x `period` + 3 points"
    )
    # If true, the first values of the season are estimated as parameters; else the forecast variance includes them.
    begins: ClassVar[bool] = True

    def estimated(self, values: Any) -> Any:
        """Return the statsmodels results for these values; NaN marks a gap."""
        raise NotImplementedError

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        values = steady(request.past, request.at)
        needed = required_points(self.period)
        if len(values) < needed:
            return InsufficientHistory(f"learning: {len(values)} of {needed} values")
        forecast = _forecast(self, values)
        if forecast is None:
            return UNFIT
        rate = self.rate(request)
        low, high = ForecastPool((forecast,), (1.0,)).between(rate, one_sided=self.one_sided)
        return DetectorBand(
            lower=low,
            upper=high,
            expected=forecast.expected,
            rate=rate,
            per_year=rate * request.past.yearly,
            by=self.words,
            points=len(request.past.values),
        )

    @property
    def words(self) -> str:
        """Return the model in words."""
        season = f", {self.period} points per season" if self.period > 1 else ""
        return f"{self.name.replace('_', ' ')}{season}"


class HoltWinters(SeasonalModel):
    """Smoothed level, trend and additive season (Holt 1957, Winters 1960).

    The band uses one-step forecasts."""

    name = "holt_winters"

    def estimated(self, values: Any) -> Any:
        from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

        season = self.period if self.period > 1 else None
        return ExponentialSmoothing(values, trend=True, seasonal=season, initialization_method="concentrated").fit(
            disp=False, maxiter=50
        )


class Ets(SeasonalModel):
    """Exponential smoothing in state space form: level, additive season and optional damped trend."""

    name = "ets"
    damped: bool = Field(default=False, description="whether to include a damped trend")

    def estimated(self, values: Any) -> Any:
        from statsmodels.tsa.statespace.exponential_smoothing import ExponentialSmoothing

        season = self.period if self.period > 1 else None
        model = ExponentialSmoothing(
            values, trend=self.damped, damped_trend=self.damped, seasonal=season, initialization_method="concentrated"
        )
        return model.fit(disp=False, maxiter=50)


class Arima(SeasonalModel):
    """Seasonal ARIMA (Box and Jenkins) of the given orders."""

    name = "arima"
    begins: ClassVar[bool] = False
    order: tuple[int, int, int] = Field(default=(1, 0, 0), description="the orders p, d and q")
    seasonal_order: tuple[int, int, int] = Field(default=(0, 1, 1), description="the orders P, D and Q of the season")

    def estimated(self, values: Any) -> Any:
        from statsmodels.tsa.statespace.sarimax import SARIMAX

        season = (*self.seasonal_order, self.period) if self.period > 1 else (0, 0, 0, 0)
        differenced = self.order[1] or (self.period > 1 and self.seasonal_order[1])
        trend = "n" if differenced else "c"
        return SARIMAX(values, order=self.order, seasonal_order=season, trend=trend).fit(disp=False, maxiter=50)


def required_points(period: int) -> int:
    """Return the number of points that a model with this season needs."""
    return max(10, 2 * period + 3)


def steady(past: Series, at: datetime) -> tuple[float, ...]:
    """Return the values at equal steps until the one before `at`.

    NaN marks gaps and points of incidents. Without a regular step the values are returned in order."""
    points = past.learned
    if not points:
        return ()
    *steps, following = _steps([*(each.time for each in points), at], past)
    length = max(following, steps[-1] + 1)
    if len(set(steps)) < len(steps) or length > 3 * len(points):
        return past.values
    row = [float("nan")] * length
    for step, value in zip(steps, past.values, strict=True):
        row[step] = value
    return tuple(row)


def _steps(times: Sequence[datetime], past: Series) -> list[int]:
    """Return the number of steps from the first time to each."""
    unit = cadence([each.time for each in past.points]).unit
    if unit is None:
        return [round((time - times[0]) / past.step) for time in times]
    first = position(times[0], unit)
    return [round(position(time, unit) - first) for time in times]


def _forecast(model: SeasonalModel, values: tuple[float, ...]) -> Forecast | None:
    """Forecast the next value; None if the model cannot be estimated.

    The parameters are estimated on a prefix; the spread is computed over all points."""
    import numpy as np

    count = required_points(model.period)
    while (longer := int(count * GROWTH)) <= len(values):
        count = longer
    fitted = _fitted(model, values[:count])
    if fitted is None:
        return None
    parameters, results = fitted
    applied = results.apply(np.array(values)) if len(values) > count else results
    # Standardized by the model's own variance, without the first points of a season, whose forecasts lack its values.
    errors, warm = applied.standardized_forecasts_error[0], model.period + 1
    residuals = errors[warm:][np.isfinite(np.array(values)[warm:])]
    freedom = len(residuals) - parameters - 1
    if freedom < 3:
        return None
    spread = float(np.sqrt(np.sum(residuals**2) / freedom)) or 1e-12
    rare = tuple(surprise(residuals / spread, freedom).tolist())
    following = applied.get_forecast(1)
    wide = spread * float(following.se_mean[0]) * float(np.sqrt(1 + parameters / count))
    return Forecast(expected=float(following.predicted_mean[0]), spread=wide, freedom=freedom, tail_probabilities=rare)


@lru_cache(maxsize=512)
def _fitted(model: SeasonalModel, values: tuple[float, ...]) -> tuple[int, Any] | None:
    """Return the number of estimated parameters and the results; None if the estimation failed."""
    import numpy as np

    with warnings.catch_warnings():
        # statsmodels warns of every start that did not converge; here the forecasts decide.
        warnings.simplefilter("ignore")
        try:
            results = model.estimated(np.array(values))
        except (ValueError, np.linalg.LinAlgError):
            return None
    return len(results.params) + (model.period if model.begins and model.period > 1 else 0), results
