"""What is learned from: which partitions are set aside, and when a change is believed."""

from collections.abc import Sequence

import numpy
import pytest

from treaty.engine.programs.constraints import BOUNDS, past
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.stationarity import LEVEL
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.outliers import set_aside
from treaty.engine.statistics.statistics import STATISTICS
from treaty.engine.statistics.summaries import summary

USUAL = [0.97] * 20
CASES: dict[str, tuple[Sequence[float], set[int]]] = {
    "nothing odd": ([*USUAL, 0.969, 0.971], set()),
    "a burst": ([*USUAL, 0.6, *USUAL], {20}),
    "two bursts": ([*USUAL, 0.6, 0.97, 0.97, 0.65, 0.97], {20, 23}),
    "the last one": ([*USUAL, 0.6], {20}),
    "a change that lasts": ([*USUAL, 0.6, 0.6, 0.6], set()),
    "a burst on the new level": ([*USUAL, *[0.6] * 6, 0.97, 0.6], {26}),
    "too few to tell": ([0.97, 0.97, 0.1], set()),
    "gaps": ([*USUAL, numpy.nan, 0.6, 0.97], {21}),
    "nothing": ([], set()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_partition_with_far_fewer_values_is_set_aside_until_the_next_one_agrees(name: str) -> None:
    shares, odd = CASES[name]
    assert set_aside(numpy.array(shares), 10.0, 0.004) == odd


def batch(at: int, missing: int = 0) -> Batch:
    values = numpy.random.default_rng(at).normal(100, 5, 100)
    values[:missing] = numpy.nan
    return Batch(str(at), summary(ColumnValues(values)))


def test_nothing_is_learned_from_what_is_set_aside_nor_compared_with_it() -> None:
    whole = ColumnHistory.of(batch(at, missing=60 if at == 11 else 0) for at in range(12))
    assert whole.aside == ("11",)
    assert whole.points == 11
    assert len(whole.series["mean"]) == 11
    assert whole.compared is whole.batches[10].summary


def test_statistics_that_are_known_leave_out_what_is_set_aside_too() -> None:
    batches = tuple(batch(at, missing=60 if at == 7 else 0) for at in range(12))
    known = ColumnHistory.with_rows(batches, [{"mean": float(at)} for at in range(12)])
    assert known.series["mean"].tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]


@pytest.mark.parametrize(("floors", "rate"), [(1.0, 0.001), (2.0, 0.00075), (50.0, 0.00051)])
def test_what_never_moved_costs_little_beyond_a_row(floors: float, rate: float) -> None:
    still = past(STATISTICS["distinct_count"], LEVEL, numpy.array([40.0] * 30), 1.0)
    assert still is not None
    assert float(still.away(41.0)) <= 1.0 < float(still.away(42.0))
    assert float(BOUNDS["measured"].rate(still, numpy.array([floors]))[0]) == pytest.approx(rate)
