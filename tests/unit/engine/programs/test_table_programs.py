"""The programs of a table's columns: one budget, one alarm for what concerns all columns."""

from datetime import UTC, datetime, timedelta

import numpy
import pytest

from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import NoProgram
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.programs.table_programs import TableProgram, allowance, fit_table
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


RATES = [(1.0, 365.25, 0.01), (0.5, 365.25, 0.00548), (1.0, 8766.0, 0.000456), (1.0, 12.0, 0.01)]


@pytest.mark.parametrize(("alarms", "yearly", "rate"), RATES)
def test_so_many_alarms_a_quarter_are_a_share_of_the_batches_that_come(
    alarms: float, yearly: float, rate: float
) -> None:
    assert allowance(alarms, yearly) == pytest.approx(rate, rel=1e-2)
