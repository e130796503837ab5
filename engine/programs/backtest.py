"""Backtest programs: refit before each of the newest partitions and count alarms.

On its own training data a program looks good by construction. Here each partition is evaluated by the program
learned from earlier ones only, with its clauses selected again, not just their limits. The issues used for this
selection are those injected into the newest sample, because no other sample is available."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from treaty.engine.core.learning_options import LEAST_BATCHES
from treaty.engine.programs.fitting import possible_guards
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.injected_issues import Issue
from treaty.engine.programs.learner import Learner, transfer_statistic

Array = NDArray[Any]

# Whether statistics that follow a history alarm.
Alarmed = Callable[[Mapping[str, float | None], ColumnHistory], bool]


@dataclass(frozen=True)
class Backtest:
    """The evaluated partitions, oldest first, and those that raised an alarm, by name."""

    evaluated: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class EarlierTrials:
    """A learner's trials as of an earlier history; the effect of an issue is assumed to be the same."""

    of: Learner
    history: ColumnHistory

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Return the issues that were injected."""
        return self.of.issues

    @cached_property
    def measured(self) -> dict[str, Array]:
        """Return each statistic of the next batch with each issue."""
        now, then = self.of.history.series, self.history.series
        return {
            name: transfer_statistic(name, values, now[name][-1], then[name][-1])
            for name, values in self.of.measured.items()
        }


def learned_anew(learner: Learner, budget: float, most: int) -> Backtest:
    """Backtest the newest partitions, also outliers, each by a program refitted before it.

    `most`: largest number of times, each with one partition per segment. Partitions with fewer than 14 predecessors
    are not evaluated."""

    def fitted(before: ColumnHistory) -> Alarmed:
        program = _before(learner, before).program(budget)
        return lambda row, history: program.judge_values(row, history).flagged

    return _tested(learner.history, most, fitted)


def _before(learner: Learner, before: ColumnHistory) -> Learner:
    trials = EarlierTrials(learner, before)
    return replace(learner, history=before, trials=trials, guards=possible_guards(before, learner.recipe))


def _tested(history: ColumnHistory, most: int, fitted: Callable[[ColumnHistory], Alarmed]) -> Backtest:
    alarm_by_name: dict[str, bool] = {}
    for before, arrivals in history.steps(most, history.sound_positions):
        if before.length >= LEAST_BATCHES:
            alarmed = fitted(before)
            for at in arrivals:
                batch = history.batches[at]
                alarm_by_name[batch.name] = alarmed(history.row(at), before.before(batch.arrival))
    return Backtest(tuple(alarm_by_name), tuple(name for name, alarm in alarm_by_name.items() if alarm))
