"""What a program would have alarmed on, had it been learned anew before each of the newest partitions.

What a program says of the past that it was learned from is kept by choice. Here each partition is judged by the program
of those before it alone: its clauses, not their limits only. The issues that it is chosen by are those put into the
newest sample, for no other is at hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from treaty.engine.programs.fitting import guards
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.injected_issues import Issue
from treaty.engine.programs.learner import Learner, transfer_statistic
from treaty.engine.programs.limits import guard
from treaty.engine.programs.program import verdict
from treaty.engine.programs.recipe import LEAST_BATCHES

Array = NDArray[Any]

ROW_COUNT = "row_count"


@dataclass(frozen=True)
class Backtest:
    """The partitions that were judged, oldest first, and those of them that alarmed, by name."""

    evaluated: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class EarlierTrials:
    """The trials of a learner as they would have been after an earlier history: what an issue changes is the same."""

    of: Learner
    history: ColumnHistory

    @property
    def issues(self) -> tuple[Issue, ...]:
        """The issues that are tried."""
        return self.of.issues

    @cached_property
    def measured(self) -> dict[str, Array]:
        """What each statistic of the next batch would be with each of them."""
        now, then = self.of.history.series, self.history.series
        return {
            name: transfer_statistic(name, values, now[name][-1], then[name][-1])
            for name, values in self.of.measured.items()
        }


def learned_anew(found: Learner, budget: float, most: int) -> Backtest:
    """The newest partitions that are learned from, at most so many, each judged by the program of those before it.

    What had fewer than 14 before it is not judged."""

    def alarmed(before: ColumnHistory, row: Mapping[str, float | None]) -> bool:
        return _before(found, before).program(budget).judge_values(row, before).flagged

    return _tested(found.history, most, alarmed)


def _before(found: Learner, before: ColumnHistory) -> Learner:
    tried = EarlierTrials(found, before) if found.trials else None
    return replace(found, history=before, trials=tried, guards=guards(before, found.recipe))


def rows_anew(history: ColumnHistory, most: int) -> Backtest:
    """The same of the guard of the number of rows."""

    def alarmed(before: ColumnHistory, row: Mapping[str, float | None]) -> bool:
        clause = guard(ROW_COUNT, before)
        return clause is not None and verdict(clause, row[ROW_COUNT], before).holds is False

    return _tested(history, most, alarmed)


def _tested(
    history: ColumnHistory, most: int, alarmed: Callable[[ColumnHistory, Mapping[str, float | None]], bool]
) -> Backtest:  # fmt: skip
    earlier = [(at, history.first(at)) for at in history.training_positions[-most:]]
    told = {
        history.batches[at].name: alarmed(before, history.row(at))
        for at, before in earlier
        if before.points >= LEAST_BATCHES
    }
    return Backtest(tuple(told), tuple(name for name, alarm in told.items() if alarm))
