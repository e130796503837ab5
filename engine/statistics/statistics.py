"""Every statistic that a program may be made of (AVH paper, tables 1 to 4), each declared once.

Those of one partition are told from its summary, those of two from theirs side by side. A new one is one function and
one row. None where a partition has no value for it: nothing is then learned from it, and nothing judged."""

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
    """How many rows there are."""
    return of.rows


def complete_ratio(of: Summary) -> float | None:
    """The share of rows that have a value."""
    return of.present / of.rows if of.rows else None


def unique_ratio(of: Summary) -> float | None:
    """Distinct values for each value that is there."""
    return of.distinct / of.present if of.present and of.distinct is not None else None


def distinct(of: Summary) -> float | None:
    """How many distinct values there are."""
    return of.distinct


def mean(of: NumberSummary) -> float | None:
    """The arithmetic mean."""
    return of.moments[1] if of.present else None


def total(of: NumberSummary) -> float | None:
    """The sum."""
    return of.moments[1] * of.present if of.present else None


def deviation(of: NumberSummary) -> float | None:
    """The population standard deviation."""
    return of.deviation if of.present else None


def quantile(share: float, of: NumberSummary) -> float | None:
    """The least number that at least that share of the numbers does not exceed."""
    if of.curve is None:
        return None
    at = int(of.curve.cumulative.searchsorted(share - 1e-12))
    return float(of.curve.at[min(at, len(of.curve.at) - 1)])


def minimum(of: NumberSummary) -> float | None:
    """The least number."""
    return of.curve.smallest if of.curve else None


def maximum(of: NumberSummary) -> float | None:
    """The greatest number."""
    return of.curve.largest if of.curve else None


def extent(of: NumberSummary) -> float | None:
    """The greatest number less the least."""
    return of.curve.largest - of.curve.smallest if of.curve else None


def zero_ratio(of: NumberSummary) -> float | None:
    """The share of numbers that are 0."""
    if of.curve is None:
        return None
    upto, at = of.curve.cumulative, int(of.curve.at.searchsorted(0.0))
    there = at < len(of.curve.at) and of.curve.at[at] == 0
    return float(upto[at] - (upto[at - 1] if at else 0.0)) if there else 0.0


def negative_ratio(of: NumberSummary) -> float | None:
    """The share of numbers below 0."""
    if of.curve is None:
        return None
    at = int(of.curve.at.searchsorted(0.0))
    return float(of.curve.cumulative[at - 1]) if at else 0.0


def mean_length(of: TextSummary) -> float | None:
    """The mean length of the texts in code points (the paper's str_len)."""
    return None if of.length is None or not of.present else of.length / of.present


def mean_characters(kind: str, of: TextSummary) -> float | None:
    """How many characters of that class texts have on average."""
    return None if of.characters is None or not of.present else of.characters[kind] / of.present


def upper_share(of: TextSummary) -> float | None:
    """How many of the letters are capitals."""
    letters = of.characters["letters"] if of.characters is not None else 0.0
    return of.characters["upper"] / letters if of.characters is not None and letters else None


def padded_ratio(of: TextSummary) -> float | None:
    """The share of texts that begin or end with a blank."""
    return None if of.padded is None or not of.present else of.padded / of.present


@dataclass(frozen=True, eq=False)
class PartitionPair:
    """A partition beside the one before: what the distances between them are told from, each made once.

    None where one of the two has no value, or where the column changed its type."""

    now: Any
    before: Any

    @cached_property
    def curves(self) -> CurvePair | None:
        """The numbers of both."""
        return self.now.curves(self.before)  # type: ignore[no-any-return]

    @cached_property
    def bins(self) -> SharePair | None:
        """The shares of both in bins."""
        return self.curves.shares if self.curves else None

    @cached_property
    def moments(self) -> tuple[Three, Three] | None:
        """The moments of both."""
        return (self.now.moments, self.before.moments) if self.now.present and self.before.present else None

    @cached_property
    def values(self) -> SharePair | None:
        """The shares of the values in both."""
        return self._tallies(self.now.values, self.before.values)

    @cached_property
    def masks(self) -> SharePair | None:
        """The shares of the masks in both."""
        return self._tallies(self.now.masks, self.before.masks)

    @cached_property
    def shapes(self) -> SharePair | None:
        """The shares of the shapes of masks in both."""
        return self._tallies(self.now.shapes, self.before.shapes)

    def _tallies(self, ours: HashedCounts | None, theirs: HashedCounts | None) -> SharePair | None:
        return ours.paired(theirs) if ours and theirs else None


def _apart_in(what: str, told: Callable[[Any], Estimate | None], sides: PartitionPair) -> float | None:
    given = getattr(sides, what)
    found = None if given is None else told(given)
    return found.value if found else None


@dataclass(frozen=True, kw_only=True)
class Statistic:
    """A statistic: `of` one summary, or of two where it is a distance; None for no value.

    `floor` is what it moves by at least when something changes that is nothing to speak of: it never counts as
    steadier than that. `law`: which of the paper's bounds holds (propositions 1 to 3). `least`, `most`: its ends."""

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
        """Whether it compares a partition with the one before: then it can only be too large."""
        return self.law == "distance"

    def fits(self, given: Summary) -> bool:
        """Whether it is told of columns of that type."""
        return self.texts is None or self.texts is given.is_text

    def value(self, now: Summary, sides: PartitionPair | None = None) -> float | None:
        """The statistic; None where there is none, infinite where values are, or no double holds it."""
        given = sides if self.is_distance else now
        found = None if given is None else self.of(given)
        return None if found is None else inf if isnan(found) else float(found)


def _times(factor: float, of: Summary) -> float:
    return factor * one_row(of)


def _share(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=one_row, least=0.0, most=1.0, **more)


def _location(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=hundredth, texts=False, **more)


def _characters(name: str, of: Callable[..., float | None], **more: Any) -> Statistic:
    return Statistic(name=name, of=of, floor=one_text, texts=True, law=more.pop("law", "mean"), least=0.0, **more)


# By how many rows' weight each distance moves when one row gets another value.
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
            name=f"{name}_of_{tally}", of=partial(_apart_in, tally, told), floor=partial(_times, weight),
            law="distance", texts=True, least=0.0,
        )
        for name, (told, weight) in _WEIGHTS.items()
    )  # fmt: skip


def _new(tally: str) -> Statistic:
    told, floor = partial(_apart_in, tally, divergences.new), partial(one_new, tally)
    return Statistic(
        name=f"new_of_{tally}", of=told, floor=floor, law="distance", texts=True, in_paper=False, least=0.0, most=1.0
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
"""By name; `in_paper` False: not of the paper's tables, added because casing, padding and tails escape these."""


DISTANCES = tuple(each for each in STATISTICS.values() if each.is_distance)


def compute_statistics(
    now: Summary, before: Summary | None = None, among: Iterable[Statistic] = STATISTICS.values()
) -> dict[str, float | None]:
    """Every statistic of the partition by name; distances from the one `before`, None without one."""
    sides = PartitionPair(now, before) if before is not None and before.is_text is now.is_text else None
    with numpy.errstate(over="ignore", invalid="ignore"):  # infinite values
        return {each.name: each.value(now, sides) for each in among if each.fits(now)}
