"""Suggest bands for metrics that stayed within a range in all partitions. A band is one row of `BANDS`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.operands import NUMERIC, TEXT
from treaty.engine.core.number_format import figure
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import (
    COLUMN_SUGGESTIONS,
    SuggestionCandidate,
    SuggestionKind,
    add,
    metric,
    plainly,
)
from treaty.engine.suggestions.tolerances import MARGINS, SAFETY, Limits, limits

# Set by hand: rows that may be corrected, added or removed in a partition without an alarm: two, or one in fifty.
EDITED_ROWS, EDITED_SHARE = 2, 0.02
# Three standard errors of a sketch of distinct values (lgK 12).
SKETCH_ERROR = 0.05
# Set by hand: a new record may exceed the extremes by a quarter of their distance.
RECORD = 0.25

Floor = Callable[[ColumnProfile, HistorySlice], float]


@dataclass(frozen=True, kw_only=True)
class BandMetric:
    """A metric that may have a band.

    `words`: its description. `fits`: column types. `floor`: least change by a legitimate edit. `argument`: quantile, if
    any. `counts`: independent of the size of values, so that running numbers may have the band."""

    metric: str
    words: str
    dimension: str
    fits: frozenset[str]
    floor: Floor
    argument: str = ""
    counts: bool = False

    @property
    def kind(self) -> str:
        """Return the kind of suggestion."""
        return f"{self.metric}_band"

    def implementation(self, column: str) -> Mapping[str, Any]:
        """Return the analyzer with its arguments."""
        quantile = {"quantile": float(self.argument)} if self.argument else {}
        return {"analyzer": "approx_quantile" if quantile else self.metric, "column": column, **quantile}

    def propose(self, column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
        """Suggest the metric's past range, widened by `margin` times its width."""
        values = part.series(column, self.metric)
        if column.column.base_type not in self.fits or not any(part.rows) or len(values) < sum(map(bool, part.rows)):
            return None
        usable = any(values) if self.counts else _is_usable(column, part)
        bounds = limits(values, margin, self.floor(column, part)) if usable else None
        natural_bounds = _within_nature(bounds, min(values, default=0)) if bounds else (None, None)
        assertion = limits_assertion(natural_bounds)
        return self._candidate(column, assertion, natural_bounds) if assertion else None

    def _candidate(self, column: ColumnProfile, assertion: Assertion, limits: Limits) -> SuggestionCandidate:
        name = column.column.name
        words = f"{self.words.format(name=name)} {limits_text(limits)}"
        implementation = {**self.implementation(name), assertion.operator: document_limit(assertion.limit)}
        slug = f"{name}-{self.metric.replace('_', '-')}"
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{self.metric} of {name} {limits_text(limits)}",
            patch={"quality": check(slug, words, self.dimension, implementation)},
            measure=metric(column, self.metric),
            assertion=assertion,
            severity="warning",
            limits=limits,
            drops=True,
        )


def limits_assertion(limits: Limits) -> Assertion | None:
    """Return the assertion to stay within the bounds; None without bounds."""
    low, high = limits
    if low is not None and high is not None:
        return Assertion("mustBeBetween", (plainly(low), plainly(high)))
    if low is not None:
        return Assertion("mustBeGreaterOrEqualTo", plainly(low))
    return None if high is None else Assertion("mustBeLessOrEqualTo", plainly(high))


def document_limit(limit: Any) -> Any:
    """Return the threshold as a document represents it."""
    return list(limit) if isinstance(limit, tuple) else limit


def limits_text(limits: Limits) -> str:
    """Return the bounds in words."""
    low, high = limits
    if low is not None and high is not None:
        return f"is between {figure(low)} and {figure(high)}"
    return f"is at least {figure(low)}" if low is not None else f"is at most {figure(high)}"


def _within_nature(limits: Limits, least: float) -> Limits:
    """Replace a negative lower bound with zero if the metric was never negative."""
    low, high = limits
    return (0.0 if low is not None and low < 0 <= least else low), high


def _is_usable(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return True if the column's numbers are finite, vary, and are not running numbers."""
    ends = [*part.series(column, "minimum"), *part.series(column, "maximum")]
    if column.column.base_type not in NUMERIC:
        return True
    return all(isfinite(value) for value in ends) and len(set(ends)) > 1 and not is_running(column, part)


def is_running(column: ColumnProfile, part: HistorySlice) -> bool:
    """Return True for running numbers: nearly all are distinct, and the maximum never falls."""
    largest, distinct = part.series(column, "maximum"), part.series(column, "approx_count_distinct")
    rows = [each for each in part.rows if each]
    if column.column.base_type in ("double", "float") or len(distinct) != len(rows) or len(set(largest)) < 2:
        return False
    own = all(float(count) >= 0.9 * each for count, each in zip(distinct, rows, strict=True))
    return own and sorted(largest) == largest


def edited(part: HistorySlice) -> float:
    """Return the share of a partition's rows that may be edited without an alarm."""
    rows = min(filter(None, part.rows), default=1)
    return min(0.5, max(EDITED_ROWS / rows, EDITED_SHARE))


def _reach(column: ColumnProfile, part: HistorySlice) -> float:
    lowest, highest = part.series(column, "minimum"), part.series(column, "maximum")
    return float(max(highest)) - float(min(lowest)) if lowest else 0.0


def _of_mean(column: ColumnProfile, part: HistorySlice) -> float:
    return edited(part) * _reach(column, part)


def _of_deviation(column: ColumnProfile, part: HistorySlice) -> float:
    largest = max(map(float, part.series(column, "standard_deviation")), default=0.0)
    return sqrt(largest**2 + edited(part) * _reach(column, part) ** 2) - largest


def _of_extreme(column: ColumnProfile, part: HistorySlice) -> float:
    return RECORD * _reach(column, part)


def _of_median(column: ColumnProfile, part: HistorySlice) -> float:
    quarters = [max(map(float, part.series(column, name)), default=0.0) for name in ("q99", "q01")]
    return edited(part) * (quarters[0] - quarters[1])


def _of_distinct(column: ColumnProfile, part: HistorySlice) -> float:
    most = max(map(float, part.series(column, "approx_count_distinct")), default=0.0)
    return max(EDITED_ROWS, EDITED_SHARE * max(part.rows, default=0), SKETCH_ERROR * most)


def _of_longest(column: ColumnProfile, part: HistorySlice) -> float:
    return max(1.0, RECORD * max(part.series(column, "maximum_length"), default=0))


def _of_mean_length(column: ColumnProfile, part: HistorySlice) -> float:
    longest, shortest = part.series(column, "maximum_length"), part.series(column, "minimum_length")
    return edited(part) * (max(longest, default=0) - min(shortest, default=0))


BANDS: Sequence[BandMetric] = (
    BandMetric(metric="minimum", words="the smallest {name}", dimension="conformity", fits=NUMERIC, floor=_of_extreme),
    BandMetric(metric="maximum", words="the largest {name}", dimension="conformity", fits=NUMERIC, floor=_of_extreme),
    BandMetric(metric="mean", words="the mean of {name}", dimension="conformity", fits=NUMERIC, floor=_of_mean),
    BandMetric(
        metric="median",
        words="the median of {name}",
        dimension="conformity",
        fits=NUMERIC,
        floor=_of_median,
        argument="0.5",
    ),
    BandMetric(
        metric="q25",
        words="the lower quartile of {name}",
        dimension="conformity",
        fits=NUMERIC,
        floor=_of_median,
        argument="0.25",
    ),
    BandMetric(
        metric="q75",
        words="the upper quartile of {name}",
        dimension="conformity",
        fits=NUMERIC,
        floor=_of_median,
        argument="0.75",
    ),
    BandMetric(
        metric="standard_deviation",
        words="the standard deviation of {name}",
        dimension="conformity",
        fits=NUMERIC,
        floor=_of_deviation,
    ),
    BandMetric(
        metric="approx_count_distinct",
        words="the number of distinct {name}",
        dimension="uniqueness",
        fits=NUMERIC | TEXT,
        floor=_of_distinct,
        counts=True,
    ),
    BandMetric(
        metric="minimum_length",
        words="the length of the shortest {name}",
        dimension="conformity",
        fits=TEXT,
        floor=_of_longest,
    ),
    BandMetric(
        metric="maximum_length",
        words="the length of the longest {name}",
        dimension="conformity",
        fits=TEXT,
        floor=_of_longest,
    ),
    BandMetric(
        metric="mean_length",
        words="the mean length of {name}",
        dimension="conformity",
        fits=TEXT,
        floor=_of_mean_length,
    ),
)


def _noun(band: BandMetric) -> str:
    return "value" if band.words.endswith("est {name}") else "values"


for _band in BANDS:
    add(
        COLUMN_SUGGESTIONS,
        SuggestionKind(
            name=_band.kind,
            propose=_band.propose,
            margins=MARGINS,
            safety=SAFETY,
            over_time=True,
            summary=f"{_band.words.format(name=_noun(_band))} stays within its past range",
        ),
    )
