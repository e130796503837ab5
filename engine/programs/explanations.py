"""Describe clauses and programs in sentences for owners."""

from collections.abc import Iterator, Mapping
from typing import Protocol

from treaty.engine.core.number_format import figure, percentage
from treaty.engine.programs.backtest import Backtest
from treaty.engine.programs.constraints import BOUNDS
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.program import Clause, ClauseVerdict, ColumnProgram
from treaty.engine.programs.stationarity import knows_level
from treaty.engine.programs.table_budget import MOST_RATE, QUARTERS, Target, Unpaid, label
from treaty.engine.programs.table_programs import TableProgram
from treaty.engine.statistics.statistics import STATISTICS

LONGER = {
    "earth_movers_distance": "earth mover's distance",
    "cohens_d": "Cohen's d",
    **{f"new_of_{of}": f"share of new {of}" for of in ("values", "masks", "shapes")},
}

NOTHING = "no {kind} fits {budget}: the first one needs {cost}"
SOME = "no {kind} of {columns} fits {budget}: one{each} needs {cost}"
REMEDY = "about {} per quarter; use --false-alarms {}"
TOO_MUCH = f"more than the largest budget, {100 * MOST_RATE:g} % of the partitions"
NO_LEVEL = "{points} partitions cover less than a day: only changes between partitions are limited"
SHOWN = 3


def statistic(name: str) -> str:
    """Return the display name of the statistic."""
    against = " from the previous partition" if STATISTICS[name].is_distance else ""
    return LONGER.get(name, name.replace("_", " ")) + against


# Statistics of a number of distinct values, which sketches estimate.
ESTIMATED = ("distinct_count", "unique_ratio")


class HasLimits(Protocol):
    """An object with limits; None means unlimited on that side."""

    @property
    def lower(self) -> float | None: ...

    @property
    def upper(self) -> float | None: ...


def limits(clause: HasLimits) -> str:
    """Describe the limits of the clause."""
    if clause.lower is None:
        return f"at most {figure(clause.upper)}"
    if clause.upper is None:
        return f"at least {figure(clause.lower)}"
    return f"between {figure(clause.lower)} and {figure(clause.upper)}"


def sentence(clause: Clause, guessed: float = 0.0, segments: int = 1) -> str:
    """Describe the clause: its statistic, limits, past alarms, and the issues it catches.

    `guessed`: standard error of the number of distinct values if a sketch computes it; 0 means exact. `segments`:
    number of segments that the clause was learned from."""
    subject = ", ".join(part for part in (statistic(clause.statistic), clause.change.description) if part)
    scale = "log ratio " if clause.change.logged else ""
    alarms = f"would have alarmed {clause.alarms} of {clause.points} times"
    catches = f"catches {percentage(clause.caught)} of the issues, {percentage(clause.gain)} alone"
    counted = f"; standard error of the count {figure(guessed)}" if guessed and clause.statistic in ESTIMATED else ""
    cost = f"{'a guard, ' if clause.guard else ''}false-alarm rate {percentage(clause.rate)}"
    learned = f"; learned from {segments} segments, with issues of the largest" if segments > 1 else ""
    return f"{subject}, {scale}{limits(clause)}; {alarms}; {catches}; {cost}{counted}{learned}"


def backtest_sentence(tested: Backtest) -> str:
    """Describe the alarms of the program in the backtest; '' if nothing was evaluated."""
    if not tested.evaluated:
        return ""
    times = f"{len(tested.alarms)} of the last {len(tested.evaluated)} partitions"
    return f"backtest: would have alarmed on {times}"


def explain_program(program: ColumnProgram) -> tuple[str, ...]:
    """Describe the program: each clause, the issues caught, and the basis of its false-alarm rate."""
    issues = ", ".join(f"{name.replace('_', ' ')} {hits} of {of}" for name, (hits, of) in program.caught.items())
    bound = BOUNDS[program.bound]
    guarantee = "proven" if bound.proven else "no guarantee"
    rates = f"{percentage(program.rate)} of clean batches alarm (budget {percentage(program.budget)})"
    basis = f"at most {rates}: {bound.description} ({guarantee})"
    learned = f"learned from {program.points} batches"
    return (*map(sentence, program.clauses), *([f"catches {issues}"] if issues else []), basis, learned)


def broken(verdict: ClauseVerdict) -> str:
    """Describe the violation of a clause, or why it could not be evaluated; '' if it is satisfied."""
    clause = verdict.clause
    if verdict.holds is None:
        return f"{statistic(clause.statistic)} was not evaluated: {verdict.reason}"
    if verdict.holds:
        return ""
    against = f", {clause.change.description}," if clause.change.lag else ""
    edges = [edge for edge in (clause.lower, clause.upper) if edge is not None]
    value = figure(verdict.transformed, alongside=edges)
    return f"{statistic(clause.statistic)}{against} is {value}, expected {limits(clause)}"


def budget_notes(program: TableProgram, histories: Mapping[str, ColumnHistory]) -> tuple[str, ...]:
    """Return a sentence for each kind of clause that the budget does not pay for; none if it pays for all."""
    return (*(_words(each, program) for each in program.unpaid), *_without_level(histories))


def _words(unpaid: Unpaid, program: TableProgram) -> str:
    cost = TOO_MUCH if unpaid.alarms is None else REMEDY.format(*[figure(unpaid.alarms)] * 2)
    kind = "guard" if unpaid.guards else "clause besides guards"
    text, each = NOTHING if unpaid.nothing else SOME, " for each" if len(unpaid.columns) > 1 else ""
    return text.format(kind=kind, budget=_budget(program), cost=cost, columns=_some(unpaid.columns), each=each)


def _budget(program: TableProgram) -> str:
    quarterly = program.yearly / QUARTERS
    alarms = float(f"{program.budget * quarterly:.3g}")
    plural = "" if alarms == 1 else "s"
    return f"{figure(alarms)} false alarm{plural} per quarter of {round(quarterly):,} partitions"


def _some(columns: tuple[Target, ...]) -> str:
    more = f" and {len(columns) - SHOWN} more" if len(columns) > SHOWN else ""
    return ", ".join(map(label, columns[:SHOWN])) + more


def _without_level(histories: Mapping[str, ColumnHistory]) -> Iterator[str]:
    longest = max(histories.values(), key=lambda each: each.points, default=None)
    if longest is not None and not knows_level(longest.cadence, longest.points):
        yield NO_LEVEL.format(points=f"{longest.points:,}")
