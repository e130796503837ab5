"""Fit programs for all columns of a table within one false-alarm budget.

Row count and set of columns are evaluated once per table, not per column: one incident is one alarm."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from treaty.engine.programs.backtest import ROW_COUNT, Backtest, learned_anew, rows_anew
from treaty.engine.programs.clause_selection import LEAST_PAID
from treaty.engine.programs.fitting import learner
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.learner import Learner
from treaty.engine.programs.limits import guard
from treaty.engine.programs.program import Clause, ClauseVerdict, ColumnProgram, NoProgram, ProgramVerdict, verdict
from treaty.engine.programs.recipe import RECIPE, Recipe
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import Summary

QUARTERS = 4
# Upper bound of the false-alarm rate, even for rare batches: chosen by hand.
MOST_RATE = 0.01
# Shares of the table's budget that a column may use, each twice the one before.
MENU = (0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
ONCE = frozenset({ROW_COUNT})
TOLD_BY_ROWS = frozenset({"volume_change"})


@dataclass(frozen=True, kw_only=True)
class TableProgram:
    """A program per column, and the guard of the row count.

    - `columns`: NoProgram for a column with too little history.
    - `rows`: the guard; None without one.
    - `budget`: rate of false alarms per batch.
    - `tested`, `rows_tested`: backtests of the columns and of the guard, if requested."""

    columns: Mapping[str, ColumnProgram | NoProgram]
    rows: Clause | None
    budget: float
    tested: Mapping[str, Backtest] = field(default_factory=dict)
    rows_tested: Backtest = field(default_factory=Backtest)

    @property
    def rate(self) -> float:
        """Return the bound of the rate at which clean batches alarm: the sum over all columns."""
        return sum(each.rate for each in self.columns.values() if isinstance(each, ColumnProgram))

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
        return TableVerdict(verdicts, self._of_rows(common, batch, histories), missing, added)

    def _of_rows(
        self, names: list[str], batch: Mapping[str, Summary], histories: Mapping[str, ColumnHistory]
    ) -> ClauseVerdict | None:
        if self.rows is None or not names:
            return None
        return verdict(self.rows, float(batch[names[0]].rows), histories[names[0]])


@dataclass(frozen=True)
class TableVerdict:
    """The verdict on a batch: per column, on the row count, and on `missing` and `added` columns."""

    columns: Mapping[str, ProgramVerdict] = field(default_factory=dict)
    rows: ClauseVerdict | None = None
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """Return whether anything is wrong; several columns are one alarm, and added columns are none."""
        wrong = bool(self.missing) or (self.rows is not None and self.rows.holds is False)
        return wrong or any(each.flagged for each in self.columns.values())


def allowance(alarms: float, yearly: float) -> float:
    """Return the rate of false alarms per batch, at most one of a hundred.

    `alarms`: false alarms per quarter. `yearly`: number of batches per year."""
    return min(MOST_RATE, alarms * QUARTERS / yearly)


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
    each = replace(recipe, excluded_guards=recipe.excluded_guards | ONCE, elsewhere=recipe.elsewhere | TOLD_BY_ROWS)
    learners = {name: learner(history, each, samples.get(name)) for name, history in histories.items()}
    menus = {name: _menu(learned, budget) for name, learned in learners.items() if isinstance(learned, Learner)}
    pending = {name: learned for name, learned in learners.items() if isinstance(learned, NoProgram)}
    chosen = divide_budget(menus, budget)
    columns = {name: chosen[name] if name in chosen else pending[name] for name in histories}
    rows = guard(ROW_COUNT, longest) if menus else None
    learned = TableProgram(columns=columns, rows=rows, budget=budget)
    return _tested(learned, learners, longest, seed) if seed else learned


def _tested(
    table_program: TableProgram, learners: Mapping[str, Learner | NoProgram], longest: ColumnHistory, most: int
) -> TableProgram:
    backtests = {
        name: learned_anew(learner, program.budget, most)
        for name, learner in learners.items()
        if isinstance(learner, Learner) and isinstance(program := table_program.columns[name], ColumnProgram)
    }
    return replace(
        table_program, tested=backtests, rows_tested=rows_anew(longest, most) if table_program.rows else Backtest()
    )


def _menu(learner: Learner, budget: float) -> list[ColumnProgram]:
    """Return programs of the column, from guards alone to one that spends the whole budget."""
    return [learner.program(share * budget) for share in MENU]


def divide_budget(menus: Mapping[str, Sequence[ColumnProgram]], budget: float) -> dict[str, ColumnProgram]:
    """Choose one program per menu within the total budget.

    Each step takes the program with the most additional catches for its additional rate. The first program of each
    menu is free."""
    chosen = {name: menu[0] for name, menu in menus.items()}
    while True:
        remaining = budget - sum(each.rate for each in chosen.values())
        steps = [(_worth(chosen[name], each), name, at) for name, menu in menus.items() for at, each in enumerate(menu)
                 if each.rate - chosen[name].rate <= remaining]  # fmt: skip
        best = max(steps, default=(0.0, "", 0))
        if best[0] <= 0:
            return chosen
        chosen[best[1]] = menus[best[1]][best[2]]


def _worth(now: ColumnProgram, then: ColumnProgram) -> float:
    """Return the gain in recall per additional false alarm; 0 without a gain."""
    gain = (then.recall or 0.0) - (now.recall or 0.0)
    return gain / max(then.rate - now.rate, LEAST_PAID) if gain > 0 else 0.0
