"""Fit programs for all columns of a table within one false-alarm budget.

Row count and set of columns are evaluated once per table, not per column: one incident is one alarm."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING

from treaty.engine.anomaly.cadence import DAILY
from treaty.engine.programs.backtest import Backtest, learned_anew
from treaty.engine.programs.clause_selection import LEAST_PAID
from treaty.engine.programs.fitting import learner, possible_guards
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.learner import VOLUME, CountTrials, Learner
from treaty.engine.programs.limits import outward
from treaty.engine.programs.program import Clause, ClauseVerdict, ColumnProgram, NoProgram, ProgramVerdict, verdict
from treaty.engine.programs.recipe import GUARDS, RECIPE, ROW_COUNT, Recipe
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import Summary

QUARTERS = 4
# Upper bound of the false-alarm rate, even for rare batches: chosen by hand.
MOST_RATE = 0.01
# Shares of the table's budget that a column may use, each twice the one before.
MENU = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
# Factor between the budgets that are tried: chosen by hand.
MORE = 1.3
ONCE = frozenset({ROW_COUNT})
TOLD_BY_ROWS = frozenset({VOLUME})


# By column; None is the row count.
Learners = Mapping[str | None, Learner]
Programs = Mapping[str | None, ColumnProgram]


@dataclass(frozen=True, kw_only=True)
class Unpaid:
    """Columns that a budget does not pay for.

    - `columns`: those without a clause; None is the row count.
    - `guards`: whether guards are meant instead of other clauses.
    - `nothing`: whether no column has one.
    - `alarms`: false alarms per quarter that pay for one of each column, or if there is nothing for any; None means
      more than the largest budget."""

    columns: tuple[str | None, ...]
    guards: bool
    nothing: bool
    alarms: float | None


@dataclass(frozen=True, kw_only=True)
class TableProgram:
    """A program per column, and the guard of the row count.

    - `columns`: NoProgram for a column with too little history.
    - `rows`: the guard; None without one.
    - `budget`: rate of false alarms per batch; `yearly`: number of batches per year.
    - `unpaid`: what the budget pays no clause for, and no guard.
    - `tested`, `rows_tested`: backtests of the columns and of the guard, if requested."""

    columns: Mapping[str, ColumnProgram | NoProgram]
    rows: Clause | None
    budget: float
    yearly: float = DAILY.yearly
    unpaid: tuple[Unpaid, ...] = ()
    tested: Mapping[str, Backtest] = field(default_factory=dict)
    rows_tested: Backtest = field(default_factory=Backtest)

    @property
    def rate(self) -> float:
        """Return the bound of the rate at which clean batches alarm: the sum over all clauses."""
        columns = sum(each.rate for each in self.columns.values() if isinstance(each, ColumnProgram))
        return columns + (self.rows.rate if self.rows else 0.0)

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
    ready = {name: learned for name, learned in learners.items() if isinstance(learned, Learner)}
    rows = rows_learner(longest, recipe) if ready else None
    paying: dict[str | None, Learner] = {name: ready[name] for name in ready}
    if rows:
        paying[None] = rows
    chosen = divided(paying, budget)
    pending = {name: learned for name, learned in learners.items() if isinstance(learned, NoProgram)}
    learned = TableProgram(
        columns={name: chosen[name] if name in chosen else pending[name] for name in histories},
        rows=next(iter(chosen[None].clauses), None) if rows else None,
        budget=budget,
        yearly=longest.cadence.yearly,
        unpaid=tuple(unpaid(paying, chosen, longest.cadence.yearly)),
    )
    return _tested(learned, learners, rows, seed) if seed else learned


def rows_learner(history: ColumnHistory, recipe: Recipe) -> Learner:
    """Return the learner of the table's guard: changes of volume show what its widths are worth."""
    alone = replace(recipe, most=0, excluded_guards=frozenset(GUARDS) - ONCE, elsewhere=frozenset())
    return Learner(history, alone, CountTrials(history, TOLD_BY_ROWS), possible_guards(history, alone))


def _tested(
    table_program: TableProgram, learners: Mapping[str, Learner | NoProgram], rows: Learner | None, most: int
) -> TableProgram:
    backtests = {
        name: learned_anew(learner, program.budget, most)
        for name, learner in learners.items()
        if isinstance(learner, Learner) and isinstance(program := table_program.columns[name], ColumnProgram)
    }
    rows_tested = learned_anew(rows, table_program.budget, most) if table_program.rows and rows else Backtest()
    return replace(table_program, tested=backtests, rows_tested=rows_tested)


def allowance(alarms: float, yearly: float) -> float:
    """Return the rate of false alarms per batch, at most one of a hundred.

    `alarms`: false alarms per quarter. `yearly`: number of batches per year."""
    return min(MOST_RATE, alarms * QUARTERS / yearly)


def divided(learners: Learners, budget: float) -> dict[str | None, ColumnProgram]:
    """Return the program of each learner within the table's budget."""
    return divide_budget({name: _menu(each, budget) for name, each in learners.items()}, budget)


def _menu(learner: Learner, budget: float) -> list[ColumnProgram]:
    """Return programs of the column, from an empty one to one that spends the budget."""
    widest = sum(each[0].rate for each in learner.guards if each)
    shares = sorted({0.0, min(widest, budget), *(share * budget for share in MENU)})
    return [learner.program(each) for each in shares]


def divide_budget(
    menus: Mapping[str | None, Sequence[ColumnProgram]], budget: float
) -> dict[str | None, ColumnProgram]:  # fmt: skip
    """Choose one program per menu within the total budget.

    Each step takes the program with the most additional catches for its additional rate. The first program of each
    menu has no clauses and costs nothing."""
    chosen = {name: menu[0] for name, menu in menus.items()}
    while True:
        remaining = budget - sum(each.rate for each in chosen.values())
        steps = [(_worth(chosen[name], each), name or "", each) for name, menu in menus.items() for each in menu
                 if each.rate - chosen[name].rate <= remaining]  # fmt: skip
        worth, name, best = max(steps, default=(0.0, "", None), key=lambda step: step[:2])
        if worth <= 0 or best is None:
            return chosen
        chosen[name or None] = best


def _worth(now: ColumnProgram, then: ColumnProgram) -> float:
    """Return the gain in recall per additional false alarm; 0 without a gain."""
    gain = (then.recall or 0.0) - (now.recall or 0.0)
    return gain / max(then.rate - now.rate, LEAST_PAID) if gain > 0 else 0.0


def unpaid(learners: Learners, chosen: Programs, yearly: float) -> Iterator[Unpaid]:
    """Yield the columns without a useful clause, then those without a guard."""
    yield from _of_kind(learners, chosen, yearly, guards=False)
    yield from _of_kind(learners, chosen, yearly, guards=True)


def _of_kind(learners: Learners, chosen: Programs, yearly: float, *, guards: bool) -> Iterator[Unpaid]:
    has, cheapest = (_has_guard, _widest_guard) if guards else (_has_clause, _cheapest_clause)
    rates = {name: rate for name, each in learners.items() if not has(chosen[name]) and (rate := cheapest(each))}
    if not rates:
        return
    nothing = not any(map(has, chosen.values()))
    enough = any if nothing else all
    spent = sum(each.rate for each in chosen.values())
    least = spent + (min(rates.values()) if nothing else sum(rates.values()))
    alarms = _sufficient(learners, yearly, least, lambda then: enough(has(then[name]) for name in rates))
    yield Unpaid(columns=tuple(rates), guards=guards, nothing=nothing, alarms=alarms)


def _sufficient(
    learners: Learners, yearly: float, rate: float, is_enough: Callable[[Programs], bool]
) -> float | None:  # fmt: skip
    """Return the first budget from that rate on that is enough; other clauses may take what a larger one adds."""
    alarms = _upwards(rate * yearly / QUARTERS)
    while alarms * QUARTERS / yearly <= MOST_RATE:
        if is_enough(divided(learners, allowance(alarms, yearly))):
            return alarms
        alarms = _upwards(MORE * alarms)
    return None


def _upwards(number: float) -> float:
    return outward(number, ROUND_CEILING, 2) or number


def _has_clause(program: ColumnProgram) -> bool:
    return any(not each.guard for each in program.clauses)


def _cheapest_clause(learner: Learner) -> float | None:
    return learner.cheapest_useful


def _has_guard(program: ColumnProgram) -> bool:
    return any(each.statistic in GUARDS for each in program.clauses)


def _widest_guard(learner: Learner) -> float | None:
    return next((each[0].rate for each in learner.guards if each), None)
