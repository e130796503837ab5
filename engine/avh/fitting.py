"""How a program is learned: the past says what is usual, issues put into a sample say what is worth to be caught."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy
from numpy.random import default_rng
from numpy.typing import NDArray

from engine.avh.constraints import BOUNDS, Past, past
from engine.avh.history import History
from engine.avh.issues import Column, Variation, variations
from engine.avh.program import Clause, Learning, Program
from engine.avh.selection import Candidates, Choice, Search
from engine.avh.stationarity import LEVEL, Change, first_stationary, offered
from engine.avh.statistics import STATISTICS, Statistic, measured
from engine.avh.summaries import summary

Array = NDArray[Any]

# Below these no rate of 1 of 100 can be told: with 7 batches 3 of 100 clean ones alarmed, with 14 one (measured).
LEAST_BATCHES = 14
SAMPLE = 2000
# A guard is as wide as ten deviations, two rows, or for the number of rows half a percent of them: by hand, so that
# thousands of clean batches of public tables broke none.
GUARDS: Mapping[str, float] = {"complete_ratio": 0.0, "row_count": 0.005}
GUARD_WIDTH, GUARD_ROWS = 10.0, 2.0


@dataclass(frozen=True)
class Recipe:
    """How a program is to be learned.

    `budget`: the rate of false alarms of a batch; `bound`: by which law it is kept; `most`: clauses beside guards.
    `distances`: also compare with the partition before. `tested`: take the one change that the test of stationarity
    tells (the paper), instead of several. `guarded`: complete and row count stand in every program. `least`: how many
    batches are needed. `elsewhere`: issues that are told without the column. `seed`: of the issues that are drawn."""

    budget: float = 0.01
    bound: str = "measured"
    most: int = 3
    distances: bool = True
    tested: bool = False
    guarded: bool = True
    paper_only: bool = False
    least: int = LEAST_BATCHES
    elsewhere: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()
    seed: int = 0

    def admits(self, statistic: Statistic) -> bool:
        """Whether clauses may be of that statistic."""
        wanted = (self.distances or not statistic.is_distance) and (statistic.in_paper or not self.paper_only)
        return wanted and statistic.name not in self.without


RECIPE = Recipe()


def fit(history: History, recipe: Recipe = RECIPE, sample: Column | None = None) -> Program | Learning:
    """The program of a column's history, the sample being values of its newest batch; in words why there is none yet.

    Without a sample only the guards stand: nothing says what else is worth to be watched."""
    newest = history.newest
    if newest is None or history.points < recipe.least:
        return Learning(history.points, recipe.least)
    guards = [guard(name, history) for name in GUARDS if recipe.guarded and name not in recipe.without]
    kept = [each for each in guards if each is not None]
    if sample is None or not len(sample.values):
        return Program(tuple(kept), recipe.budget, recipe.bound, history.points, newest.is_text)
    return _Fit(history, recipe, _sampled(sample, recipe.seed), tuple(kept)).program()


def refit(program: Program, history: History) -> Program:
    """The same clauses with limits of a newer history; one that has no past any more keeps its own."""
    return replace(program, clauses=tuple(_again(each, history) for each in program.clauses), points=history.points)


def _again(clause: Clause, history: History) -> Clause:
    found = guard(clause.statistic, history) if clause.guard else _re_learned(clause, history)
    return clause if found is None else replace(found, caught=clause.caught, gain=clause.gain)


def _re_learned(clause: Clause, history: History) -> Clause | None:
    values = history.series.get(clause.statistic)
    if values is None:
        return None
    known = past(STATISTICS[clause.statistic], clause.change, values, history.floor(clause.statistic))
    return None if known is None else _clause(Choice(known, clause.width, clause.rate), values)


def _sampled(given: Column, seed: int) -> Column:
    rows = len(given.values)
    if rows <= SAMPLE:
        return given
    kept = numpy.sort(default_rng(seed).permutation(rows)[:SAMPLE])
    return Column(given.values[kept], given.neighbour)


def guard(name: str, history: History) -> Clause | None:
    """The guard of a statistic, as wide as the widest of what guards are.

    None where the past has no value of it, or where it would admit all that there may be."""
    values = history.series[name]
    values = values[numpy.isfinite(values)]
    if not len(values):
        return None
    middle, deviation = float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0
    half = max(GUARD_WIDTH * deviation, GUARD_ROWS * history.floor(name), GUARDS[name] * middle)
    alarms = int((numpy.abs(values - middle) > half).sum())
    lower, upper = _limits(STATISTICS[name], LEVEL, middle, half)
    if lower is None and upper is None:
        return None
    return Clause(name, LEVEL, lower, upper, middle, GUARD_WIDTH, 0.0, len(values), alarms, guard=True)


@dataclass(frozen=True, eq=False)
class _Fit:
    history: History
    recipe: Recipe
    sample: Column
    guards: tuple[Clause, ...]

    @cached_property
    def issues(self) -> tuple[Variation, ...]:
        return tuple(variations(self.sample, default_rng(self.recipe.seed)))

    @cached_property
    def measured(self) -> dict[str, Array]:
        """What each statistic of the next batch would be with each issue in it."""
        whole = self.history.newest
        own = summary(self.sample)
        full = whole is not None and whole.rows == own.rows
        before = self._before if full else own
        found = [measured(summary(Column(each.values)), before) for each in self.issues]
        columns = {name: numpy.array([_number(row[name]) for row in found]) for name in measured(own)}
        return columns if full else self._scaled(columns, measured(own))

    @property
    def _before(self) -> Any:
        earlier = [each.summary for each in self.history.learned[:-1] if each.summary.present]
        return earlier[-1] if earlier else None

    def _scaled(self, columns: dict[str, Array], own: Mapping[str, float | None]) -> dict[str, Array]:
        """Of a sample: what an issue changes in it is what it would change in the whole; counts as shares of them."""
        last = {name: values[-1] for name, values in self.history.series.items()}
        return {name: _carried(STATISTICS[name], values, own[name], last[name]) for name, values in columns.items()}

    def program(self) -> Program:
        pasts, seen = self._pasts()
        candidates = Candidates.of_pasts(pasts, seen, BOUNDS[self.recipe.bound])
        guarded = [self._broken(clause) for clause in self.guards]
        elsewhere = numpy.array([each.issue.name in self.recipe.elsewhere for each in self.issues], dtype=bool)
        free = numpy.any([elsewhere, *guarded], axis=0)
        chosen = Search(candidates, self.recipe.budget, self.recipe.most, free).chosen() if len(self.issues) else []
        clauses = [_clause(each, self.history.series[each.past.statistic.name]) for each in chosen]
        return self._told((*clauses, *self.guards))

    def _pasts(self) -> tuple[list[Past], list[Array]]:
        pasts, seen = [], []
        for statistic in STATISTICS.values():
            if statistic.name in self.measured and self.recipe.admits(statistic):
                for known in self._of(statistic):
                    pasts.append(known)
                    # The newest batch stands for the next one: it is compared with those before itself.
                    values = self.history.series[statistic.name][:-1]
                    seen.append(known.change.next(self.measured[statistic.name], values))
        return pasts, seen

    def _of(self, statistic: Statistic) -> list[Past]:
        values, floor = self.history.series[statistic.name], self.history.floor(statistic.name)
        return [
            known
            for change in self._changes(statistic, values)
            if (known := past(statistic, change, values, floor)) is not None
        ]

    def _changes(self, statistic: Statistic, values: Array) -> Sequence[Change]:
        if self.recipe.tested:
            found = first_stationary(values)
            return [] if found is None else [found]
        if statistic.is_distance:
            return [LEVEL]
        several = offered(self.history.cadence.cycle, len(values))
        return [each for each in several if statistic.most is None or not each.logged]

    def _broken(self, clause: Clause) -> Array:
        past_values = self.history.series[clause.statistic][:-1]
        seen = clause.change.next(self.measured[clause.statistic], past_values)
        low = numpy.zeros(len(seen), dtype=bool) if clause.lower is None else seen < clause.lower
        high = numpy.zeros(len(seen), dtype=bool) if clause.upper is None else seen > clause.upper
        broken: Array = low | high
        return broken

    def _told(self, clauses: tuple[Clause, ...]) -> Program:
        """The program of these clauses with what each catches, and what of each issue is caught."""
        given = [self._broken(clause) for clause in clauses]
        broken: Array = numpy.array(given, dtype=bool).reshape(len(clauses), len(self.issues))
        alone = broken & (broken.sum(axis=0) == 1)
        shares = zip(clauses, broken, alone, strict=True)
        count = max(1, len(self.issues))
        told = tuple(replace(each, caught=float(b.sum() / count), gain=float(a.sum() / count)) for each, b, a in shares)
        names = [each.issue.name for each in self.issues]
        found = Counter(name for name, hit in zip(names, broken.any(axis=0), strict=True) if hit)
        caught = {name: (found[name], of) for name, of in Counter(names).items()}
        recipe, history = self.recipe, self.history
        return Program(told, recipe.budget, recipe.bound, history.points, self.sample.is_text, caught)


def _number(value: float | None) -> float:
    return numpy.nan if value is None else value


def _carried(statistic: Statistic, values: Array, own: float | None, last: float) -> Array:
    if statistic.is_distance:
        return numpy.maximum(values, 0.0 if numpy.isnan(last) else last)
    if own is None:
        return values
    if statistic.name in ("row_count", "distinct_count", "sum") and own:
        return values * (last / own)
    return values + (last - own)


def _clause(choice: Choice, values: Array) -> Clause:
    known = choice.past
    half = choice.width * known.spread
    series = known.change.series(values)
    alarms = int((known.away(series[numpy.isfinite(series)]) > choice.width).sum())
    lower, upper = _limits(known.statistic, known.change, known.middle, half)
    return Clause(
        known.statistic.name, known.change, lower, upper, known.middle, choice.width, choice.rate, known.points, alarms
    )  # fmt: skip


def _limits(
    statistic: Statistic, change: Change, middle: float, half: float
) -> tuple[float | None, float | None]:  # fmt: skip
    """The limits so far from the middle; None where the statistic itself goes no further."""
    lower, upper = middle - half, middle + half
    if change.lag:
        return lower, upper
    open_below = statistic.is_distance or (statistic.least is not None and lower < statistic.least)
    open_above = statistic.most is not None and upper > statistic.most
    return None if open_below else lower, None if open_above else upper
