"""Fit programs for all columns of a table within one false-alarm budget.

Row count, completeness of all columns and set of columns are evaluated once per table, not per column: one incident
is one alarm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from treaty.engine.anomaly.cadence import DAILY
from treaty.engine.programs.backtest import Backtest, learned_anew
from treaty.engine.programs.fitting import learner, possible_guards
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.injected_issues import Setting
from treaty.engine.programs.learner import NULLS, OF_VOLUME, CountTrials, Learner
from treaty.engine.programs.program import Clause, ClauseVerdict, ColumnProgram, NoProgram, ProgramVerdict, verdict
from treaty.engine.programs.recipe import COMPLETE, GUARDS, RECIPE, ROW_COUNT, Recipe
from treaty.engine.programs.table_budget import Learners, TableGuard, Target, Unpaid, allowance, divided, unpaid
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import Summary, TextSummary

ONCE = frozenset({ROW_COUNT})
# Losses in percent of all values of a table, which may be too small for the guards of its columns: chosen by hand.
LOSSES: Mapping[str, Sequence[Setting]] = {NULLS: ((1,), (2,), (5,), (10,))}


@dataclass(frozen=True, kw_only=True)
class TableProgram:
    """A program per column, and guards of the whole table.

    - `columns`: NoProgram for a column with too little history.
    - `rows`: the guard of the row count; None without one.
    - `completeness`: the guard of the mean completeness of `complete_columns`; None without one.
    - `budget`: rate of false alarms per batch; `yearly`: number of batches per year.
    - `unpaid`: what the budget pays no clause for, and no guard.
    - `tested`: backtests of columns and guards, if requested."""

    columns: Mapping[str, ColumnProgram | NoProgram]
    rows: Clause | None
    budget: float
    completeness: Clause | None = None
    complete_columns: tuple[str, ...] = ()
    yearly: float = DAILY.yearly
    unpaid: tuple[Unpaid, ...] = ()
    tested: Mapping[Target, Backtest] = field(default_factory=dict)

    @property
    def guards(self) -> dict[TableGuard, Clause]:
        """Return the guards of the whole table."""
        guards = {TableGuard.ROWS: self.rows, TableGuard.COMPLETENESS: self.completeness}
        return {target: each for target, each in guards.items() if each is not None}

    @property
    def rate(self) -> float:
        """Return the bound of the rate at which clean batches alarm: the sum over all clauses."""
        columns = sum(each.rate for each in self.columns.values() if isinstance(each, ColumnProgram))
        return columns + sum(each.rate for each in self.guards.values())

    def judge(self, batch: Mapping[str, Summary], histories: Mapping[str, ColumnHistory]) -> "TableVerdict":
        """Evaluate a batch, given by column."""
        common = [name for name in self.columns if name in batch]
        verdicts = {
            name: program.judge(batch[name], histories[name])
            for name in common
            if isinstance(program := self.columns[name], ColumnProgram)
        }
        missing = tuple(sorted(self.columns.keys() - batch.keys()))
        added = tuple(sorted(batch.keys() - self.columns.keys()))
        guards = self._guard_verdicts(batch, histories[common[0]]) if common else {}
        return TableVerdict(
            columns=verdicts,
            rows=guards.get(TableGuard.ROWS),
            completeness=guards.get(TableGuard.COMPLETENESS),
            missing=missing,
            added=added,
        )

    def _guard_verdicts(self, batch: Mapping[str, Summary], history: ColumnHistory) -> dict[TableGuard, ClauseVerdict]:
        """Evaluate the guards of the table; they limit levels, so any column's history will do."""
        values = {
            TableGuard.ROWS: float(next(iter(batch.values())).rows),
            TableGuard.COMPLETENESS: mean_completeness([batch.get(name) for name in self.complete_columns]),
        }
        return {target: verdict(each, values[target], history) for target, each in self.guards.items()}


@dataclass(frozen=True, kw_only=True)
class TableVerdict:
    """The verdict on a batch: per column, on row count and mean completeness, on `missing` and `added` columns."""

    columns: Mapping[str, ProgramVerdict] = field(default_factory=dict)
    rows: ClauseVerdict | None = None
    completeness: ClauseVerdict | None = None
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """Return whether anything is wrong; several columns are one alarm, and added columns are none."""
        violated = any(each is not None and each.holds is False for each in (self.rows, self.completeness))
        return bool(self.missing) or violated or any(each.flagged for each in self.columns.values())


def fit_table(
    histories: Mapping[str, ColumnHistory],
    samples: Mapping[str, ColumnValues],
    alarms: float = 1.0,
    recipe: Recipe = RECIPE,
    seed: int = 0,
) -> TableProgram:
    """Fit programs for all columns; the budget goes to the columns that catch the most issues.

    `alarms`: false alarms of the table per quarter. `seed`: number of newest batches to backtest. Empty without
    columns."""
    if not histories:
        return TableProgram(columns={}, rows=None, budget=0.0)
    longest = max(histories.values(), key=lambda each: each.points)
    return fit_within(histories, samples, allowance(alarms, longest.cadence.yearly), recipe, seed)


def fit_within(
    histories: Mapping[str, ColumnHistory],
    samples: Mapping[str, ColumnValues],
    budget: float,
    recipe: Recipe = RECIPE,
    seed: int = 0,
) -> TableProgram:
    """Fit programs for all columns within a rate of false alarms per batch; see `fit_table`.

    Raises ValueError without columns."""
    longest = max(histories.values(), key=lambda each: each.points)
    each = replace(recipe, excluded_guards=recipe.excluded_guards | ONCE, elsewhere=recipe.elsewhere | OF_VOLUME.keys())
    learners = {name: learner(history, each, samples.get(name)) for name, history in histories.items()}
    ready: dict[Target, Learner] = {name: each for name, each in learners.items() if isinstance(each, Learner)}
    complete_columns = columns_of_all(histories)
    paying = {**ready, **(guard_learners(histories, complete_columns, recipe) if ready else {})}
    chosen = divided(paying, budget)
    guards = {name: next(iter(chosen[name].clauses), None) for name in TableGuard if name in chosen}
    learned = TableProgram(
        columns={name: each if isinstance(each, NoProgram) else chosen[name] for name, each in learners.items()},
        rows=guards.get(TableGuard.ROWS),
        completeness=guards.get(TableGuard.COMPLETENESS),
        complete_columns=complete_columns,
        budget=budget,
        yearly=longest.cadence.yearly,
        unpaid=tuple(unpaid(paying, chosen, longest.cadence.yearly)),
    )
    return _tested(learned, paying, seed) if seed else learned


def guard_learners(
    histories: Mapping[str, ColumnHistory], complete_columns: Sequence[str], recipe: Recipe
) -> dict[Target, Learner]:
    """Return the learners of the table's guards.

    The completeness of a single column is left to the column."""
    longest = max(histories.values(), key=lambda each: each.points)
    of_rows: dict[Target, Learner] = {TableGuard.ROWS: rows_learner(longest, recipe)}
    if len(complete_columns) < 2:
        return of_rows
    history = completeness_history([histories[name] for name in complete_columns])
    return {**of_rows, TableGuard.COMPLETENESS: _guard_learner(history, COMPLETE, LOSSES, recipe)}


def rows_learner(history: ColumnHistory, recipe: Recipe) -> Learner:
    """Return the learner of the row count: changes of volume show what its widths are worth."""
    return _guard_learner(history, ROW_COUNT, OF_VOLUME, recipe)


def _guard_learner(
    history: ColumnHistory, statistic: str, issues: Mapping[str, Sequence[Setting]], recipe: Recipe
) -> Learner:
    alone = replace(recipe, most=0, excluded_guards=frozenset(GUARDS) - {statistic}, elsewhere=frozenset())
    return Learner(history, alone, CountTrials(history, issues), possible_guards(history, alone))


def columns_of_all(histories: Mapping[str, ColumnHistory]) -> tuple[str, ...]:
    """Return the columns that all batches have."""
    names_by_column = {name: tuple(each.name for each in of.batches) for name, of in histories.items()}
    every = max(names_by_column.values(), key=len)
    return tuple(name for name, each in names_by_column.items() if each == every)


def completeness_history(histories: Sequence[ColumnHistory]) -> ColumnHistory:
    """Return the history of the mean completeness of columns that all batches have.

    A batch has as many values as rows at that completeness, so that the least change is one whole row."""
    batches, rows = list[Batch](), list[dict[str, float | None]]()
    for of_columns in zip(*(each.batches for each in histories), strict=True):
        count, mean = of_columns[0].summary.rows, mean_completeness([each.summary for each in of_columns])
        whole = TextSummary(rows=count, present=round((mean or 0.0) * count), distinct=None)
        batches.append(replace(of_columns[0], summary=whole))
        rows.append({ROW_COUNT: float(count), COMPLETE: mean})
    return ColumnHistory.with_rows(tuple(batches), rows)


def mean_completeness(columns: Sequence[Summary | None]) -> float | None:
    """Return the mean share of rows with a value; None without rows, or if a column is missing."""
    shares = [each.present / each.rows for each in columns if each is not None and each.rows]
    return sum(shares) / len(shares) if shares and len(shares) == len(columns) else None


def _tested(table_program: TableProgram, learners: Learners, most: int) -> TableProgram:
    budgets: dict[Target, float] = dict.fromkeys(table_program.guards, table_program.budget)
    fitted = {name: each for name, each in table_program.columns.items() if isinstance(each, ColumnProgram)}
    budgets.update({name: each.budget for name, each in fitted.items()})
    backtests = {name: learned_anew(learners[name], budget, most) for name, budget in budgets.items()}
    return replace(table_program, tested=backtests)
