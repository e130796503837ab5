"""Programs of partitions by time and segment: each segment is a series of its own, the limits are of all."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.orders import NOW, SCHEMA, check, contract, states

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.core.results import Outcome
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.programs.analyzer_mapping import MEASURES
from treaty.engine.programs.history import Arrival, Batch, ColumnHistory
from treaty.engine.programs.newest_partitions import MOST_SEGMENTS, TIMES, newest
from treaty.engine.programs.refitting.refits import Refit, of_states, refits, watched_clauses
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.programs.suggestions import TableHistory, suggestions
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.statistics import compute_statistics
from treaty.engine.statistics.summaries import summary

START, DAYS, ROWS = datetime(2026, 1, 1, tzinfo=UTC), 30, 80
LEVELS = {"at": 10.0, "de": 100.0, "us": 1000.0}


def time(at: int) -> datetime:
    return START + timedelta(days=at)


def name(at: int, country: str) -> str:
    return f"day={time(at).date()}/country={country}"


def amounts(at: int, country: str, rows: int = ROWS) -> list[float]:
    level = LEVELS[country]
    drawn = numpy.random.default_rng([at, round(level)])
    return [float(each) for each in drawn.normal(level * (1 + 0.02 * at), 0.05 * level, rows)]


def batch(at: int, segment: str, values: Sequence[float]) -> Batch:
    return Batch(name(at, segment), summary(column(list(values))), time(at))


# Series of a segment: on which days it has a partition, with a few numbers each.
SERIES = st.dictionaries(st.integers(0, 25), st.lists(st.floats(-100, 100), min_size=1, max_size=4), max_size=20)


@given(st.lists(SERIES, min_size=1, max_size=4), st.sampled_from([1, 2, 7]), st.sampled_from(["days", None]))
@settings(max_examples=60)
def test_segments_together_are_their_series_one_after_the_other(series: list[Any], lag: int, unit: Any) -> None:
    apart = [
        [batch(at, f"s{place}", values) for at, values in sorted(days.items())] for place, days in enumerate(series)
    ]
    together = ColumnHistory.of(each for batches in apart for each in batches)
    alone = [ColumnHistory.of(batches) for batches in apart if batches]
    change = LagTransform(lag, unit=unit)
    assert [each.name for each in together.learned] == [batch.name for each in alone for batch in each.learned]
    for statistic in ("mean", "row_count", "kolmogorov_smirnov"):
        found = [_lagged(each, statistic, change) for each in alone]
        expected = numpy.concatenate([numpy.zeros(0), *found])
        assert numpy.array_equal(_lagged(together, statistic, change), expected, equal_nan=True)


def _lagged(history: ColumnHistory, statistic: str, change: LagTransform) -> Any:
    return change.series(history.series.get(statistic, numpy.zeros(0)), history.positions(change.unit))


@given(st.lists(SERIES, min_size=1, max_size=4))
@settings(max_examples=40)
def test_before_a_time_nothing_later_is_known(series: list[Any]) -> None:
    batches = [batch(at, f"s{place}", values) for place, days in enumerate(series) for at, values in days.items()]
    history = ColumnHistory.of(batches)
    evaluated = []
    for before, arrivals in history.steps(len(batches), history.training_positions):
        times = {history.batches[at].time for at in arrivals}
        evaluated += arrivals
        assert len(times) == 1
        assert {each.name for each in before.batches} == {each.name for each in batches if each.time < min(times)}  # type: ignore[type-var, operator]
    assert sorted(evaluated) == history.training_positions


def test_the_next_batch_is_compared_within_its_segment() -> None:
    history = ColumnHistory.of(batch(at, country, amounts(at, country)) for country in LEVELS for at in range(3))
    step = LagTransform(1, unit="days")
    for country in LEVELS:
        following = history.before(Arrival(time(3), f"country={country}"))
        difference = step.next(5000.0, following.series["mean"], following.positions("days"))
        assert difference == pytest.approx(5000.0 - numpy.mean(amounts(2, country)))
        assert following.compared is next(each.summary for each in history.batches if each.name == name(2, country))
    unknown = history.before(Arrival(time(3), "fr"))
    assert numpy.isnan(step.next(5000.0, unknown.series["mean"], unknown.positions("days")))
    assert unknown.compared is None


def test_another_level_is_no_outlier_but_a_day_unlike_its_segment_is() -> None:
    odd = {(20, "de"): [5e5] * ROWS}
    batches = [
        batch(at, country, odd.get((at, country), amounts(at, country))) for country in LEVELS for at in range(DAYS)
    ]
    assert ColumnHistory.of(batches).aside == (name(20, "de"),)


def test_the_largest_segment_is_last_and_old_times_are_left_out() -> None:
    names = [name(at, country) for at in range(TIMES + 5) for country in LEVELS]
    found = newest(names, {each: 1000 if each.endswith("de") else 1 for each in names})
    assert found == [(time(at), name(at, country)) for country in ("at", "us", "de") for at in range(5, TIMES + 5)]
    assert newest(names)[-1] == (time(TIMES + 4), name(TIMES + 4, "us"))


def test_too_many_segments_and_two_partitions_of_one_are_refused() -> None:
    many = [f"day=2026-01-01/country={at}" for at in range(MOST_SEGMENTS + 1)]
    assert len(newest(many[1:])) == MOST_SEGMENTS
    with pytest.raises(ValueError, match="at most 20 segments, and the table has 21"):
        newest(many)
    with pytest.raises(ValueError, match="several share one, such as day=2026-01-01/c=x and day=20260101/c=x"):
        newest(["day=2026-01-01/c=x", "day=20260101/c=x", "day=2026-01-02/c=y"])


def known(days: int = DAYS) -> TableHistory:
    """The history of three segments on different levels, all of which grow by a fiftieth of their level a day."""
    names = [(at, country) for country in LEVELS for at in range(days)]
    found = [compute_statistics(summary(column(amounts(at, country)))) for at, country in names]
    return TableHistory(
        names=tuple(name(at, country) for at, country in names),
        times=tuple(time(at) for at, _ in names),
        rows=(ROWS,) * len(names),
        values={"amount": {each: [row[each] for row in found] for each in MEASURES if each in found[0]}},
        texts=frozenset(),
        samples={"amount": column(amounts(days - 1, "us"))},
    )


@pytest.fixture(scope="module")
def drafted() -> list[dict[str, Any]]:
    return suggestions(known(), "orders", ProgramOptions(refit="within: 50%"))


def test_a_draft_says_that_it_learned_from_segments(drafted: list[dict[str, Any]]) -> None:
    assert {each["column"] for each in drafted} == {None, "amount"}
    for each in drafted:
        assert "learned from 3 segments" in each["sentence"]
        assert each["evidence"]["judged_on"] == 3 * 10
        assert each["severity"] == "error"
    assert sum(each["evidence"]["details"]["table_rate"] for each in drafted[:1]) <= 4 / 365.25 / 3


def test_too_few_days_of_many_segments_teach_nothing() -> None:
    assert suggestions(known(13), "orders") == []
    assert {each["severity"] for each in suggestions(known(20), "orders")} == {"warning"}


@pytest.fixture(scope="module")
def promised(drafted: list[dict[str, Any]]) -> Contract:
    return contract(*(each["patch"]["quality"] for each in drafted))


def stored(promised: Contract, at: int, country: str, values: Sequence[float]) -> bytes:
    rows = {"id": range(len(values)), "amount": list(values), "status": [""] * len(values)}
    return states(promised, rows).pack()


def failed(promised: Contract, at: int, odd: Mapping[str, Sequence[float]] = MappingProxyType({})) -> set[str]:
    """The partitions of a day with failed programs; some segments may have other values."""
    table = {
        name(day, country): stored(promised, day, country, amounts(day, country))
        for country in LEVELS for day in range(at - 8, at)
    }  # fmt: skip
    arriving = {
        name(at, country): stored(promised, at, country, odd.get(country, amounts(at, country))) for country in LEVELS
    }
    run = evaluate(
        EvaluationRequest(
            contract=promised,
            object_name="orders",
            states=table | arriving,
            delta=list(arriving),
            started_at=NOW,
            finished_at=NOW,
        )
    )
    ours = [each for each in run.results if "-program-" in (each.check_id or "")]
    assert {each.outcome for each in ours} <= {Outcome.PASSED, Outcome.FAILED}
    return {each.partition or "" for each in ours if each.outcome is Outcome.FAILED}


@pytest.mark.parametrize("at", [DAYS, DAYS + 1, DAYS + 10])
def test_a_clean_day_of_no_segment_alarms(at: int, promised: Contract) -> None:
    assert failed(promised, at) == set()


@pytest.mark.parametrize("country", LEVELS)
def test_missing_values_alarm_in_their_segment_alone(country: str, promised: Contract) -> None:
    half = amounts(DAYS, country)[: ROWS // 2] + [None] * (ROWS // 2)  # type: ignore[list-item]
    assert failed(promised, DAYS, {country: half}) == {name(DAYS, country)}


@pytest.mark.parametrize("country", ["de", "us"])
def test_another_unit_alarms_in_its_segment_alone(country: str, promised: Contract) -> None:
    assert failed(promised, DAYS, {country: [100 * each for each in amounts(DAYS, country)]}) == {name(DAYS, country)}


STEP = {"detector": "program", "of": "amount", "lag": 1, "lag_unit": "days", "rate": 0.001, "width": 12.0}
RATIO = contract(
    check(
        "mean", "ratio", column="amount",
        mustHaveNoAnomalies={**STEP, "logged": True, "lower": -2.0, "upper": 2.0, "refit": "tighten_only"},
    )
)  # fmt: skip


def test_a_refit_compares_each_segment_with_its_own_past() -> None:
    odd = {(25, "us"): [10 * each for each in amounts(25, "us")]}
    packed = {
        name(at, country): stored(RATIO, at, country, odd.get((at, country), amounts(at, country)))
        for at in range(DAYS) for country in LEVELS
    }  # fmt: skip
    wanted = list(watched_clauses(bind(RATIO.object("orders"), SCHEMA)))
    found = refits(wanted, of_states(wanted, SCHEMA, packed, excluded_partitions=frozenset({name(25, "us")})))["ratio"]
    assert isinstance(found, Refit)
    assert found.points == 3 * DAYS - 1
    assert found.evaluated >= 3 * (DAYS - 14) - 2
    assert found.alarms == ()
    assert (found.lower or -9) > -0.5
    assert (found.upper or 9) < 0.5
