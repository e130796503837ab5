"""Represent a column's program: a conjunction of clauses learned from its past."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy

from treaty.engine.anomaly.detector import between
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.statistics.summaries import Summary


@dataclass(frozen=True, kw_only=True)
class Clause:
    """Limits on one transformed statistic: at least `lower`, at most `upper`; None means unlimited.

    - `width`: width of the limits in spreads.
    - `rate`: false-alarm rate by the program's bound.
    - `points`: number of values learned from; `alarms`: number of these outside the limits.
    - `caught`: share of the issues that the clause catches; `gain`: share that no other clause catches.
    - `guard`: limits completeness or row count by the rule of guards; with `width` 0 only an (almost) empty or
      all-null batch violates it."""

    statistic: str
    change: LagTransform
    lower: float | None
    upper: float | None
    middle: float
    width: float
    rate: float
    points: int
    alarms: int = 0
    caught: float = 0.0
    gain: float = 0.0
    guard: bool = False

    def transform(self, value: float | None, history: ColumnHistory) -> float | None:
        """Return the transformed value; None without a value, or without one to compare it with."""
        if value is None:
            return None
        past = history.series.get(self.statistic, numpy.full(history.points, numpy.nan))
        transformed = float(self.change.next(value, past, history.positions(self.change.unit)))
        return transformed if numpy.isfinite(transformed) else None

    def holds(self, value: float) -> bool:
        """Return whether the value is within the limits, both inclusive."""
        return between((self.lower, self.upper), value)


@dataclass(frozen=True, kw_only=True)
class ClauseVerdict:
    """A clause's verdict on a batch.

    `holds`: None if it could not be evaluated, for the `reason`. `value`: the statistic; `transformed`: the value
    compared with the limits."""

    clause: Clause
    holds: bool | None
    value: float | None = None
    transformed: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ProgramVerdict:
    """A program's verdict on a batch, with one per clause.

    `changed_type`: the column now has another type."""

    verdicts: tuple[ClauseVerdict, ...]
    changed_type: bool = False

    @property
    def flagged(self) -> bool:
        """Return whether a clause is violated or the column changed its type."""
        return self.changed_type or any(each.holds is False for each in self.verdicts)

    @property
    def broken(self) -> tuple[ClauseVerdict, ...]:
        """Return the verdicts of the violated clauses."""
        return tuple(each for each in self.verdicts if each.holds is False)


@dataclass(frozen=True, kw_only=True)
class ColumnProgram:
    """A conjunction of clauses for one column.

    - `budget`: requested rate of false alarms.
    - `bound`: name of the bound that rates are computed with.
    - `points`: number of batches learned from.
    - `caught`: by issue, the number of variations caught and their total. A program is immutable; new batches are
      evaluated together with the history before them."""

    clauses: tuple[Clause, ...]
    budget: float
    bound: str
    points: int
    is_text: bool
    caught: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def rate(self) -> float:
        """Return the bound of its false-alarm rate: the sum over its clauses."""
        return sum(clause.rate for clause in self.clauses)

    @cached_property
    def recall(self) -> float | None:
        """Return the share of all issues that it catches; None if no issues were injected."""
        total = sum(of for _, of in self.caught.values())
        return sum(caught for caught, _ in self.caught.values()) / total if total else None

    def judge(self, batch: Summary, history: ColumnHistory) -> ProgramVerdict:
        """Evaluate a batch that follows the history."""
        if self.is_other(batch):
            return ProgramVerdict((), changed_type=True)
        return self.judge_values(history.arriving(batch), history)

    def is_other(self, batch: Summary) -> bool:
        """Return whether the batch has values of another type than the program's."""
        return batch.present > 0 and batch.is_text is not self.is_text

    def judge_values(self, values: Mapping[str, float | None], history: ColumnHistory) -> ProgramVerdict:
        """Evaluate a batch with these statistics that follows the history."""
        return ProgramVerdict(tuple(verdict(clause, values.get(clause.statistic), history) for clause in self.clauses))


def verdict(clause: Clause, value: float | None, history: ColumnHistory) -> ClauseVerdict:
    """Evaluate the clause on a statistic that follows the history; an infinite value violates it."""
    if value is None:
        return ClauseVerdict(clause=clause, holds=None, reason="the partition has no value")
    if not numpy.isfinite(value):
        return ClauseVerdict(clause=clause, holds=False, value=value, transformed=value)
    transformed = clause.transform(value, history)
    if transformed is None:
        return ClauseVerdict(clause=clause, holds=None, value=value, reason="there is no partition to compare it with")
    return ClauseVerdict(clause=clause, holds=clause.holds(transformed), value=value, transformed=transformed)


@dataclass(frozen=True)
class NoProgram:
    """The reason for no program yet: too few batches, or none with a value."""

    have: int
    need: int

    def __str__(self) -> str:
        return f"learning: {self.have} of {self.need} partitions"
