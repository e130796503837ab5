"""The programs of all columns of a table, within one budget of false alarms that the owner gives for all of it.

How many rows came and which columns is judged once, not once a column: one incident is one alarm."""

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
# However rare the batches, no more of them may alarm than one of a hundred: by hand.
MOST_RATE = 0.01
# What a column may take of the table's budget: each step twice the one before.
MENU = (0.0, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0)
ONCE = frozenset({ROW_COUNT})
TOLD_BY_ROWS = frozenset({"volume_change"})


@dataclass(frozen=True, kw_only=True)
class TableProgram:
    """A program for each column, and the guard of the number of rows. `budget`: the rate of false alarms of a batch.

    A column that there is no program of yet says how far it is. `tested`: what each would have alarmed on, learned anew
    before each of the newest batches; `rows_tested`: the guard. Where that was asked for."""

    columns: Mapping[str, ColumnProgram | NoProgram]
    rows: Clause | None
    budget: float
    tested: Mapping[str, Backtest] = field(default_factory=dict)
    rows_tested: Backtest = field(default_factory=Backtest)

    @property
    def rate(self) -> float:
        """The bound of the rate at which clean batches alarm: the sum of all columns'."""
        return sum(each.rate for each in self.columns.values() if isinstance(each, ColumnProgram))

    def judge(self, batch: Mapping[str, Summary], histories: Mapping[str, ColumnHistory]) -> "TableVerdict":
        """What the programs say of a batch, given by column."""
        both = [name for name in self.columns if name in batch]
        found = {
            name: program.judge(batch[name], histories[name])
            for name in both
            if isinstance(program := self.columns[name], ColumnProgram)
        }
        missing = tuple(sorted(self.columns.keys() - batch.keys()))
        added = tuple(sorted(batch.keys() - self.columns.keys()))
        return TableVerdict(found, self._of_rows(both, batch, histories), missing, added)

    def _of_rows(
        self, names: list[str], batch: Mapping[str, Summary], histories: Mapping[str, ColumnHistory]
    ) -> ClauseVerdict | None:
        if self.rows is None or not names:
            return None
        return verdict(self.rows, float(batch[names[0]].rows), histories[names[0]])


@dataclass(frozen=True)
class TableVerdict:
    """What is said of a batch: of each column, of the number of rows; which columns are `missing`, which `added`."""

    columns: Mapping[str, ProgramVerdict] = field(default_factory=dict)
    rows: ClauseVerdict | None = None
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def flagged(self) -> bool:
        """Whether anything is wrong: one alarm, however many columns it is seen in. A column more is none."""
        wrong = bool(self.missing) or (self.rows is not None and self.rows.holds is False)
        return wrong or any(each.flagged for each in self.columns.values())


def allowance(alarms: float, yearly: float) -> float:
    """The share of batches that may alarm for so many false alarms a quarter; at most one of a hundred."""
    return min(MOST_RATE, alarms * QUARTERS / yearly)


def fit_table(
    histories: Mapping[str, ColumnHistory],
    samples: Mapping[str, ColumnValues],
    alarms: float = 1.0,
    recipe: Recipe = RECIPE,
    anew: int = 0,
) -> TableProgram:
    """The programs of a table's columns for so many false alarms a quarter, spent where they catch the most issues.

    `anew`: how many of the newest batches are judged by what was known before each. Empty for no columns."""
    if not histories:
        return TableProgram(columns={}, rows=None, budget=0.0)
    longest = max(histories.values(), key=lambda each: each.points)
    return fit_within(histories, samples, allowance(alarms, longest.cadence.yearly), recipe, anew)


def fit_within(
    histories: Mapping[str, ColumnHistory],
    samples: Mapping[str, ColumnValues],
    budget: float,
    recipe: Recipe = RECIPE,
    anew: int = 0,
) -> TableProgram:
    """Learn the programs of a table's columns within a rate of false alarms per batch; see `fit_table`.

    Raises ValueError for no columns."""
    longest = max(histories.values(), key=lambda each: each.points)
    each = replace(recipe, excluded_guards=recipe.excluded_guards | ONCE, elsewhere=recipe.elsewhere | TOLD_BY_ROWS)
    learners = {name: learner(known, each, samples.get(name)) for name, known in histories.items()}
    menus = {name: _menu(found, budget) for name, found in learners.items() if isinstance(found, Learner)}
    still = {name: found for name, found in learners.items() if isinstance(found, NoProgram)}
    chosen = divide_budget(menus, budget)
    columns = {name: chosen[name] if name in chosen else still[name] for name in histories}
    rows = guard(ROW_COUNT, longest) if menus else None
    found = TableProgram(columns=columns, rows=rows, budget=budget)
    return _tested(found, learners, longest, anew) if anew else found


def _tested(
    found: TableProgram, learners: Mapping[str, Learner | NoProgram], longest: ColumnHistory, most: int
) -> TableProgram:
    tested = {
        name: learned_anew(learner, program.budget, most)
        for name, learner in learners.items()
        if isinstance(learner, Learner) and isinstance(program := found.columns[name], ColumnProgram)
    }
    return replace(found, tested=tested, rows_tested=rows_anew(longest, most) if found.rows else Backtest())


def _menu(found: Learner, budget: float) -> list[ColumnProgram]:
    """Programs of the column, from the one that has guards alone to the one that spends the whole budget."""
    return [found.program(share * budget) for share in MENU]


def divide_budget(menus: Mapping[str, Sequence[ColumnProgram]], budget: float) -> dict[str, ColumnProgram]:
    """Of each menu one program, all together within the budget: step by step the one that catches most for its rate.

    The first of a menu is given anyway."""
    chosen = {name: menu[0] for name, menu in menus.items()}
    while True:
        left = budget - sum(each.rate for each in chosen.values())
        steps = [(_worth(chosen[name], each), name, at) for name, menu in menus.items() for at, each in enumerate(menu)
                 if each.rate - chosen[name].rate <= left]  # fmt: skip
        best = max(steps, default=(0.0, "", 0))
        if best[0] <= 0:
            return chosen
        chosen[best[1]] = menus[best[1]][best[2]]


def _worth(now: ColumnProgram, then: ColumnProgram) -> float:
    """How much more is caught for each false alarm more; 0 where nothing is."""
    gain = (then.recall or 0.0) - (now.recall or 0.0)
    return gain / max(then.rate - now.rate, LEAST_PAID) if gain > 0 else 0.0
