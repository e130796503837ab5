"""Learn a column's program: injected issues give the benefit of clauses, the past gives their cost."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy
from numpy.random import default_rng
from numpy.typing import NDArray

from treaty.engine.programs.clause_selection import ClauseSearch, ConstraintCandidates, ConstraintChoice
from treaty.engine.programs.constraints import BOUNDS, StatisticSummary, past
from treaty.engine.programs.guards import select_guards, without_repetitions
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.injected_issues import ISSUES, Issue, Setting, Variation, variations
from treaty.engine.programs.limits import clause_of
from treaty.engine.programs.program import Clause, ColumnProgram
from treaty.engine.programs.recipe import Recipe
from treaty.engine.programs.stationarity import LEVEL, LagTransform, first_stationary, offered
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS, Statistic, compute_statistics
from treaty.engine.statistics.summaries import summary

Array = NDArray[Any]

# Issues that affect at most ten percent of numbers are drawn two to eight times, for this many rows in total: chosen by
# hand, about a tenth of a second. The fewer the rows, the more it matters which are affected.
FEW, DRAWN_ROWS, DRAWS = 10.0, 4_000, (2, 8)
NULLS, VOLUME = "nulls", "volume_change"
BY_NAME = {each.name: each for each in ISSUES}
EMPTY: Setting = (0.0,)
OF_NULLS: Mapping[str, Sequence[Setting]] = {NULLS: BY_NAME[NULLS].settings}
OF_VOLUME: Mapping[str, Sequence[Setting]] = {VOLUME: (*BY_NAME[VOLUME].settings, EMPTY)}


@dataclass(frozen=True, eq=False)
class SampleTrials:
    """Issues injected into a sample of the newest batch, with their effect on statistics.

    `measured` applies to the next batch. The trials do not depend on the recipe, so programs of several recipes
    share them."""

    history: ColumnHistory
    sample: ColumnValues
    seed: int = 0

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Return the injected issues, once per setting that has an effect."""
        return self._trial_statistics[0]

    @property
    def measured(self) -> dict[str, Array]:
        """Return each statistic of the next batch with each issue."""
        return self._trial_statistics[1]

    @cached_property
    def _trial_statistics(self) -> tuple[tuple[Issue, ...], dict[str, Array]]:
        """Compute issues and statistics together, so that the changed values need not be stored."""
        batch_summary, sample_summary = self.history.newest, summary(self.sample)
        full = batch_summary is not None and batch_summary.rows == sample_summary.rows
        before = self._before if full else sample_summary
        results = [
            (each.issue, compute_statistics(summary(ColumnValues(each.values)), before)) for each in self._variations()
        ]
        columns = {
            name: numpy.array([_number(row[name]) for _, row in results]) for name in compute_statistics(sample_summary)
        }
        return tuple(issue for issue, _ in results), columns if full else self._scaled(
            columns, compute_statistics(sample_summary)
        )

    def _variations(self) -> Iterator[Variation]:
        """Yield every issue; for numbers, draw those that affect few rows several times.

        Which rows are affected determines what catches the issue; for texts one draw is as good."""
        yield from variations(self.sample, default_rng(self.seed))
        for draw in range(1, self._draws):
            yield from variations(self.sample, default_rng([self.seed, draw]), FEW)

    @property
    def _draws(self) -> int:
        return 1 if self.sample.is_text else int(numpy.clip(DRAWN_ROWS // max(1, len(self.sample.values)), *DRAWS))

    @property
    def _before(self) -> Any:
        earlier = [each.summary for each in self.history.learned[:-1] if each.summary.present]
        return earlier[-1] if earlier else None

    def _scaled(self, columns: dict[str, Array], own: Mapping[str, float | None]) -> dict[str, Array]:
        """Scale the effects in the sample to the whole batch; counts change in proportion."""
        last = {name: values[-1] for name, values in self.history.series.items()}
        return {name: transfer_statistic(name, values, own[name], last[name]) for name, values in columns.items()}


@dataclass(frozen=True, eq=False)
class CountTrials:
    """Issues injected into the counts of the newest batch, which need no sample.

    `settings`: those of each issue, by name."""

    history: ColumnHistory
    settings: Mapping[str, Sequence[Setting]] = field(default_factory=lambda: {**OF_VOLUME, **OF_NULLS})

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Return the injected issues, once per setting."""
        return tuple(issue for issue, _ in self._variations)

    @property
    def measured(self) -> dict[str, Array]:
        """Return the row count and the completeness of the next batch with each issue."""
        rows, complete = (self._newest(name) for name in ("row_count", "complete_ratio"))
        counts = [(float(int(rows * of[0])), complete) if issue.name == VOLUME else (rows, complete * (1 - of[0] / 100))
                  for issue, of in self._variations]  # fmt: skip
        return dict(zip(("row_count", "complete_ratio"), numpy.array(counts).T, strict=True))

    def _newest(self, name: str) -> float:
        return float(numpy.nan_to_num(self.history.series[name][-1]))

    @cached_property
    def _variations(self) -> list[tuple[Issue, Setting]]:
        return [(BY_NAME[name], each) for name, settings in self.settings.items() for each in settings]


class IssueTrials(Protocol):
    """Issues, and each statistic of the next batch with each of them."""

    @property
    def issues(self) -> tuple[Issue, ...]: ...

    @property
    def measured(self) -> dict[str, Array]: ...


@dataclass(frozen=True, eq=False)
class Learner:
    """A column's history and trials, from which programs for several budgets are built.

    `guards`: possible guards of each statistic, the widest first; each program has those that it can pay for."""

    history: ColumnHistory
    recipe: Recipe
    trials: IssueTrials
    guards: tuple[tuple[Clause, ...], ...]

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Return the injected issues."""
        return self.trials.issues

    @property
    def measured(self) -> Mapping[str, Array]:
        """Return each statistic of the next batch with each issue."""
        return self.trials.measured

    @property
    def is_text(self) -> bool:
        """Return whether the newest batch has texts."""
        return self.history.newest is not None and self.history.newest.is_text

    def program(self, budget: float) -> ColumnProgram:
        """Return the program that catches the most issues at that rate of false alarms."""
        guards = select_guards(self.guards, budget, self._broken, self.elsewhere, self.recipe.price)
        remaining = budget - sum(each.rate for each in guards)
        clauses = [clause_of(each) for each in self._chosen(guards, remaining)]
        return self._program_of(without_repetitions(clauses, guards), budget)

    def _chosen(self, guards: Sequence[Clause], budget: float) -> list[ConstraintChoice]:
        if not self.recipe.most:
            return []
        return ClauseSearch(
            candidates=self.candidates,
            budget=budget,
            most=self.recipe.most,
            caught=self.free(guards),
            price=self.recipe.price,
        ).chosen()

    @property
    def cheapest_useful(self) -> float | None:
        """Return the rate of the cheapest clause that is worth its false alarms, besides guards; None without one."""
        if not (self.recipe.most and len(self.candidates.rates)):
            return None
        widest = [each[0] for each in self.guards if each]
        gained = self.candidates.caught[:, : len(self.issues)] & ~self.free(widest)
        rates = self.candidates.rates[gained.mean(axis=1) > self.recipe.price * self.candidates.rates]
        return float(rates.min()) if len(rates) else None

    @cached_property
    def candidates(self) -> ConstraintCandidates:
        """Return every possible clause with the issues that it catches."""
        pasts, observed = self._pasts()
        return ConstraintCandidates.of_pasts(pasts, observed, BOUNDS[self.recipe.bound])

    @cached_property
    def elsewhere(self) -> Array:
        """Return the issues caught by other checks of the table."""
        return numpy.array([each.name in self.recipe.elsewhere for each in self.issues], dtype=bool)

    def free(self, guards: Sequence[Clause]) -> Array:
        """Return the issues caught by these guards or by other checks of the table."""
        free: Array = numpy.any([self.elsewhere, *map(self._broken, guards)], axis=0)
        return free

    def _pasts(self) -> tuple[list[StatisticSummary], list[Array]]:
        pasts, observed = [], []
        for statistic in STATISTICS.values():
            if statistic.name in self.measured and self.recipe.admits(statistic):
                for summary_of_past in self._of(statistic):
                    pasts.append(summary_of_past)
                    observed.append(self._with_issues(statistic.name, summary_of_past.change))
        return pasts, observed

    def _of(self, statistic: Statistic) -> list[StatisticSummary]:
        values, floor = self.history.series[statistic.name], self.history.floor(statistic.name)
        return [
            summary_of_past
            for change in self._changes(statistic, values)
            if (summary_of_past := past(statistic, change, values, floor, self.history.positions(change.unit)))
            is not None
        ]

    def _changes(self, statistic: Statistic, values: Array) -> Sequence[LagTransform]:
        if self.recipe.tested:
            unit = self.history.cadence.unit
            transform = first_stationary(values, unit, self.history.positions(unit))
            return [] if transform is None else [transform]
        if statistic.is_distance:
            return [LEVEL]
        transforms = offered(self.history.cadence, len(values))
        return [each for each in transforms if statistic.most is None or not each.logged]

    def _with_issues(self, statistic: str, change: LagTransform) -> Array:
        """Return the transformed statistic of the next batch with each issue.

        The newest batch stands in for the next one, so it is compared with the ones before it."""
        values = self.history.series[statistic][:-1]
        transformed: Array = change.next(
            self.measured[statistic], values, self.history.positions(change.unit).of_newest
        )
        return transformed

    def _broken(self, clause: Clause) -> Array:
        observed = self._with_issues(clause.statistic, clause.change)
        low = numpy.zeros(len(observed), dtype=bool) if clause.lower is None else observed < clause.lower
        high = numpy.zeros(len(observed), dtype=bool) if clause.upper is None else observed > clause.upper
        broken: Array = low | high
        return broken

    def _program_of(self, clauses: tuple[Clause, ...], budget: float) -> ColumnProgram:
        """Build the program of these clauses with the issues that each of them catches."""
        broken_by_clause = [self._broken(clause) for clause in clauses]
        broken: Array = numpy.array(broken_by_clause, dtype=bool).reshape(len(clauses), len(self.issues))
        alone: Array = broken & (broken.sum(axis=0) == 1)
        shares = zip(clauses, broken, alone, strict=True)
        count = max(1, len(self.issues))
        evaluated = tuple(
            replace(each, caught=float(b.sum() / count), gain=float(a.sum() / count)) for each, b, a in shares
        )
        names = [each.name for each in self.issues]
        hits_by_name = Counter(name for name, hits in zip(names, broken.T, strict=True) if hits.any())
        caught = {name: (hits_by_name[name], of) for name, of in Counter(names).items()}
        return ColumnProgram(
            clauses=evaluated,
            budget=budget,
            bound=self.recipe.bound,
            points=self.history.points,
            is_text=self.is_text,
            caught=caught,
        )


def _number(value: float | None) -> float:
    return numpy.nan if value is None else value


def transfer_statistic(name: str, values: Array, own: float | None, last: float) -> Array:
    """Transfer a statistic's values with issues from one batch to another.

    `own`: the statistic of the first batch without issues; `last`: that of the other batch. Counts are scaled, other
    statistics shifted; a distance is at least the other's own."""
    statistic = STATISTICS[name]
    if statistic.is_distance:
        return numpy.maximum(values, 0.0 if numpy.isnan(last) else last)
    if own is None:
        return values
    with numpy.errstate(over="ignore", invalid="ignore"):  # infinite values
        if name in ("row_count", "distinct_count", "unique_ratio", "sum") and own:
            return values * (last / own)
        return values + (last - own)
