"""Fit programs: the past defines normal values, injected issues show which clauses are useful."""

from dataclasses import replace

import numpy
from numpy.random import default_rng

from treaty.engine.programs.clause_selection import ConstraintChoice
from treaty.engine.programs.constraints import BOUNDS, past
from treaty.engine.programs.guards import guards, refit_guard
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.learner import CountTrials, Learner, SampleTrials
from treaty.engine.programs.limits import clause_of
from treaty.engine.programs.program import Clause, ColumnProgram, NoProgram
from treaty.engine.programs.recipe import COMPLETE, GUARDS, RECIPE, SAMPLE, Recipe
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS


def fit(
    history: ColumnHistory, recipe: Recipe = RECIPE, sample: ColumnValues | None = None
) -> ColumnProgram | NoProgram:
    """Fit the program of a column's history; return NoProgram while there is too little.

    `sample`: values of the newest batch. Without a sample the program has only guards, because the value of other
    clauses is unknown."""
    fitted = learner(history, recipe, sample)
    return fitted if isinstance(fitted, NoProgram) else fitted.program(recipe.budget)


def learner(history: ColumnHistory, recipe: Recipe, sample: ColumnValues | None) -> Learner | NoProgram:
    """Return the learner that fits programs for several budgets, or NoProgram.

    NoProgram is returned while there is too little history."""
    return learner_of(history, recipe, trials(history, sample, recipe.seed))


def trials(history: ColumnHistory, sample: ColumnValues | None, seed: int = 0) -> SampleTrials | None:
    """Inject issues into up to 2,000 rows of the newest batch; None without rows or if the type differs."""
    sample_rows = _sampled(sample, seed)
    fits = sample_rows is not None and history.newest is not None and sample_rows.is_text is history.newest.is_text
    return SampleTrials(history, sample_rows, seed) if sample_rows and fits else None


def learner_of(history: ColumnHistory, recipe: Recipe, on: SampleTrials | None) -> Learner | NoProgram:
    """Return the learner that selects clauses by these trials, or NoProgram.

    NoProgram is returned while there is too little history."""
    if history.newest is None or history.length < recipe.least:
        return NoProgram(history.length, recipe.least)
    if on is None:
        return Learner(history, replace(recipe, most=0), CountTrials(history), possible_guards(history, recipe))
    return Learner(history, recipe, on, possible_guards(history, recipe))


def possible_guards(history: ColumnHistory, recipe: Recipe) -> tuple[tuple[Clause, ...], ...]:
    """Return the possible guards of each statistic with that recipe, the widest first."""
    names = [name for name in GUARDS if recipe.guarded and name not in recipe.excluded_guards]
    return tuple(guards(name, history, BOUNDS[recipe.bound]) for name in names)


def refit(program: ColumnProgram, history: ColumnHistory) -> ColumnProgram:
    """Refit the limits of the program's clauses to a newer history; clauses without data keep theirs."""
    return replace(
        program, clauses=tuple(refit_clause(each, history) for each in program.clauses), points=history.points
    )


def refit_clause(clause: Clause, history: ColumnHistory) -> Clause:
    """Refit the limits of the clause to that history; unchanged if the history has no data for it."""
    refitted = refit_guard(clause, history) if clause.guard else _re_learned(clause, history)
    return clause if refitted is None else replace(refitted, caught=clause.caught, gain=clause.gain)


def _re_learned(clause: Clause, history: ColumnHistory) -> Clause | None:
    values = history.series.get(clause.statistic)
    if values is None:
        return None
    positions = history.positions(clause.change.unit)
    summary = past(STATISTICS[clause.statistic], clause.change, values, history.floor(clause.statistic), positions)
    return None if summary is None else _sided(clause_of(ConstraintChoice(summary, clause.width, clause.rate)), clause)


def _sided(refitted: Clause, clause: Clause) -> Clause:
    """Drop the upper limit of completeness if the clause has none, as narrow guards."""
    is_guard = refitted.statistic == COMPLETE and clause.upper is None and not clause.change.lag
    return replace(refitted, upper=None) if is_guard and refitted.lower is not None else refitted


def _sampled(values: ColumnValues | None, seed: int) -> ColumnValues | None:
    rows = 0 if values is None else len(values.values)
    if values is None or rows <= SAMPLE:
        return values if rows else None
    positions = numpy.sort(default_rng(seed).permutation(rows)[:SAMPLE])
    return ColumnValues(values.values[positions], values.neighbour)
