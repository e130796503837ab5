"""Bands: a metric stays about where it was in all partitions. A band is one row of `BANDS`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.engine.components.operands import NUMERIC, TEXT
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import COLUMN_SUGGESTIONS, SuggestionCandidate, SuggestionKind, add, metric
from treaty.engine.suggestions.tolerances import MARGINS, SAFETY, Limits, limits

# Rows that may be corrected, added or taken away in a partition without an alarm, by hand: two, or one in fifty.
EDITED_ROWS, EDITED_SHARE = 2, 0.02
# Three standard errors of a sketch of distinct values (lgK 12).
SKETCH_ERROR = 0.05
# By hand: records are broken; the next one is no further out than a quarter of what is between the extremes.
RECORD = 0.25

Floor = Callable[[ColumnProfile, HistorySlice], float]


@dataclass(frozen=True, kw_only=True)
class BandMetric:
    """A metric that may have a band: for which types, in which words, and what an honest edit moves it by at least.

    `counts`: it says nothing of how large the values are, so running numbers may have it."""

    metric: str
    words: str
    dimension: str
    fits: frozenset[str]
    floor: Floor
    argument: str = ""
    counts: bool = False

    @property
    def kind(self) -> str:
        """The kind of suggestion."""
        return f"{self.metric}_band"

    def implementation(self, column: str) -> Mapping[str, Any]:
        """The analyzer with its arguments."""
        quantile = {"quantile": float(self.argument)} if self.argument else {}
        return {"analyzer": "approx_quantile" if quantile else self.metric, "column": column, **quantile}

    def propose(self, column: ColumnProfile, part: HistorySlice, margin: float) -> SuggestionCandidate | None:
        """The metric between its lowest and highest value so far, and so many times their distance beyond."""
        values = part.series(column, self.metric)
        if column.column.base_type not in self.fits or not any(part.rows) or len(values) < sum(map(bool, part.rows)):
            return None
        usable = any(values) if self.counts else _is_usable(column, part)
        found = limits(values, margin, self.floor(column, part)) if usable else None
        kept = _within_nature(found, min(values, default=0)) if found else (None, None)
        assertion = limits_assertion(kept)
        return self._candidate(column, assertion, kept) if assertion else None

    def _candidate(self, column: ColumnProfile, assertion: Assertion, kept: Limits) -> SuggestionCandidate:
        name = column.column.name
        words = f"{self.words.format(name=name)} {limits_text(kept)}"
        made = {**self.implementation(name), assertion.operator: document_limit(assertion.limit)}
        slug = f"{name}-{self.metric.replace('_', '-')}"
        return SuggestionCandidate(
            kind=self.kind,
            sentence=words,
            expression=f"{self.metric} of {name} {limits_text(kept)}",
            patch={"quality": check(slug, words, self.dimension, made)},
            measure=metric(column, self.metric),
            assertion=assertion,
            severity="warning",
            limits=kept,
            drops=True,
        )


def limits_assertion(kept: Limits) -> Assertion | None:
    """The promise to stay within the limits; None where there are none."""
    low, high = kept
    if low is not None and high is not None:
        return Assertion("mustBeBetween", (plainly(low), plainly(high)))
    if low is not None:
        return Assertion("mustBeGreaterOrEqualTo", plainly(low))
    return None if high is None else Assertion("mustBeLessOrEqualTo", plainly(high))


def document_limit(limit: Any) -> Any:
    """The limit as a document has it."""
    return list(limit) if isinstance(limit, tuple) else limit


def plainly(value: float) -> float | int:
    """A whole number without a point."""
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def limits_text(kept: Limits) -> str:
    """The limits in words."""
    low, high = kept
    if low is not None and high is not None:
        return f"is between {low:,g} and {high:,g}"
    return f"is at least {low:,g}" if low is not None else f"is at most {high:,g}"


def _within_nature(found: Limits, least: float) -> Limits:
    """No lower limit below zero for what was never negative: it is zero."""
    low, high = found
    return (0.0 if low is not None and low < 0 <= least else low), high


def _is_usable(column: ColumnProfile, part: HistorySlice) -> bool:
    """Whether the column's numbers are finite, more than one, and no running numbers of rows."""
    ends = [*part.series(column, "minimum"), *part.series(column, "maximum")]
    if column.column.base_type not in NUMERIC:
        return True
    return all(isfinite(value) for value in ends) and len(set(ends)) > 1 and not is_running(column, part)


def is_running(column: ColumnProfile, part: HistorySlice) -> bool:
    """Whether whole numbers are counted on: nearly all are distinct, and the largest never falls."""
    largest, distinct = part.series(column, "maximum"), part.series(column, "approx_count_distinct")
    rows = [each for each in part.rows if each]
    if column.column.base_type in ("double", "float") or len(distinct) != len(rows) or len(set(largest)) < 2:
        return False
    own = all(float(count) >= 0.9 * each for count, each in zip(distinct, rows, strict=True))
    return own and sorted(largest) == largest


def edited(part: HistorySlice) -> float:
    """The share of a partition's rows that may be corrected, added or taken away without an alarm."""
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

for _band in BANDS:
    add(
        COLUMN_SUGGESTIONS,
        SuggestionKind(name=_band.kind, propose=_band.propose, margins=MARGINS, safety=SAFETY, over_time=True),
    )
