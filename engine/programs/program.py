"""A conjunctive program of data quality for a column: clauses that are learned from its past, and judge what comes."""

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
    """What one statistic must keep, as its change has it: at least `lower`, at most `upper`; None: open to that side.

    `width`: of how many spreads; `rate`: of false alarms, by the program's bound; `points`: of how many it was learned.
    `alarms`: how many of these lie outside. `caught`: the share of the issues that it catches alone, `gain`: that no
    other clause does. `guard`: it stands in every program, whatever it catches."""

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
        """The value as the clause looks at it; None where there is none, or none to compare it with."""
        if value is None:
            return None
        found = float(self.change.next(value, history.series.get(self.statistic, numpy.zeros(0))))
        return found if numpy.isfinite(found) else None

    def holds(self, seen: float) -> bool:
        """Whether what is seen lies between the limits, both included."""
        return between((self.lower, self.upper), seen)


@dataclass(frozen=True, kw_only=True)
class ClauseVerdict:
    """What a clause says of a batch: `holds` None where it could not be judged, for the `reason`.

    `value`: the statistic's, `transformed`: what the clause looked at."""

    clause: Clause
    holds: bool | None
    value: float | None = None
    transformed: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class ProgramVerdict:
    """What a program says of a batch: a verdict for each clause. `changed_type`: the column is of another type now."""

    verdicts: tuple[ClauseVerdict, ...]
    changed_type: bool = False

    @property
    def flagged(self) -> bool:
        """Whether something is wrong: a clause is broken, or the column changed its type."""
        return self.changed_type or any(each.holds is False for each in self.verdicts)

    @property
    def broken(self) -> tuple[ClauseVerdict, ...]:
        """The verdicts of the clauses that are broken."""
        return tuple(each for each in self.verdicts if each.holds is False)


@dataclass(frozen=True, kw_only=True)
class ColumnProgram:
    """Clauses that must all hold. `budget`: the rate of false alarms that was asked for; `bound`: by which law.

    `caught`: of each issue how many variations the program catches, and of how many. `points`: of how many batches it
    was learned. It is a value: what comes is judged with the history that it comes after."""

    clauses: tuple[Clause, ...]
    budget: float
    bound: str
    points: int
    is_text: bool
    caught: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @cached_property
    def rate(self) -> float:
        """The bound of its false alarms: the sum of its clauses', guards not among them."""
        return sum(clause.rate for clause in self.clauses if not clause.guard)

    @cached_property
    def recall(self) -> float | None:
        """The share of all issues that it catches; None where none were put in."""
        total = sum(of for _, of in self.caught.values())
        return sum(found for found, _ in self.caught.values()) / total if total else None

    def judge(self, batch: Summary, history: ColumnHistory) -> ProgramVerdict:
        """What the program says of a batch that comes after the history."""
        if self.is_other(batch):
            return ProgramVerdict((), changed_type=True)
        return self.judge_values(history.arriving(batch), history)

    def is_other(self, batch: Summary) -> bool:
        """Whether the batch has values, of another type than the program's."""
        return batch.present > 0 and batch.is_text is not self.is_text

    def judge_values(self, values: Mapping[str, float | None], history: ColumnHistory) -> ProgramVerdict:
        """What the program says of a batch that has these statistics, coming after the history."""
        return ProgramVerdict(tuple(verdict(clause, values.get(clause.statistic), history) for clause in self.clauses))


def verdict(clause: Clause, value: float | None, history: ColumnHistory) -> ClauseVerdict:
    """What the clause says of a statistic's value that comes after the history; what is infinite keeps no limits."""
    if value is None:
        return ClauseVerdict(clause=clause, holds=None, reason="the partition has no value for it")
    if not numpy.isfinite(value):
        return ClauseVerdict(clause=clause, holds=False, value=value, transformed=value)
    seen = clause.transform(value, history)
    if seen is None:
        return ClauseVerdict(clause=clause, holds=None, value=value, reason="there is no partition to compare it with")
    return ClauseVerdict(clause=clause, holds=clause.holds(seen), value=value, transformed=seen)


@dataclass(frozen=True)
class NoProgram:
    """Why there is no program yet: too few batches, or none that has a value."""

    have: int
    need: int

    def __str__(self) -> str:
        return f"learning, {self.have} of {self.need}"
