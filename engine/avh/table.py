"""The programs of all columns of a table, within one budget of false alarms that the owner gives for all of it.

How many rows came and which columns is judged once, not once a column: one incident is one alarm."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.avh.fitting import RECIPE, Recipe, fit, guard
from engine.avh.history import History
from engine.avh.issues import Column
from engine.avh.program import Clause, Judgement, Learning, Program, Verdict, verdict
from engine.avh.summaries import Summary

QUARTERS = 4
# However rare the batches, no more of them may alarm than one of a hundred: by hand.
MOST_RATE = 0.01
ONCE = frozenset({"row_count"})
TOLD_BY_ROWS = frozenset({"volume_change"})


@dataclass(frozen=True)
class TableProgram:
    """A program for each column, and the guard of the number of rows. `budget`: the rate of false alarms of a batch.

    A column that there is no program of yet says how far it is."""

    columns: Mapping[str, Program | Learning]
    rows: Clause | None
    budget: float

    @property
    def rate(self) -> float:
        """The bound of the rate at which clean batches alarm: the sum of all columns'."""
        return sum(each.rate for each in self.columns.values() if isinstance(each, Program))

    def judge(self, batch: Mapping[str, Summary], histories: Mapping[str, History]) -> "TableJudgement":
        """What the programs say of a batch, given by column."""
        both = [name for name in self.columns if name in batch]
        found = {
            name: program.judge(batch[name], histories[name])
            for name in both
            if isinstance(program := self.columns[name], Program)
        }
        missing = tuple(sorted(self.columns.keys() - batch.keys()))
        added = tuple(sorted(batch.keys() - self.columns.keys()))
        return TableJudgement(found, self._of_rows(both, batch, histories), missing, added)

    def _of_rows(
        self, names: list[str], batch: Mapping[str, Summary], histories: Mapping[str, History]
    ) -> Verdict | None:
        if self.rows is None or not names:
            return None
        return verdict(self.rows, float(batch[names[0]].rows), histories[names[0]])


@dataclass(frozen=True)
class TableJudgement:
    """What is said of a batch: of each column, of the number of rows; which columns are `missing`, which `added`."""

    columns: Mapping[str, Judgement] = field(default_factory=dict)
    rows: Verdict | None = None
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
    histories: Mapping[str, History],
    samples: Mapping[str, Column],
    alarms: float = 1.0,
    recipe: Recipe = RECIPE,
) -> TableProgram:
    """The programs of a table's columns for so many false alarms a quarter, divided evenly over the columns.

    Empty for no columns."""
    if not histories:
        return TableProgram({}, None, 0.0)
    longest = max(histories.values(), key=lambda each: each.points)
    budget = allowance(alarms, longest.cadence.yearly)
    each = replace(
        recipe, budget=budget / len(histories), without=recipe.without | ONCE, elsewhere=recipe.elsewhere | TOLD_BY_ROWS
    )
    columns: dict[str, Any] = {name: fit(known, each, samples.get(name)) for name, known in histories.items()}
    rows = guard("row_count", longest) if longest.points >= recipe.least else None
    return TableProgram(columns, rows, budget)
