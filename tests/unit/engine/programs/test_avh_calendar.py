"""Tables that grow, and that are other at the end of each month: generated days, judged by programs of those before."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy
import pytest

from treaty.engine.programs.constraints import measured_tail, past
from treaty.engine.programs.fitting import fit
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import ColumnProgram
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.programs.stationarity import LEVEL
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.outliers import recurring
from treaty.engine.statistics.statistics import STATISTICS
from treaty.engine.statistics.summaries import summary

START, DAYS, KNOWN = datetime(2025, 1, 1, tzinfo=UTC), 182, 80
Mean = Callable[[int, datetime], float]


def is_last(day: datetime) -> bool:
    return (day + timedelta(days=1)).day == 1


def drawn(at: int, mean: Mean) -> ColumnValues:
    day, draw = START + timedelta(days=at), numpy.random.default_rng([7, at])
    return ColumnValues(draw.normal(mean(at, day), 5, 200))


SERIES: dict[str, Mean] = {
    "grows by as much": lambda at, _: 100 + 2 * at,
    "grows by a share": lambda at, _: 100 * 1.02**at,
    "other at the end of the month": lambda _, day: 300 if is_last(day) else 100,
}


@pytest.fixture(scope="module", params=SERIES)
def days(request: pytest.FixtureRequest) -> list[tuple[Batch, ColumnValues]]:
    columns = [drawn(at, SERIES[request.param]) for at in range(DAYS)]
    return [
        (Batch(str(at), summary(each), START + timedelta(days=at)), each) for at, each in enumerate(columns)
    ]  # fmt: skip


def learned(days: list[tuple[Batch, ColumnValues]], at: int) -> tuple[ColumnProgram, ColumnHistory]:
    known = ColumnHistory.of(batch for batch, _ in days[at - KNOWN : at])
    found = fit(known, RECIPE, days[at - 1][1])
    assert isinstance(found, ColumnProgram)
    return found, known


@pytest.mark.search
def test_days_like_those_before_keep_their_programs(days: list[tuple[Batch, ColumnValues]]) -> None:
    """Ends of months among them, of which the history has two at least; what is ten times as large is told."""
    judged = [at for at in range(KNOWN, DAYS) if is_last(START + timedelta(days=at)) or at % 20 == 0]
    for at in judged:
        found, known = learned(days, at)
        assert not found.judge(days[at][0].summary, known).flagged, START + timedelta(days=at)
        assert found.judge(summary(ColumnValues(10 * days[at][1].values)), known).flagged


def test_what_shares_its_day_of_the_month_comes_again() -> None:
    times = [START + timedelta(days=at) for at in range(90)]
    ends = {30, 58, 89}
    assert recurring(ends, times) == ends
    assert recurring({58, 89}, times) == {58, 89}
    assert recurring({3, 34}, times) == {3, 34}
    assert recurring({3, 20, 58}, times) == set()
    assert recurring({3, 34}, [None] * 90) == set()


def test_a_clause_costs_at_least_what_it_would_have_cost_its_own_past() -> None:
    values = numpy.array([0.0, 1.0] * 40)
    values[[20, 60]] = 50.0
    known = past(STATISTICS["mean"], LEVEL, values, 0.0)
    assert known is not None
    rates = measured_tail(known, numpy.array([2.0, 5.0, 8.0]))
    assert rates[0] >= rates[1] >= 2 / 80 > 0.01 > rates[2]
