"""Build the possible guards of completeness and row count, and select their widths.

A guard is as narrow as what it catches is worth, and as the budget pays for. The widest is broken only by an almost
empty or all-null batch, and costs almost nothing."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy
from numpy.typing import NDArray

from treaty.engine.anomaly.detector import DetectorBand
from treaty.engine.anomaly.volume_history import LEAST, Volume, replaces
from treaty.engine.programs.clause_selection import ConstraintChoice
from treaty.engine.programs.constraints import BOUNDS, ProbabilityBound, StatisticSummary, past
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.limits import clause_of
from treaty.engine.programs.program import Clause
from treaty.engine.programs.recipe import ALMOST_EMPTY, GUARD_ROWS, GUARD_WIDTHS, GUARDS, ROW_COUNT
from treaty.engine.programs.stationarity import LEVEL, knows_level
from treaty.engine.statistics.statistics import STATISTICS

Mask = NDArray[numpy.bool_]


def guards(name: str, history: ColumnHistory, bound: ProbabilityBound) -> tuple[Clause, ...]:
    """Return the possible guards of a statistic, the widest first.

    Each is paid for like any clause. Empty if the past shows no level, or if every possible value is admitted."""
    summary = _level(name, history) if knows_level(history.cadence, history.points) else None
    if summary is None:
        return ()
    narrower = (_guard(summary, _spreads(summary, history, each), bound) for each in GUARD_WIDTHS)
    return tuple(each for each in (_empty_guard(summary, bound), *narrower) if each is not None)


def refit_guard(clause: Clause, history: ColumnHistory) -> Clause | None:
    """Refit a guard by its own rule; a guard of an older contract, which has no rate, is the narrowest."""
    bound = BOUNDS["measured"]
    possible, summary = guards(clause.statistic, history, bound), _level(clause.statistic, history)
    if not possible or summary is None:
        return None
    if not clause.rate:
        return replace(possible[-1], rate=0.0)
    refitted = _guard(summary, clause.width, bound) if clause.width else _empty_guard(summary, bound)
    return None if refitted is None else replace(refitted, rate=clause.rate)


def _level(name: str, history: ColumnHistory) -> StatisticSummary | None:
    return past(STATISTICS[name], LEVEL, history.series[name], history.floor(name))


def _spreads(summary: StatisticSummary, history: ColumnHistory, width: float) -> float:
    """Return the width of a guard of that many deviations in spreads, or of spreads."""
    name, deviation = summary.statistic.name, summary.deviation * summary.relative_deviation
    half = max(width * deviation, GUARD_ROWS * history.floor(name), GUARDS[name] * summary.middle)
    return round(max(1.0 if deviation else width, half / summary.deviation), 4)


def _guard(summary: StatisticSummary, width: float, bound: ProbabilityBound) -> Clause | None:
    """Build a guard of that width; None without a limit.

    For completeness only the lower side is limited, because returning values are no issue."""
    clause = clause_of(ConstraintChoice(summary, width, float(bound.rate(summary, numpy.array([width]))[0])))
    upper = clause.upper if summary.statistic.most is None else None
    return None if clause.lower is None and upper is None else replace(clause, upper=upper, guard=True)


def _empty_guard(summary: StatisticSummary, bound: ProbabilityBound) -> Clause | None:
    """Build the guard that only an almost empty or all-null batch breaks; None if the past had one.

    Its width is 0, because it does not depend on the spread."""
    lower = ALMOST_EMPTY * float(summary.values.min())
    if lower <= 0:
        return None
    width = numpy.array([(summary.middle - lower) / summary.deviation])
    rate = min(float(bound.rate(summary, width)[0]), bound.empty(summary))
    clause = clause_of(ConstraintChoice(summary, float(width[0]), rate))
    return replace(clause, lower=lower, upper=None, width=0.0, guard=True)


def select_guards(
    possible: Sequence[Sequence[Clause]], budget: float, broken: Callable[[Clause], Mask], free: Mask, price: float
) -> tuple[Clause, ...]:
    """Return one guard per statistic within the budget; a statistic whose widest is too expensive has none.

    `possible`: guards per statistic, the widest first. `broken`: issues that a guard catches. `free`: issues that are
    caught anyway. `price`: share of the issues that must be gained per false alarm per batch."""
    chosen: list[Clause] = []
    for guards in possible:
        remaining = budget - sum(each.rate for each in chosen)
        if guards[:1] and guards[0].rate <= remaining:
            affordable = [each for each in guards if each.rate <= remaining]
            covered = _covered([broken(each) for each in chosen], free)
            chosen.append(max(affordable, key=lambda each: _worth(broken(each) & ~covered, price, each.rate)))
    return tuple(chosen)


def _covered(caught: Sequence[Mask], free: Mask) -> Mask:
    covered: Mask = numpy.any([free, *caught], axis=0)
    return covered


def _worth(gained: Mask, price: float, rate: float) -> float:
    """Return the share of issues that a guard gains, minus the price of false alarms."""
    return float(gained.sum()) / max(1, len(gained)) - price * rate


def without_repetitions(clauses: Sequence[Clause], guards: Sequence[Clause]) -> tuple[Clause, ...]:
    """Return clauses and guards with one limit of each level: that of the clause if it is the narrower one.

    A clause without a lower limit gives way, because it admits what the guard protects from."""
    lowers = {each.statistic: each.lower for each in clauses if not each.change.lag}
    remaining = [each for each in guards if not _is_within(lowers.get(each.statistic), each)]
    guarded = {each.statistic for each in remaining}
    return (*(each for each in clauses if each.change.lag or each.statistic not in guarded), *remaining)


def _is_within(lower: float | None, guard: Clause) -> bool:
    return lower is not None and (guard.lower is None or lower >= guard.lower)


def row_volume(batches: Sequence[Batch], guard: Clause | None) -> Volume | None:
    """Return the row counts whose past predicts the next one; None if the guard is better.

    The rule is that of drafts. None, too, with too few batches, and without their times: a missing day would shift
    the days of the week."""
    times = tuple(each.time for each in batches if each.time)
    if len(batches) < LEAST or len(times) < len(batches):
        return None
    rows = tuple(each.summary.rows for each in batches)
    volume = Volume(names=tuple(each.name for each in batches), times=times, rows=rows)
    return volume if replaces([volume], [(guard.lower, guard.upper)] if guard else []) else None


def clause_of_band(band: DetectorBand) -> Clause:
    """Return the limits of a detector's band of the row count as a clause."""
    return Clause(
        statistic=ROW_COUNT,
        change=LEVEL,
        lower=band.lower,
        upper=band.upper,
        middle=band.expected or 0.0,
        width=0.0,
        rate=band.rate or 0.0,
        points=band.points,
    )
