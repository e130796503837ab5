"""The programs of a table's columns: one budget, one alarm for what concerns all columns."""

from datetime import UTC, datetime, timedelta

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import NoProgram
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.programs.table_budget import allowance
from treaty.engine.programs.table_programs import (
    TableProgram,
    columns_of_all,
    completeness_history,
    fit_table,
    mean_completeness,
)
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.summaries import Summary, summary

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ("price", "weight")


def drawn(at: int, place: int, rows: int = 150) -> ColumnValues:
    return ColumnValues(numpy.random.default_rng([at, place]).normal(100, 5, rows))


def batch(at: int, rows: int = 150) -> dict[str, Summary]:
    return {name: summary(drawn(at, place, rows)) for place, name in enumerate(NAMES)}


def histories(count: int) -> dict[str, ColumnHistory]:
    batches = [batch(at) for at in range(count)]
    return {
        name: ColumnHistory.of(
            Batch(str(at), each[name], START + timedelta(days=at)) for at, each in enumerate(batches)
        )
        for name in NAMES
    }


@pytest.fixture(scope="module")
def table() -> tuple[TableProgram, dict[str, ColumnHistory]]:
    known = histories(30)
    samples = {name: drawn(29, place) for place, name in enumerate(NAMES)}
    return fit_table(known, samples, alarms=1.0), known


def test_the_columns_keep_together_to_the_tables_budget(table: tuple[TableProgram, dict[str, ColumnHistory]]) -> None:
    found, _ = table
    assert 0 < found.rate <= found.budget == pytest.approx(0.01)


def test_no_column_judges_the_number_of_rows(table: tuple[TableProgram, dict[str, ColumnHistory]]) -> None:
    found, _ = table
    assert found.rows is not None
    assert "row_count" not in {clause.statistic for each in found.columns.values() for clause in each.clauses}


def test_a_clean_batch_passes(table: tuple[TableProgram, dict[str, ColumnHistory]]) -> None:
    found, known = table
    assert not any(found.judge(batch(at), known).flagged for at in range(1000, 1020))


def test_fewer_rows_are_one_verdict(table: tuple[TableProgram, dict[str, ColumnHistory]]) -> None:
    found, known = table
    judged = found.judge(batch(99, rows=20), known)
    assert judged.flagged
    assert judged.rows is not None
    assert judged.rows.holds is False


def test_a_column_that_is_missing_is_flagged_and_one_more_is_told(
    table: tuple[TableProgram, dict[str, ColumnHistory]],
) -> None:
    found, known = table
    now = batch(99)
    less = found.judge({"price": now["price"]}, known)
    more = found.judge({**now, "colour": now["price"]}, known)
    assert (less.flagged, less.missing) == (True, ("weight",))
    assert (more.flagged, more.added) == (False, ("colour",))


def test_a_young_table_says_how_far_its_columns_are() -> None:
    found = fit_table(histories(9), {})
    young = {str(each) for each in found.columns.values() if isinstance(each, NoProgram)}
    assert young == {"learning: 9 of 14 partitions"}
    assert found.rows is None
    assert fit_table({}, {}, recipe=RECIPE).columns == {}


WIDE, WIDE_ROWS = [f"c{at}" for at in range(12)], 400


def with_losses(at: int, lost: float) -> dict[str, Summary]:
    """Return columns that lack a few values each; on one of ten days a row has none."""
    drawn = numpy.random.default_rng([at, 7])
    found = {}
    for name in WIDE:
        values = drawn.normal(100, 5, WIDE_ROWS)
        values[drawn.random(WIDE_ROWS) < 0.02 + lost] = numpy.nan
        values[:1] = numpy.nan if at % 10 == 0 else values[:1]
        found[name] = summary(ColumnValues(values))
    return found


@pytest.fixture(scope="module")
def wide() -> tuple[TableProgram, dict[str, ColumnHistory]]:
    batches = [with_losses(at, 0.0) for at in range(30)]
    past = {name: ColumnHistory.of(Batch(str(at), each[name]) for at, each in enumerate(batches)) for name in WIDE}
    sample = ColumnValues(numpy.random.default_rng(1).normal(100, 5, WIDE_ROWS))
    return fit_table(past, dict.fromkeys(WIDE, sample), alarms=1.0), past


def test_losses_too_small_for_any_column_are_found_over_all(
    wide: tuple[TableProgram, dict[str, ColumnHistory]],
) -> None:
    found, past = wide
    assert found.complete_columns == tuple(WIDE)
    assert found.rate <= found.budget
    judged = [found.judge(with_losses(at, 0.05), past) for at in range(100, 110)]
    assert all(each.completeness is not None and each.completeness.holds is False for each in judged)
    assert all(each.flagged for each in judged)
    by_column = sum(any(verdict.broken for verdict in each.columns.values()) for each in judged)
    assert by_column < len(judged)


def test_clean_days_and_rows_without_any_value_pass(wide: tuple[TableProgram, dict[str, ColumnHistory]]) -> None:
    found, past = wide
    judged = [found.judge(with_losses(at, 0.0), past).completeness for at in range(200, 240)]
    assert all(each is not None and each.holds for each in judged)


def test_a_missing_column_leaves_completeness_without_a_verdict(
    wide: tuple[TableProgram, dict[str, ColumnHistory]],
) -> None:
    found, past = wide
    fewer = {name: each for name, each in with_losses(99, 0.05).items() if name != WIDE[-1]}
    judged = found.judge(fewer, past)
    assert (judged.completeness.holds if judged.completeness else False) is None
    assert judged.missing == (WIDE[-1],)


@given(st.lists(st.integers(0, 10), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_mean_of_all_columns_does_not_depend_on_their_order(present: list[int], random: object) -> None:
    columns = [summary(ColumnValues(numpy.array([1.0] * n + [numpy.nan] * (10 - n)))) for n in present]
    mean = mean_completeness(columns)
    random.shuffle(columns)  # type: ignore[attr-defined]
    assert mean_completeness(columns) == pytest.approx(sum(present) / (10 * len(present)))
    assert mean == pytest.approx(mean_completeness(columns))
    past = [ColumnHistory.of([Batch("1", each)]) for each in columns]
    assert completeness_history(past).cache["complete_ratio"] == pytest.approx(mean)


def test_only_columns_of_all_batches_count() -> None:
    past = histories(20)
    later = ColumnHistory(past["price"].batches[5:])
    assert columns_of_all({**past, "late": later}) == NAMES
    assert mean_completeness([]) is None
    assert mean_completeness([None, past["price"].batches[0].summary]) is None


def test_a_table_of_one_column_leaves_completeness_to_the_column() -> None:
    assert fit_table({"price": histories(30)["price"]}, {}).completeness is None


RATES = [(1.0, 365.25, 0.01), (0.5, 365.25, 0.00548), (1.0, 8766.0, 0.000456), (1.0, 12.0, 0.01)]


@pytest.mark.parametrize(("alarms", "yearly", "rate"), RATES)
def test_so_many_alarms_a_quarter_are_a_share_of_the_batches_that_come(
    alarms: float, yearly: float, rate: float
) -> None:
    assert allowance(alarms, yearly) == pytest.approx(rate, rel=1e-2)
