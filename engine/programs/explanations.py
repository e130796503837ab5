"""What clauses and programs say of themselves, in sentences that an owner can read."""

from typing import Protocol

from treaty.engine.core.number_format import figure
from treaty.engine.programs.backtest import Backtest
from treaty.engine.programs.constraints import BOUNDS
from treaty.engine.programs.program import Clause, ClauseVerdict, ColumnProgram
from treaty.engine.statistics.statistics import STATISTICS

LONGER = {
    "earth_movers_distance": "earth mover's distance",
    "cohens_d": "Cohen's d",
    **{f"new_of_{of}": f"share of new {of}" for of in ("values", "masks", "shapes")},
}


def statistic(name: str) -> str:
    """The statistic in words."""
    against = " from the partition before" if STATISTICS[name].is_distance else ""
    return LONGER.get(name, name.replace("_", " ")) + against


class HasLimits(Protocol):
    """What has limits; None: open to that side."""

    @property
    def lower(self) -> float | None: ...

    @property
    def upper(self) -> float | None: ...


def limits(clause: HasLimits) -> str:
    """What the clause admits, in words."""
    if clause.lower is None:
        return f"at most {figure(clause.upper)}"
    if clause.upper is None:
        return f"at least {figure(clause.lower)}"
    return f"between {figure(clause.lower)} and {figure(clause.upper)}"


def sentence(clause: Clause, guessed: float = 0.0) -> str:
    """The clause in a sentence: what is looked at, its limits, how often it would have alarmed, what it catches.

    `guessed`: the standard error of the count of distinct values, where a sketch tells it."""
    seen = ", ".join(part for part in (statistic(clause.statistic), clause.change.description) if part)
    looked = "of the ratio's logarithm " if clause.change.logged else ""
    alarms = f"would have alarmed {clause.alarms} of {clause.points} times"
    catches = f"catches {clause.caught:.0%} of the issues, {clause.gain:.0%} alone"
    counted = f"; counted to within {figure(guessed)}" if guessed and clause.statistic == "distinct_count" else ""
    cost = "a guard" if clause.guard else f"counted as {clause.rate:.2%} false alarms"
    return f"{seen}, {looked}{limits(clause)}; {alarms}; {catches}; {cost}{counted}"


def backtest_sentence(tested: Backtest) -> str:
    """How often the program would have alarmed, learned anew before each of the newest partitions; '' for none."""
    if not tested.evaluated:
        return ""
    times = f"{len(tested.alarms)} of the last {len(tested.evaluated)} times"
    return f"learned anew each time, its program would have alarmed {times}"


def explain_program(program: ColumnProgram) -> tuple[str, ...]:
    """The program in sentences: each clause, what is caught of each issue, and what its false alarms rest on."""
    issues = ", ".join(f"{name.replace('_', ' ')} {hits} of {of}" for name, (hits, of) in program.caught.items())
    bound = BOUNDS[program.bound]
    sure = "proven" if bound.proven else "no guarantee"
    rates = f"{program.rate:.2%} of clean batches alarm, of {program.budget:.2%} admitted"
    rests = f"at most {rates}: {bound.description} ({sure})"
    learned = f"learned from {program.points} batches"
    return (*map(sentence, program.clauses), *([f"catches {issues}"] if issues else []), rests, learned)


def broken(verdict: ClauseVerdict) -> str:
    """What broke a clause, in a sentence; why it could not be judged where it was not; '' where it holds."""
    clause = verdict.clause
    if verdict.holds is None:
        return f"{statistic(clause.statistic)} was not judged: {verdict.reason}"
    if verdict.holds:
        return ""
    seen = f", {clause.change.description}," if clause.change.lag else ""
    edges = [edge for edge in (clause.lower, clause.upper) if edge is not None]
    return f"{statistic(clause.statistic)}{seen} is {figure(verdict.transformed, beside=edges)}, not {limits(clause)}"
