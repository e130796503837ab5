"""What is chosen for a column: issues put into a sample say what is worth to be caught, the past what that costs."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy
from numpy.random import default_rng
from numpy.typing import NDArray

from treaty.engine.programs.clause_selection import ClauseSearch, ConstraintCandidates
from treaty.engine.programs.constraints import BOUNDS, StatisticSummary, past
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.injected_issues import Issue, Variation, variations
from treaty.engine.programs.limits import clause_of
from treaty.engine.programs.program import Clause, ColumnProgram
from treaty.engine.programs.recipe import Recipe
from treaty.engine.programs.stationarity import LEVEL, LagTransform, first_stationary, offered
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS, Statistic, compute_statistics
from treaty.engine.statistics.summaries import summary

Array = NDArray[Any]

# Issues that hit at most ten percent of numbers are drawn at least twice, at most eight times, for so many rows in all:
# by hand, what a tenth of a second has room for. The fewer rows, the more it matters which are hit.
FEW, DRAWN, DRAWS = 10.0, 4_000, (2, 8)


@dataclass(frozen=True, eq=False)
class SampleTrials:
    """Issues put into a sample of the newest batch, and what each would make of the statistics of the next one.

    Whatever the recipe, they are the same: programs of several recipes are chosen by the same trials."""

    history: ColumnHistory
    sample: ColumnValues
    seed: int = 0

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The issues that are put into the sample, each as often as it has settings that change something."""
        return self._trial_statistics[0]

    @property
    def measured(self) -> dict[str, Array]:
        """What each statistic of the next batch would be with each of them."""
        return self._trial_statistics[1]

    @cached_property
    def _trial_statistics(self) -> tuple[tuple[Issue, ...], dict[str, Array]]:
        """Told together, so that the changed values need not be kept."""
        whole, own = self.history.newest, summary(self.sample)
        full = whole is not None and whole.rows == own.rows
        before = self._before if full else own
        tried = [
            (each.issue, compute_statistics(summary(ColumnValues(each.values)), before)) for each in self._variations()
        ]
        columns = {name: numpy.array([_number(row[name]) for _, row in tried]) for name in compute_statistics(own)}
        return tuple(issue for issue, _ in tried), columns if full else self._scaled(columns, compute_statistics(own))

    def _variations(self) -> Iterator[Variation]:
        """Every issue, and of numbers those of few rows several times: what catches them depends on which rows are hit.

        Of texts as much is caught with one draw."""
        yield from variations(self.sample, default_rng(self.seed))
        for again in range(1, self._draws):
            yield from variations(self.sample, default_rng([self.seed, again]), FEW)

    @property
    def _draws(self) -> int:
        return 1 if self.sample.is_text else int(numpy.clip(DRAWN // max(1, len(self.sample.values)), *DRAWS))

    @property
    def _before(self) -> Any:
        earlier = [each.summary for each in self.history.learned[:-1] if each.summary.present]
        return earlier[-1] if earlier else None

    def _scaled(self, columns: dict[str, Array], own: Mapping[str, float | None]) -> dict[str, Array]:
        """Of a sample: what an issue changes in it is what it would change in the whole; counts as shares of them."""
        last = {name: values[-1] for name, values in self.history.series.items()}
        return {name: transfer_statistic(name, values, own[name], last[name]) for name, values in columns.items()}


class IssueTrials(Protocol):
    """Issues, and what each statistic of the next batch would be with each of them."""

    @property
    def issues(self) -> tuple[Issue, ...]: ...

    @property
    def measured(self) -> dict[str, Array]: ...


@dataclass(frozen=True, eq=False)
class Learner:
    """What is known of a column, from which programs of several budgets are told: `guards` stand in each of them."""

    history: ColumnHistory
    recipe: Recipe
    trials: IssueTrials | None
    guards: tuple[Clause, ...]

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The issues that are tried; none without a sample."""
        return self.trials.issues if self.trials else ()

    @property
    def measured(self) -> Mapping[str, Array]:
        """What each statistic of the next batch would be with each of them; empty without a sample."""
        return self.trials.measured if self.trials else {}

    @property
    def _is_text(self) -> bool:
        return self.history.newest is not None and self.history.newest.is_text

    def program(self, budget: float) -> ColumnProgram:
        """The program that catches the most issues for that rate of false alarms."""
        if not self.issues:
            return ColumnProgram(
                clauses=self.guards,
                budget=budget,
                bound=self.recipe.bound,
                points=self.history.points,
                is_text=self._is_text,
            )
        chosen = ClauseSearch(
            candidates=self.candidates, budget=budget, most=self.recipe.most, caught=self.free, price=self.recipe.price
        ).chosen()
        clauses = [clause_of(each, self.history.series[each.past.statistic.name]) for each in chosen]
        return self._program_of((*clauses, *self.guards), budget)

    @cached_property
    def candidates(self) -> ConstraintCandidates:
        """Every clause that there might be, and which issues it catches."""
        pasts, seen = self._pasts()
        return ConstraintCandidates.of_pasts(pasts, seen, BOUNDS[self.recipe.bound])

    @cached_property
    def free(self) -> Array:
        """Which issues are caught whatever is chosen: by the guards, or without the column."""
        caught = numpy.array([each.name in self.recipe.elsewhere for each in self.issues], dtype=bool)
        for clause in self.guards:
            caught |= self._broken(clause)
        return caught

    def _pasts(self) -> tuple[list[StatisticSummary], list[Array]]:
        pasts, seen = [], []
        for statistic in STATISTICS.values():
            if statistic.name in self.measured and self.recipe.admits(statistic):
                for known in self._of(statistic):
                    pasts.append(known)
                    # The newest batch stands for the next one: it is compared with those before itself.
                    values = self.history.series[statistic.name][:-1]
                    seen.append(known.change.next(self.measured[statistic.name], values))
        return pasts, seen

    def _of(self, statistic: Statistic) -> list[StatisticSummary]:
        values, floor = self.history.series[statistic.name], self.history.floor(statistic.name)
        return [
            known
            for change in self._changes(statistic, values)
            if (known := past(statistic, change, values, floor)) is not None
        ]

    def _changes(self, statistic: Statistic, values: Array) -> Sequence[LagTransform]:
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

    def _program_of(self, clauses: tuple[Clause, ...], budget: float) -> ColumnProgram:
        """The program of these clauses with what each catches, and what of each issue is caught."""
        given = [self._broken(clause) for clause in clauses]
        broken: Array = numpy.array(given, dtype=bool).reshape(len(clauses), len(self.issues))
        alone: Array = broken & (broken.sum(axis=0) == 1)
        shares = zip(clauses, broken, alone, strict=True)
        count = max(1, len(self.issues))
        told = tuple(replace(each, caught=float(b.sum() / count), gain=float(a.sum() / count)) for each, b, a in shares)
        names = [each.name for each in self.issues]
        found = Counter(name for name, hits in zip(names, broken.T, strict=True) if hits.any())
        caught = {name: (found[name], of) for name, of in Counter(names).items()}
        return ColumnProgram(
            clauses=told,
            budget=budget,
            bound=self.recipe.bound,
            points=self.history.points,
            is_text=self._is_text,
            caught=caught,
        )


def _number(value: float | None) -> float:
    return numpy.nan if value is None else value


def transfer_statistic(name: str, values: Array, own: float | None, last: float) -> Array:
    """What a statistic of another batch would be where it would have these `values` in a batch that has its `own`.

    `last`: the other's. A distance is at least its own."""
    statistic = STATISTICS[name]
    if statistic.is_distance:
        return numpy.maximum(values, 0.0 if numpy.isnan(last) else last)
    if own is None:
        return values
    with numpy.errstate(over="ignore", invalid="ignore"):  # infinite values
        if name in ("row_count", "distinct_count", "sum") and own:
            return values * (last / own)
        return values + (last - own)
