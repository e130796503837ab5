"""How a program is learned: the past says what is usual, issues put into a sample say what is worth to be caught."""

from dataclasses import replace

import numpy
from numpy.random import default_rng

from treaty.engine.programs.clause_selection import ConstraintChoice
from treaty.engine.programs.constraints import past
from treaty.engine.programs.history import ColumnHistory
from treaty.engine.programs.learner import Learner, SampleTrials
from treaty.engine.programs.limits import clause_of, guard
from treaty.engine.programs.program import Clause, ColumnProgram, NoProgram
from treaty.engine.programs.recipe import GUARDS, RECIPE, SAMPLE, Recipe
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS


def fit(
    history: ColumnHistory, recipe: Recipe = RECIPE, sample: ColumnValues | None = None
) -> ColumnProgram | NoProgram:
    """The program of a column's history, the sample being values of its newest batch; in words why there is none yet.

    Without a sample only the guards stand: nothing says what else is worth to be watched."""
    found = learner(history, recipe, sample)
    return found if isinstance(found, NoProgram) else found.program(recipe.budget)


def learner(history: ColumnHistory, recipe: Recipe, sample: ColumnValues | None) -> Learner | NoProgram:
    """What programs of several budgets are told from; in words why there is none yet."""
    return learner_of(history, recipe, trials(history, sample, recipe.seed))


def trials(history: ColumnHistory, sample: ColumnValues | None, seed: int = 0) -> SampleTrials | None:
    """Issues put into at most 2,000 rows of the newest batch; None where it has none, or is of another type."""
    drawn = _sampled(sample, seed)
    fits = drawn is not None and history.newest is not None and drawn.is_text is history.newest.is_text
    return SampleTrials(history, drawn, seed) if drawn and fits else None


def learner_of(history: ColumnHistory, recipe: Recipe, on: SampleTrials | None) -> Learner | NoProgram:
    """The learner that chooses by these trials; in words why there is none yet."""
    if history.newest is None or history.points < recipe.least:
        return NoProgram(history.points, recipe.least)
    return Learner(history, recipe, on, guards(history, recipe))


def guards(history: ColumnHistory, recipe: Recipe) -> tuple[Clause, ...]:
    """The guards that stand in every program of that recipe."""
    found = [guard(name, history) for name in GUARDS if recipe.guarded and name not in recipe.excluded_guards]
    return tuple(each for each in found if each is not None)


def refit(program: ColumnProgram, history: ColumnHistory) -> ColumnProgram:
    """The same clauses with limits of a newer history; one that has no past any more keeps its own."""
    return replace(
        program, clauses=tuple(refit_clause(each, history) for each in program.clauses), points=history.points
    )


def refit_clause(clause: Clause, history: ColumnHistory) -> Clause:
    """The clause with limits of that history; as it is where the history has nothing of it."""
    found = guard(clause.statistic, history) if clause.guard else _re_learned(clause, history)
    return clause if found is None else replace(found, caught=clause.caught, gain=clause.gain)


def _re_learned(clause: Clause, history: ColumnHistory) -> Clause | None:
    values = history.series.get(clause.statistic)
    if values is None:
        return None
    known = past(STATISTICS[clause.statistic], clause.change, values, history.floor(clause.statistic))
    return None if known is None else clause_of(ConstraintChoice(known, clause.width, clause.rate), values)


def _sampled(given: ColumnValues | None, seed: int) -> ColumnValues | None:
    rows = 0 if given is None else len(given.values)
    if given is None or rows <= SAMPLE:
        return given if rows else None
    kept = numpy.sort(default_rng(seed).permutation(rows)[:SAMPLE])
    return ColumnValues(given.values[kept], given.neighbour)
