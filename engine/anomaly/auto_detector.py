"""Define the detector that selects the forecasting model itself.

Candidate models are weighted by the log density of their one-step forecasts of the history (Dawid's prequential
principle, 1984): a model with too many coefficients or the wrong scale forecasts worse."""

from typing import ClassVar, Literal

from pydantic import Field

from treaty.engine.anomaly.detector import DetectorBand, FalseAlarmDetector, InsufficientHistory
from treaty.engine.anomaly.series import DetectionRequest, Series

Season = Literal["weekday", "weekend", "month", "year", "hour", "hour of week"]
# Chosen by hand: with fewer than seven points, the band of Student's t is about a hundred times too wide; after five
# hundred days the behaviour has changed.
LEAST, MOST, TRIMMED = 7, 500, 400


class AutoDetector(FalseAlarmDetector):
    """Band of the models that have forecast this series best.

    Level, trend, season, scale and memory are selected by the forecasts that each model would have made of every
    past point from the points before it. The band states the expected number of false alarms a year."""

    name = "auto"
    least: ClassVar[int] = LEAST
    season: Season | None = Field(
        default=None, description="the season of the metric, if known; otherwise it is detected"
    )

    def band(self, request: DetectionRequest) -> DetectorBand | InsufficientHistory:
        rate = self.rate(request)
        past = _recent(request.past)
        if len(set(past.values)) == 1:
            return constant(past, rate, request)
        from treaty.engine.anomaly.model_selection import pool_forecasts

        outcome = pool_forecasts(past, request, self.season)
        if isinstance(outcome, InsufficientHistory):
            return outcome
        words, pool = outcome
        low, high = pool.between(rate, one_sided=self.one_sided)
        return DetectorBand(
            lower=low,
            upper=high,
            expected=pool.middle,
            rate=rate,
            per_year=rate * request.past.yearly,
            by=words,
            points=len(past.values),
        )


def constant(past: Series, rate: float, request: DetectionRequest) -> DetectorBand:
    """Return the band of a series that never changed: a hundredth of the value to each side.

    The band has no width once the series is so long that any change is rarer than the rate."""
    value, count = past.values[0], len(past.values)
    margin = 0.0 if (count + 1) * rate >= 1 else 0.01 * abs(value)
    words = f"always {value:g}" if margin == 0 else f"always {value:g}, plus or minus 1 %"
    return DetectorBand(
        lower=value - margin,
        upper=value + margin,
        expected=value,
        rate=rate,
        per_year=rate * request.past.yearly,
        by=words,
        points=count,
    )


def _recent(past: Series) -> Series:
    """Return the newest 400 to 500 points. The first one changes only once in a hundred points."""
    learned = past.learned
    return Series(learned[(len(learned) - TRIMMED) // 100 * 100 :] if len(learned) > MOST else learned)
