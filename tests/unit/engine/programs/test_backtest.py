"""A program is judged by what came next, learned anew each time: not by the past that its limits were drawn around."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy
import pytest

from treaty.engine.programs.backtest import Backtest, learned_anew
from treaty.engine.programs.explanations import backtest_sentence
from treaty.engine.programs.fitting import learner
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.learner import Learner
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.programs.table_programs import rows_learner
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import summary

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS, BUDGET = 30, 0.01


def numbers(at: int, rows: int = 200) -> ColumnValues:
    return ColumnValues(numpy.random.default_rng(at).normal(100, 10, rows))


def higher_since(day: int) -> Callable[[int], ColumnValues]:
    return lambda at: ColumnValues(numbers(at).values + 30 * (at >= day))


def fewer_on(day: int) -> Callable[[int], ColumnValues]:
    return lambda at: numbers(at, 100 if at == day else 200)


def growing(at: int) -> ColumnValues:
    return ColumnValues(numbers(at).values + 2 * at)


def history(made: Callable[[int], ColumnValues], days: int = DAYS) -> ColumnHistory:
    columns = [made(at) for at in range(days)]
    batches = tuple(Batch(str(at), summary(each), START + timedelta(days=at)) for at, each in enumerate(columns))
    return ColumnHistory(batches, ColumnHistory(batches).series)


def found_of(made: Callable[[int], ColumnValues], days: int = DAYS, most: int = 10) -> Backtest:
    found = learner(history(made, days), RECIPE, made(days - 1))
    assert isinstance(found, Learner)
    return learned_anew(found, BUDGET, most)


LAST = tuple(str(at) for at in range(20, 30))
SERIES = [
    (numbers, LAST, ()),
    (growing, LAST, ()),
    (higher_since(25), LAST, ("25",)),
    (fewer_on(26), LAST, ("26", "27")),
]


@pytest.mark.parametrize(("made", "judged", "alarms"), SERIES)
def test_what_came_unlike_all_before_is_told_although_the_limits_admit_it_now(
    made: Callable[[int], ColumnValues], judged: tuple[str, ...], alarms: tuple[str, ...]
) -> None:
    found = found_of(made)
    assert found.evaluated == judged
    assert set(found.alarms) <= set(alarms)
    assert found.alarms[:1] == alarms[:1]


def test_what_comes_before_a_program_could_be_learned_is_not_judged() -> None:
    assert found_of(numbers, days=16).evaluated == ("14", "15")
    assert found_of(numbers, days=14) == Backtest()
    assert found_of(numbers, most=3).evaluated == LAST[-3:]


def test_the_number_of_rows_is_tested_likewise() -> None:
    assert learned_anew(rows_learner(history(fewer_on(26)), RECIPE), BUDGET, 10).alarms == ("26",)
    assert learned_anew(rows_learner(history(numbers), RECIPE), BUDGET, 10) == Backtest(LAST)


def test_a_column_without_a_sample_is_tested_by_its_guards() -> None:
    found = learner(history(fewer_on(26)), RECIPE, None)
    assert isinstance(found, Learner)
    assert learned_anew(found, BUDGET, 10).alarms == ("26",)


def test_what_an_incident_spoilt_is_neither_learned_from_nor_judged() -> None:
    known = history(higher_since(25))
    spoilt = tuple(replace(each, excluded=each.name == "25") for each in known.batches)
    found = learner(ColumnHistory(spoilt, known.cache), RECIPE, numbers(29))
    assert isinstance(found, Learner)
    assert "25" not in learned_anew(found, BUDGET, 10).evaluated


def test_it_is_told_in_words() -> None:
    assert backtest_sentence(Backtest(("a", "b"), ("b",))).endswith("would have alarmed on 1 of the last 2 partitions")
    assert backtest_sentence(Backtest()) == ""
