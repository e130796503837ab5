"""A metric over time as values: which points are drawn, with what was admitted of each, and how that is told."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import altair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.contracts.schema import Column, Schema
from treaty.engine.core.partitions import partition_names, views
from treaty.registry import schemas
from treaty.registry.schemas import CheckHistoryItemOut, MetricHistoryItemOut
from treaty.ui.parts.metric import metric_charts, metric_series, partition_comparison, point_feedback
from treaty.ui.parts.metric.metric_series import ObservedPoint
from treaty.ui.widgets import charts
from treaty.ui.widgets.charts import ChartBand

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
RUN = uuid4()
LIMITS = ChartBand(10, 20)
FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)
BANDS = st.builds(ChartBand, st.none() | FINITE, st.none() | FINITE)
SEEN = st.builds(
    ObservedPoint,
    label=st.text(max_size=8),
    time=st.just(NOW),
    value=st.none() | FINITE,
    run_id=st.just(RUN),
    reason=st.text(max_size=5),
    band=BANDS,
    expected=st.none() | FINITE,
    learned=st.booleans(),
    outcome=st.sampled_from(["", "passed", "failed"]),
)


def measured(partition: str | None, value: float | None, *, day: int = 0, run: UUID = RUN) -> MetricHistoryItemOut:
    told: dict[str, Any] = {
        "identity": "size", "analyzer": "size", "arguments": {}, "segment": None, "exact": None, "row_count": None,
        "version": "1.0.0", "dataset": None, "tags": (), "reason": None if value is not None else "no rows",
    }  # fmt: skip
    return MetricHistoryItemOut(
        **told, partition=partition, value=value, run_id=run, data_at=NOW + day * DAY, measured_at=NOW + day * DAY
    )


def judged(
    partition: str | None, outcome: str, *, band: dict[str, Any] | None = None, reason: str = ""
) -> CheckHistoryItemOut:
    told: dict[str, Any] = {
        "check_id": "c", "name": "c", "severity": "error", "scope": "delta", "sentence": "s", "column": None,
        "dimension": None, "value": None, "measurement": "size", "finding": None, "row_count": None,
        "violating_rows": None,
        "unevaluated_rows": 0, "threshold": None, "reference": None, "version": "1.0.0", "finished_at": NOW,
        "run_id": RUN,
    }  # fmt: skip
    return CheckHistoryItemOut.model_validate(
        {**told, "partition": partition, "outcome": outcome, "band": band, "reason": reason or None}
    )


def course(
    points: list[MetricHistoryItemOut], verdicts: list[CheckHistoryItemOut] | None = None
) -> tuple[ObservedPoint, ...]:
    return metric_series.course(points, verdicts or [], LIMITS, timezone="Europe/Stockholm")


def test_of_a_partition_measured_again_the_last_value_is_drawn_in_the_order_of_the_data() -> None:
    found = course([measured("day=2", 5, day=1), measured("day=1", 1), measured("day=2", 7, day=1, run=uuid4())])
    assert [(each.label, each.value) for each in found] == [("day 1", 1), ("day 2", 7)]


def test_a_whole_table_has_a_point_a_run_named_in_the_viewers_zone() -> None:
    found = course([measured(None, 1), measured(None, 2, day=1, run=uuid4())])
    assert [each.label for each in found] == ["1 Mar 2026, 13:00 CET", "2 Mar 2026, 13:00 CET"]


def test_a_band_that_was_told_takes_the_place_of_the_contracts_limits() -> None:
    told = {"lower": 4.0, "upper": None, "expected": 5.0}
    first, second = course([measured("a", 5), measured("b", 6)], [judged("a", "failed", band=told)])
    assert (first.band, first.expected, first.learned, first.is_anomaly) == (ChartBand(4, None), 5, True, True)
    assert (second.band, second.expected, second.learned, second.is_anomaly) == (LIMITS, None, False, False)


def test_what_has_no_value_is_a_gap_with_its_reason() -> None:
    (gap,) = course([measured("a", None)])
    assert (gap.value, gap.reason) == (None, "no rows")
    assert metric_series.series_sentence([gap], metric="size") == "size: no values"


def test_the_course_is_told_in_a_sentence() -> None:
    found = course([measured("a", 12), measured("b", 3), measured("c", None)], [judged("b", "failed")])
    assert metric_series.series_sentence(found, metric="size") == (
        "size: 2 values; from 3 to 12; last 3; 1 anomaly; 1 gap"
    )


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ([], ""),
        ([judged("a", "passed")], ""),
        ([judged("a", "not_applicable", reason="learning: 9 of 30 values")], "learning: 9 of 30 values"),
        ([judged("a", "not_evaluated", reason="the column is gone")], ""),
    ],
)
def test_only_a_detector_that_learns_is_told_to_be_learning(last: list[CheckHistoryItemOut], said: str) -> None:
    assert metric_series.learning(last) == said


def test_the_table_has_the_newest_first_and_leads_to_each_report() -> None:
    rows = metric_series.rows(course([measured("a", 12), measured("b", 31)], [judged("b", "failed")]))
    assert [row["Partition or time"] for row in rows] == ["b", "a"]
    assert rows[0]["Outcome"] == "✗ Failed"
    assert rows[0]["Allowed"] == "between 10 and 20"
    assert rows[0]["Report"] == f"/run?id={RUN}"


@given(st.lists(SEEN, max_size=20), BANDS)
def test_the_axis_shows_every_value_band_and_limit(seen: list[ObservedPoint], limits: ChartBand) -> None:
    low, high = metric_charts.extent(seen, limits)
    assert low < high
    assert all(low <= each.value <= high for each in seen if each.value is not None)
    assert all(low <= edge <= high for each in seen if each.learned for edge in each.band.edges)


@pytest.mark.search
@settings(deadline=None, max_examples=4)  # checking against the schema takes a while
@given(st.lists(SEEN, max_size=5), BANDS)
def test_any_course_makes_a_chart_that_vega_lite_takes(seen: list[ObservedPoint], limits: ChartBand) -> None:
    drawn = metric_charts.course(seen, limits, metric="size")
    altair.LayerChart.from_dict(drawn, validate=True)
    altair.LayerChart.from_dict(charts.on_dark(drawn), validate=True)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn


def foreseen(limits: Any = (None, None), **more: Any) -> schemas.FeedbackPreviewOut:
    told = {"outlook": "adaptive", "points": (), "limits": limits, "evaluated": 0, "alarms": (0, 0), "backtest": None}
    return schemas.FeedbackPreviewOut.model_validate({**told, **more})


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (foreseen(), []),
        (foreseen(((1, 9), (2, 8))), ["Allowed now: between 1 and 9; after feedback: between 2 and 8."]),
        (foreseen(((None, 9), (None, 9))), ["Allowed: at most 9 (unchanged)."]),
        (foreseen(evaluated=30, alarms=(2, 0)), ["Of 30 clean points, 2 are outside now; 0 would be outside."]),
        (foreseen(backtest=(1, 16)), ["Limits learned this way would have raised 1 alarm in 16 evaluations."]),
    ],
)
def test_what_a_word_would_change_is_told_in_sentences(found: schemas.FeedbackPreviewOut, said: list[str]) -> None:
    assert point_feedback.sentences(found) == said


EDGES = st.none() | st.tuples(st.none() | FINITE, st.none() | FINITE)
FORESEEN = st.builds(
    schemas.PreviewPointOut, partition=st.just("a"), time=st.just(NOW), value=st.none() | FINITE, run_id=st.just(RUN),
    is_training=st.tuples(st.booleans(), st.booleans()), bands=st.tuples(EDGES, EDGES),
)  # fmt: skip


@pytest.mark.search
@settings(deadline=None, max_examples=4)  # checking against the schema takes a while
@given(st.lists(FORESEEN, max_size=5))
def test_any_foreseen_course_makes_a_chart_that_vega_lite_takes(points: list[schemas.PreviewPointOut]) -> None:
    drawn = metric_charts.foreseen(points, [str(at) for at in range(len(points))], metric="size")
    altair.LayerChart.from_dict(drawn, validate=True)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn


def test_a_point_says_which_fit_judged_it_and_what_was_said_of_it() -> None:
    said = [
        schemas.FeedbackOut(
            id=RUN, object="o", run_id=RUN, partition="a", kind=mark, reason="w", author="b", created_at=NOW,
            incident_id=None,
        )
        for mark in ("expected", "incident")
    ]  # fmt: skip
    verdicts = [judged("a", "failed", band={"lower": 1, "upper": 2, "fit": "f1"})]
    (found,) = metric_series.course([measured("a", 12)], verdicts, LIMITS, timezone="UTC", marks=said)
    (row,) = metric_series.rows([found])
    assert (found.fit, found.feedback, row["Fit"], row["Feedback"]) == ("f1", "expected", "f1", "Expected")


def test_two_distributions_are_drawn_as_shares_over_each_other() -> None:
    drawn = metric_charts.distribution_chart([("a", (0, 1, 2), (3, 1)), ("b", (0, 1, 2), (0, 0))], metric="amount")
    altair.LayerChart.from_dict(drawn, validate=True)
    shares = [[row["share"] for row in layer["data"]["values"]] for layer in drawn["layer"]]
    assert shares == [[0.75, 0.25, 0], [0, 0, 0]]


def test_a_dark_page_changes_colours_and_no_value() -> None:
    drawn = {"mark": {"color": charts.INK}, "data": {"values": [{"label": charts.INK, "colour": charts.SOFT}]}}
    assert charts.on_dark(drawn) == {
        "mark": {"color": "#E4EAF0"},
        "data": {"values": [{"label": charts.INK, "colour": "#A9B7C4"}]},
    }


# Conditions hold no control and no invisible characters.
SHOWN = st.characters(categories=("Ll", "Lu", "Nd", "P", "Sm", "Sc"), max_codepoint=0x2FF)
VALUES = st.none() | st.text(SHOWN, min_size=1, max_size=6)


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=4, unique=True))
def test_the_condition_of_a_partition_chooses_it_alone(values: list[tuple[str | None, str | None]]) -> None:
    by = Schema((Column("day", "string"), Column("a b`c", "string")))
    names = [partition_names.name(by.names, pair) for pair in values]
    for name in names:
        assert views.chosen(partition_comparison.condition(name), names, by) == (name,)


@pytest.mark.parametrize("name", ["", "1 Mar 2026, 13:00 CET"])
def test_what_names_no_partition_has_no_condition(name: str) -> None:
    assert partition_comparison.condition(name) == ""
