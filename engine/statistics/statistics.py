"""Declare every statistic that a program may use (AVH paper, tables 1 to 4).

Statistics of one partition are computed from its summary, distances from two summaries side by side. A new one takes
one function and one row. None means that a partition has no value: nothing is then learned or evaluated."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from math import inf, isnan, log
from typing import Any, Literal

import numpy

from treaty.engine.components.estimate import Estimate
from treaty.engine.components.moments import Three
from treaty.engine.statistics import divergences, step_functions
from treaty.engine.statistics.distances import cohens_d
from treaty.engine.statistics.divergences import SKEW
from treaty.engine.statistics.floors import (
    hundredth,
    hundredth_of_all,
    one,
    one_distinct,
    one_distinct_of_all,
    one_missing,
    one_new,
    one_row,
    one_text,
)
from treaty.engine.statistics.hashed_counts import HashedCounts
from treaty.engine.statistics.step_functions import CurvePair
from treaty.engine.statistics.summaries import NumberSummary, Summary, TextSummary
from treaty.engine.statistics.value_shares import SharePair

Law = Literal["mean", "distance", "any"]


def rows(of: Summary) -> float:
    """Return the number of rows."""
    return of.rows


def complete_ratio(of: Summary) -> float | None:
    """Return the share of rows with a value."""
    return of.present / of.rows if of.rows else None


def unique_ratio(of: Summary) -> float | None:
    """Return the ratio of distinct values to present values."""
    return of.distinct / of.present if of.present and of.distinct is not None else None


def distinct(of: Summary) -> float | None:
    """Return the number of distinct values."""
    return of.distinct


def mean(of: NumberSummary) -> float | None:
    """Return the arithmetic mean."""
    return of.moments[1] if of.present else None


def total(of: NumberSummary) -> float | None:
    """Return the sum."""
    return of.moments[1] * of.present if of.present else None


def deviation(of: NumberSummary) -> float | None:
    """Return the population standard deviation."""
    return of.deviation if of.present else None


def quantile(share: float, of: NumberSummary) -> float | None:
    """Return the least number that at least this share of the numbers does not exceed."""
    if of.curve is None:
        return None
    at = int(of.curve.cumulative.searchsorted(share - 1e-12))
    return float(of.curve.at[min(at, len(of.curve.at) - 1)])


def minimum(of: NumberSummary) -> float | None:
    """Return the least number."""
    return of.curve.smallest if of.curve else None


def maximum(of: NumberSummary) -> float | None:
    """Return the greatest number."""
    return of.curve.largest if of.curve else None


def extent(of: NumberSummary) -> float | None:
    """Return the greatest number minus the least."""
    return of.curve.largest - of.curve.smallest if of.curve else None


def zero_ratio(of: NumberSummary) -> float | None:
    """Return the share of numbers that are 0."""
    if of.curve is None:
        return None
    upto, at = of.curve.cumulative, int(of.curve.at.searchsorted(0.0))
    there = at < len(of.curve.at) and of.curve.at[at] == 0
    return float(upto[at] - (upto[at - 1] if at else 0.0)) if there else 0.0


def negative_ratio(of: NumberSummary) -> float | None:
    """Return the share of numbers below 0."""
    if of.curve is None:
        return None
    at = int(of.curve.at.searchsorted(0.0))
    return float(of.curve.cumulative[at - 1]) if at else 0.0


def mean_length(of: TextSummary) -> float | None:
    """Return the mean length of the texts in code points (the paper's str_len)."""
    return None if of.length is None or not of.present else of.length / of.present


def mean_characters(kind: str, of: TextSummary) -> float | None:
    """Return the mean number of characters of a class per text."""
    return None if of.characters is None or not of.present else of.characters[kind] / of.present


def upper_share(of: TextSummary) -> float | None:
    """Return the share of letters that are capitals."""
    letters = of.characters["letters"] if of.characters is not None else 0.0
    return of.characters["upper"] / letters if of.characters is not None and letters else None


def padded_ratio(of: TextSummary) -> float | None:
    """Return the share of texts that begin or end with a blank."""
    return None if of.padded is None or not of.present else of.padded / of.present


@dataclass(frozen=True, eq=False)
class PartitionPair:
    """A partition and the one before: inputs of their distances, each computed once.

    An input is None if one of the two has no value or if the column changed its type."""

    now: Any
    before: Any

    @cached_property
    def curves(self) -> CurvePair | None:
        """Return the numbers of both."""
        return self.now.curves(self.before)  # type: ignore[no-any-return]

    @cached_property
    def bins(self) -> SharePair | None:
        """Return the shares of both in bins."""
        return self.curves.shares if self.curves else None

    @cached_property
    def moments(self) -> tuple[Three, Three] | None:
        """Return the moments of both."""
        return (self.now.moments, self.before.moments) if self.now.present and self.before.present else None

    @cached_property
    def values(self) -> SharePair | None:
        """Return the shares of the values in both."""
        return self._tallies(self.now.values, self.before.values)

    @cached_property
    def masks(self) -> SharePair | None:
        """Return the shares of the masks in both."""
        return self._tallies(self.now.masks, self.before.masks)

    @cached_property
    def shapes(self) -> SharePair | None:
        """Return the shares of the mask shapes in both."""
        return self._tallies(self.now.shapes, self.before.shapes)

    def _tallies(self, ours: HashedCounts | None, theirs: HashedCounts | None) -> SharePair | None:
        return ours.paired(theirs) if ours and theirs else None


def _apart_in(what: str, estimator: Callable[[Any], Estimate | None], sides: PartitionPair) -> float | None:
    pair = getattr(sides, what)
    estimate = None if pair is None else estimator(pair)
    return estimate.value if estimate else None


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic of one summary or, for a distance, of two; None means no value.

    `of`: computes it. `floor`: least difference that counts as a change; the statistic is never treated as steadier.
    `law`: which bound of the paper applies (propositions 1 to 3). `texts`: True for text columns only, False for
    numbers only, None for both. `in_paper`: False for statistics not in the paper's tables. `least`, `most`: limits
    of its range; None means unbounded."""

    name: str
    of: Callable[..., float | None]
    floor: Callable[[Summary], float]
    law: Law = "any"
    texts: bool | None = None
    in_paper: bool = True
    least: float | None = None
    most: float | None = None

    @property
    def is_distance(self) -> bool:
        """Return True if it compares two consecutive partitions: then it can only be too large."""
        return self.law == "distance"

    def fits(self, values: Summary) -> bool:
        """Return True if it applies to columns of that type."""
        return self.texts is None or self.texts is values.is_text

    def value(self, now: Summary, sides: PartitionPair | None = None) -> float | None:
        """Return the statistic; None without a value, infinite if values are or if a double cannot represent it."""
        source = sides if self.is_distance else now
        result = None if source is None else self.of(source)
        return None if result is None else inf if isnan(result) else float(result)


def _times(factor: float, of: Summary) -> float:
    return factor * one_row(of)


def _share(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=one_row, least=0.0, most=1.0, **more)


def _location(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=hundredth, texts=False, **more)


def _characters(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=one_text, texts=True, law=more.pop("law", "mean"), least=0.0, **more)


# The distance's change, in weights of one row, when one row gets another value.
_WEIGHTS: Mapping[str, tuple[Callable[[Any], Any], float]] = {
    "l1": (divergences.l1, 2.0),
    "l_infinity": (divergences.l_infinity, 1.0),
    "cosine": (divergences.cosine, 1.0),
    "chi_squared": (divergences.chi_squared, 1.0),
    "jensen_shannon": (divergences.jensen_shannon, log(2)),
    "kullback_leibler": (divergences.kullback_leibler, -log(1 - SKEW)),
}


def _tallied(tally: str) -> tuple[Statistic, ...]:
    return tuple(
        Statistic(
            name=f"{name}_of_{tally}", of=partial(_apart_in, tally, distance), floor=partial(_times, weight),
            law="distance", texts=True, least=0.0,
        )
        for name, (distance, weight) in _WEIGHTS.items()
    )  # fmt: skip


def _new(tally: str) -> Statistic:
    distance, floor = partial(_apart_in, tally, divergences.new), partial(one_new, tally)
    return Statistic(
        name=f"new_of_{tally}",
        of=distance,
        floor=floor,
        law="distance",
        texts=True,
        in_paper=False,
        least=0.0,
        most=1.0,
    )


def _distance_statistic(name: str, of: Callable[..., float | None], floor: Callable[[Summary], float]) -> Statistic:
    return Statistic(name=name, of=of, floor=floor, law="distance", texts=False, least=0.0)


STATISTICS: Mapping[str, Statistic] = {
    each.name: each
    for each in (
        Statistic(name="row_count", of=rows, floor=one, law="mean", least=0.0),
        Statistic(name="complete_ratio", of=complete_ratio, floor=one_missing, law="mean", least=0.0, most=1.0),
        Statistic(name="unique_ratio", of=unique_ratio, floor=one_distinct_of_all, least=0.0, most=1.0),
        Statistic(name="distinct_count", of=distinct, floor=one_distinct, least=0.0),
        _location("minimum", minimum),
        _location("maximum", maximum),
        _location("mean", mean, law="mean"),
        _location("median", partial(quantile, 0.5)),
        _location("range", extent, least=0.0),
        Statistic(name="sum", of=total, floor=hundredth_of_all, texts=False),
        _location("standard_deviation", deviation, least=0.0, in_paper=False),
        _location("quantile_05", partial(quantile, 0.05), in_paper=False),
        _location("quantile_95", partial(quantile, 0.95), in_paper=False),
        _share("zero_ratio", zero_ratio, texts=False, in_paper=False),
        _share("negative_ratio", negative_ratio, texts=False, in_paper=False),
        _characters("mean_length", mean_length),
        *(_characters(f"mean_{each}", partial(mean_characters, each)) for each in ("letters", "digits", "punctuation")),
        *(_characters(f"mean_{each}", partial(mean_characters, each), in_paper=False) for each in ("upper", "blanks")),
        Statistic(name="minimum_length", of=lambda of: of.shortest, floor=one, texts=True, in_paper=False, least=0.0),
        Statistic(name="maximum_length", of=lambda of: of.longest, floor=one, texts=True, in_paper=False, least=0.0),
        _share("padded_ratio", padded_ratio, texts=True, in_paper=False),
        _share("upper_share", upper_share, texts=True, in_paper=False),
        _distance_statistic(
            "kolmogorov_smirnov", partial(_apart_in, "curves", step_functions.kolmogorov_smirnov), one_row
        ),
        _distance_statistic(
            "earth_movers_distance", partial(_apart_in, "curves", step_functions.earth_movers_distance), hundredth
        ),
        _distance_statistic("cohens_d", partial(_apart_in, "moments", cohens_d), lambda _: 0.01),
        *(
            _distance_statistic(name, partial(_apart_in, "bins", _WEIGHTS[name][0]), partial(_times, _WEIGHTS[name][1]))
            for name in ("jensen_shannon", "kullback_leibler")
        ),
        *_tallied("values"),
        *_tallied("masks"),
        *map(_new, ("values", "masks", "shapes")),
    )
}
"""By name. Those with `in_paper` False are not in the paper's tables; they detect changed casing, padding and tails."""


DISTANCES = tuple(each for each in STATISTICS.values() if each.is_distance)


def compute_statistics(
    now: Summary, before: Summary | None = None, among: Iterable[Statistic] = STATISTICS.values()
) -> dict[str, float | None]:
    """Return every statistic of the partition by name.

    `before`: the partition that distances compare with; they are None without one. `among`: statistics to compute."""
    sides = PartitionPair(now, before) if before is not None and before.is_text is now.is_text else None
    with numpy.errstate(over="ignore", invalid="ignore"):  # For infinite values.
        return {each.name: each.value(now, sides) for each in among if each.fits(now)}
