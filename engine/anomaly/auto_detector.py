"""The detector that chooses for itself: of the models that a series may follow, the one that would have forecast best.

Models are weighed by the log density that they gave each point of the past before it came (Dawid's prequential
principle, 1984): one that has too many coefficients, or the wrong scale, pays for that in forecasts."""

from typing import ClassVar, Literal

from pydantic import Field

from treaty.engine.anomaly.detector import DetectorBand, FalseAlarmDetector, InsufficientHistory
from treaty.engine.anomaly.series import DetectionRequest, Series

Season = Literal["weekday", "weekend", "month", "year", "hour", "hour of week"]
# By hand: with fewer than seven points, Student's t admits a hundredfold; five hundred days ago was another time.
LEAST, MOST, KEPT = 7, 500, 400


class AutoDetector(FalseAlarmDetector):
    """The band of the model that forecast this series best: level, trend, season, scale and memory are chosen by what
    each model would have said of every past point before it came. Says how many false alarms a year are to be expected.
    """

    name = "auto"
    least: ClassVar[int] = LEAST
    season: Season | None = Field(default=None, description="what the metric goes by, where somebody knows; else found")

    def band(self, asked: DetectionRequest) -> DetectorBand | InsufficientHistory:
        rate = self.rate(asked)
        past = _recent(asked.past)
        if len(set(past.values)) == 1:
            return constant(past, rate, asked)
        from treaty.engine.anomaly.model_selection import pool_forecasts

        told = pool_forecasts(past, asked, self.season)
        if isinstance(told, InsufficientHistory):
            return told
        words, pool = told
        low, high = pool.between(rate, one_sided=self.one_sided)
        return DetectorBand(
            lower=low,
            upper=high,
            expected=pool.middle,
            rate=rate,
            per_year=rate * asked.past.yearly,
            by=words,
            points=len(past.values),
        )


def constant(past: Series, rate: float, asked: DetectionRequest) -> DetectorBand:
    """The band of a series that never changed: a hundredth to each side, until it is so long that any change is rarer
    than the rate."""
    value, count = past.values[0], len(past.values)
    room = 0.0 if (count + 1) * rate >= 1 else 0.01 * abs(value)
    told = f"always {value:g}" if room == 0 else f"always {value:g}, give or take a hundredth"
    return DetectorBand(
        lower=value - room,
        upper=value + room,
        expected=value,
        rate=rate,
        per_year=rate * asked.past.yearly,
        by=told,
        points=count,
    )


def _recent(past: Series) -> Series:
    """The newest points, four to five hundred of them: what they begin with changes once in a hundred."""
    learned = past.learned
    return Series(learned[(len(learned) - KEPT) // 100 * 100 :] if len(learned) > MOST else learned)
