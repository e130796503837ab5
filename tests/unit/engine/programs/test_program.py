"""Programs learned from histories: what they flag, what they let pass, and what becomes of histories that are odd."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from math import isfinite
from typing import Any

import numpy
import pytest

from treaty.engine.anomaly.cadence import DAILY, cadence
from treaty.engine.programs.clause_selection import ClauseSearch, ConstraintCandidates
from treaty.engine.programs.constraints import BOUNDS, StatisticSummary, cantelli, chebyshev, normal, past
from treaty.engine.programs.fitting import fit, refit
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import ColumnProgram, NoProgram
from treaty.engine.programs.recipe import RECIPE, Recipe
from treaty.engine.programs.stationarity import LEVEL, LagTransform, first_stationary, offered, stationary
from treaty.engine.statistics.column_values import ColumnValues, column
from treaty.engine.statistics.statistics import STATISTICS
from treaty.engine.statistics.summaries import summary

ROWS = 200
START = datetime(2026, 1, 1, tzinfo=UTC)


def numbers(at: int, rows: int = ROWS) -> ColumnValues:
    return ColumnValues(numpy.random.default_rng(at).normal(100, 5, rows))


def texts(at: int, rows: int = ROWS) -> ColumnValues:
    drawn = numpy.random.default_rng(at).choice(["Berlin", "Paris 7", "rom-1", "Oslo"], rows, p=[0.4, 0.3, 0.2, 0.1])
    return ColumnValues(drawn.astype(object))


def history(columns: list[ColumnValues], step: timedelta = timedelta(days=1)) -> ColumnHistory:
    batches = [Batch(str(at), summary(each), START + at * step) for at, each in enumerate(columns)]
    return ColumnHistory.of(batches)


def learned(make: Any, count: int = 30, recipe: Recipe = RECIPE) -> tuple[ColumnProgram, ColumnHistory]:
    columns = [make(at) for at in range(count)]
    known = history(columns)
    found = fit(known, recipe, columns[-1])
    assert isinstance(found, ColumnProgram)
    return found, known


@pytest.fixture(scope="module", params=[numbers, texts], ids=["numbers", "texts"])
def program(request: pytest.FixtureRequest) -> tuple[Any, ColumnProgram, ColumnHistory]:
    return (request.param, *learned(request.param))


def test_a_program_lets_clean_batches_pass(program: tuple[Any, ColumnProgram, ColumnHistory]) -> None:
    make, found, known = program
    assert not any(found.judge(summary(make(at)), known).flagged for at in range(1000, 1040))


def test_it_keeps_to_its_budget_and_to_its_number_of_clauses(program: tuple[Any, ColumnProgram, ColumnHistory]) -> None:
    _, found, _ = program
    assert 0 < found.rate <= found.budget == 0.01
    assert len([each for each in found.clauses if not each.guard]) <= 3
    assert {each.statistic for each in found.clauses if each.guard} == {"complete_ratio", "row_count"}


def test_every_limit_is_finite_and_what_is_caught_is_told(program: tuple[Any, ColumnProgram, ColumnHistory]) -> None:
    _, found, _ = program
    limits = [limit for each in found.clauses for limit in (each.lower, each.upper) if limit is not None]
    assert all(isfinite(limit) for limit in limits)
    assert found.recall is not None
    assert found.recall > 0.8
    assert {"blanks", "nulls", "volume_change"} <= set(found.caught)


def broken(make: Any, change: str) -> ColumnValues:
    given = make(77)
    values = given.values.copy()
    match change:
        case "half missing":
            values[::2] = None if given.is_text else numpy.nan
        case "nothing":
            values = values[:0]
        case "twice":
            values = numpy.repeat(values, 2)
        case "all alike":
            values[:] = values[0]
        case "null":
            values[:] = None if given.is_text else numpy.nan
    return ColumnValues(values)


@pytest.mark.parametrize("change", ["half missing", "nothing", "twice", "all alike", "null"])
def test_what_is_broken_is_flagged(program: tuple[Any, ColumnProgram, ColumnHistory], change: str) -> None:
    make, found, known = program
    judged = found.judge(summary(broken(make, change)), known)
    assert judged.flagged
    assert {each.clause for each in judged.broken} <= set(found.clauses)


def test_a_column_that_changes_its_type_is_flagged(program: tuple[Any, ColumnProgram, ColumnHistory]) -> None:
    make, found, known = program
    judged = found.judge(summary(texts(1) if make is numbers else numbers(1)), known)
    assert judged.flagged
    assert judged.changed_type


@pytest.mark.parametrize("count", [0, 1, 9, 13])
def test_with_too_few_batches_it_says_how_many_it_has(count: int) -> None:
    columns = [numbers(at) for at in range(count)]
    found = fit(history(columns), RECIPE, columns[-1] if columns else None)
    assert isinstance(found, NoProgram)
    assert str(found) == f"learning: {count} of 14 partitions"


def test_excluded_batches_are_neither_learned_from_nor_compared_with() -> None:
    columns = [numbers(at) for at in range(30)]
    bad = ColumnValues(columns[20].values * 1000)
    batches = [Batch(str(at), summary(each)) for at, each in enumerate(columns)]
    spoiled = ColumnHistory.of([*batches[:-1], Batch("29", summary(bad), excluded=True)])
    assert spoiled.points == 29
    assert spoiled.compared is batches[-2].summary


def test_without_a_sample_the_guards_stand_alone() -> None:
    found = fit(history([numbers(at) for at in range(20)]))
    assert isinstance(found, ColumnProgram)
    assert all(each.guard for each in found.clauses)
    # Nulls and other numbers of rows need no values, so guards are worth something without a sample.
    assert found.caught == {"nulls": (3, 3), "volume_change": (5, 5)}


def test_a_refit_keeps_the_clauses_and_moves_their_limits(program: tuple[Any, ColumnProgram, ColumnHistory]) -> None:
    make, found, _ = program
    moved = refit(found, history([make(at) for at in range(500, 530)]))
    assert [each.statistic for each in moved.clauses] == [each.statistic for each in found.clauses]
    assert [each.upper for each in moved.clauses] != [each.upper for each in found.clauses]


def test_the_same_history_gives_the_same_program() -> None:
    assert learned(texts)[0] == learned(texts)[0]


def test_batches_given_in_another_order_are_put_in_that_of_their_times() -> None:
    batches = [Batch(str(at), summary(numbers(at, 20)), START + timedelta(days=at)) for at in range(15)]
    assert [each.name for each in ColumnHistory.of(reversed(batches)).batches] == [each.name for each in batches]


def constant(_: int) -> ColumnValues:
    return ColumnValues(numpy.full(50, 7.0))


def nothing(_: int) -> ColumnValues:
    return ColumnValues(numpy.full(50, numpy.nan))


def empty(_: int) -> ColumnValues:
    return ColumnValues(numpy.zeros(0))


def outlier(at: int) -> ColumnValues:
    return ColumnValues(numbers(at, 50).values * (1e12 if at == 11 else 1))


def infinite(at: int) -> ColumnValues:
    return ColumnValues(numpy.append(numbers(at, 50).values, numpy.inf))


def gaps(at: int) -> ColumnValues:
    return nothing(at) if at % 3 else numbers(at, 50)


def another_type(at: int) -> ColumnValues:
    return texts(at, 50) if at < 10 else numbers(at, 50)


def single(at: int) -> ColumnValues:
    return ColumnValues(numpy.array([float(at)]))


def largest(at: int) -> ColumnValues:
    return ColumnValues(numpy.full(50, 1.7e308) * (-1) ** at)


def no_text(_: int) -> ColumnValues:
    return column(["", None, " "])


def one_missing(at: int) -> ColumnValues:
    return nothing(at) if at == 11 else numbers(at, 50)


ODD = [constant, nothing, empty, outlier, infinite, gaps, another_type, single, largest, no_text]


@pytest.mark.parametrize("make", ODD)
def test_an_odd_history_gives_finite_limits_that_its_own_batches_keep(make: Any) -> None:
    columns = [make(at) for at in range(30)]
    known = history(columns)
    found = fit(known, RECIPE, columns[-1])
    assert isinstance(found, ColumnProgram)
    for each in found.clauses:
        assert all(isfinite(limit) for limit in (each.lower, each.upper, each.middle) if limit is not None)
    assert not found.judge(known.batches[-1].summary, known).flagged or make is single


def usual(at: int) -> ColumnValues:
    return numbers(at, 50)


# What is in the history, what of it is set aside, what comes, and whether that is flagged.
STATED = [
    (constant, (), constant, False),
    (constant, (), usual, True),
    (nothing, (), nothing, False),
    (nothing, (), usual, True),
    (one_missing, ("11",), usual, False),
    (one_missing, ("11",), nothing, True),
    (outlier, ("11",), usual, False),
    (outlier, ("11",), lambda _: ColumnValues(usual(7).values * 10), True),
    (gaps, (), usual, False),
    (another_type, tuple(map(str, range(10))), usual, False),
    (another_type, tuple(map(str, range(10))), lambda at: texts(at, 50), True),
]


@pytest.mark.parametrize(("make", "aside", "coming", "flagged"), STATED)
def test_what_becomes_of_an_odd_history_is_stated(make: Any, aside: tuple[str, ...], coming: Any, flagged: Any) -> None:
    columns = [make(at) for at in range(30)]
    known = history(columns)
    found = fit(known, RECIPE, columns[-1])
    assert isinstance(found, ColumnProgram)
    assert known.aside == aside
    assert found.judge(summary(coming(77)), known).flagged is flagged


def test_one_honest_row_more_is_no_incident_in_a_table_that_never_changed() -> None:
    columns = [ColumnValues(numpy.arange(500.0)) for _ in range(30)]
    known = history(columns)
    found = fit(known, RECIPE, columns[-1])
    assert not found.judge(summary(ColumnValues(numpy.arange(501.0))), known).flagged


BY_HAND = [
    (chebyshev, 2.0, 0.25),
    (chebyshev, 0.5, 1.0),
    (cantelli, 2.0, 0.2),
    (normal, 1.959964, 0.05),
    (normal, 3.0, 0.0026998),
]


@pytest.mark.parametrize(("law", "width", "rate"), BY_HAND)
def test_the_papers_bounds_are_those_of_its_propositions(law: Any, width: float, rate: float) -> None:
    assert float(law(numpy.array([width]))[0]) == pytest.approx(rate, rel=1e-4)


@pytest.mark.parametrize("name", BOUNDS)
def test_a_wider_constraint_never_costs_more_and_more_batches_never_cost_more(name: str) -> None:
    widths = numpy.linspace(0.5, 80, 200)
    for statistic, moved in product(("mean", "cohens_d", "maximum"), (0.0, 0.3, 1.0)):
        many = StatisticSummary(
            statistic=STATISTICS[statistic],
            change=LEVEL,
            middle=0.0,
            deviation=1.0,
            points=30,
            relative_deviation=moved,
        )
        rates = BOUNDS[name].rate(many, widths)
        assert (numpy.diff(rates) <= 0).all()
        assert ((rates >= 0) & (rates <= 1)).all()
        assert (BOUNDS[name].rate(replace(many, points=14), widths) >= rates).all()


SERIES = [
    ([5.0] * 10, LEVEL, 5.0, 1.0, 5.0),
    ([1.0, 2, 3, 4, 5, 6], LagTransform(1), 1.0, 1.0, 7.0),
    ([1.0, 2, 4, 8, 16, 32], LagTransform(1, logged=True), float(numpy.log(2)), 1 / 6, 64.0),
]


@pytest.mark.parametrize(("values", "change", "middle", "spread", "following"), SERIES)
def test_a_past_is_seen_as_its_change_has_it(
    values: list[float], change: LagTransform, middle: float, spread: float, following: float
) -> None:
    given = numpy.array(values)
    found = past(STATISTICS["row_count"], change, given, 1.0)
    assert found is not None
    assert (found.middle, found.deviation) == (pytest.approx(middle), pytest.approx(spread))
    assert float(found.away(change.next(following, given))) == pytest.approx(0)


def test_a_distance_is_never_too_small() -> None:
    found = past(STATISTICS["kolmogorov_smirnov"], LEVEL, numpy.array([0.2, 0.3] * 5), 0.0)
    assert found is not None
    assert float(found.away(0.0)) == 0


@pytest.mark.parametrize("bound", ["proven", "paper"])
def test_a_difference_of_distances_pays_for_both_sides(bound: str) -> None:
    values = numpy.array([0.2, 0.3, 0.25, 0.21, 0.29, 0.26, 0.22, 0.28])
    level, step = (past(STATISTICS["kolmogorov_smirnov"], each, values, 0.0) for each in (LEVEL, LagTransform(1)))
    assert level is not None
    assert step is not None
    assert float(step.away(step.middle - step.deviation)) == pytest.approx(1)
    width = numpy.array([3.0])
    assert (BOUNDS[bound].rate(level, width), BOUNDS[bound].rate(step, width)) == (cantelli(width), chebyshev(width))


def test_the_search_takes_the_set_that_catches_most_within_budget_and_number() -> None:
    given = numpy.array([10.0, 11.0] * 10)
    known = [past(STATISTICS[name], LEVEL, given, 1.0) for name in ("row_count", "distinct_count", "minimum_length")]
    usual = numpy.full(4, 10.5)
    seen = [usual + numpy.array(each) for each in ([99, 0, 0, 0], [0, 99, 99, 0], [99, 99, 0, 0])]
    among = ConstraintCandidates.of_pasts([each for each in known if each], seen, BOUNDS["measured"])
    found = ClauseSearch(candidates=among, budget=0.01, most=2, caught=numpy.zeros(4, dtype=bool)).chosen()
    assert {each.past.statistic.name for each in found} >= {"distinct_count"}
    assert len(found) == 2
    assert sum(each.rate for each in found) <= 0.01
    assert ClauseSearch(candidates=among, budget=0.0001, most=2, caught=numpy.zeros(4, dtype=bool)).chosen() == []


@pytest.mark.parametrize(("price", "clauses"), [(0.0, 2), (10.0, 1), (300.0, 0)])
def test_a_clause_is_chosen_where_its_catch_is_worth_its_false_alarms(price: float, clauses: int) -> None:
    given = numpy.array([10.0, 11.0] * 10)
    known = [past(STATISTICS[name], LEVEL, given, 1.0) for name in ("row_count", "distinct_count")]
    usual = numpy.full(20, 10.5)
    seen = [usual + numpy.array(each) for each in ([9] * 19 + [0], [0] * 19 + [9])]
    among = ConstraintCandidates.of_pasts([each for each in known if each], seen, BOUNDS["measured"])
    assert (
        len(
            ClauseSearch(
                candidates=among, budget=0.05, most=2, caught=numpy.zeros(20, dtype=bool), price=price
            ).chosen()
        )
        == clauses
    )


def test_the_paper_takes_the_first_change_that_makes_a_series_stationary() -> None:
    generator = numpy.random.default_rng(3)
    noise = generator.normal(0, 1, 60)
    assert stationary(noise)
    assert first_stationary(noise) == LEVEL
    assert first_stationary(numpy.cumsum(noise) + 5 * numpy.arange(60)) != LEVEL
    assert stationary([4.0] * 10)
    assert not stationary([1.0, 2.0])


CADENCES = [
    (timedelta(hours=1), "hourly", 24),
    (timedelta(days=1), "daily", 7),
    (timedelta(days=7), "weekly", None),
    (timedelta(days=30), "monthly", 12),
    (timedelta(days=3), "irregular", None),
]


@pytest.mark.parametrize(("step", "name", "cycle"), CADENCES)
def test_how_often_batches_come_is_told_from_their_times(step: timedelta, name: str, cycle: int | None) -> None:
    found = cadence([START + at * step for at in range(20)])
    assert (found.name, found.cycle) == (name, cycle)
    assert cadence([None] * 20).name == "irregular"


def test_a_cycle_is_offered_once_three_of_it_are_known() -> None:
    assert LagTransform(7, unit="days") in offered(DAILY, 21)
    assert LagTransform(7, unit="days") not in offered(DAILY, 20)


def test_a_weekly_table_is_compared_with_the_same_day_of_the_week_before() -> None:
    def made(at: int) -> ColumnValues:
        return numbers(at, 1000 if at % 7 else 100)

    found, known = learned(made, 35)
    assert not found.judge(summary(made(35)), known).flagged
