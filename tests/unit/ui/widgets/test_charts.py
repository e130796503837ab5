"""Charts as values: what is drawn, with which limits, and how it is told to who cannot see it."""

import json
import math
from typing import Any

import altair
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.ui.widgets import charts
from treaty.ui.widgets.charts import ChartBand, ChartPoint

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e12, max_value=1e12)
SERIES = st.lists(st.builds(ChartPoint, st.text(max_size=8), FINITE), max_size=30).map(tuple)
BANDS = st.builds(ChartBand, st.none() | FINITE, st.none() | FINITE)
DAYS = tuple(ChartPoint(f"day={number}", float(number)) for number in range(5))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1, 1.0),
        ("0.5", 0.5),
        (None, None),
        ("text", None),
        (math.nan, None),
        (math.inf, None),
        (10**400, None),
        ([], None),
        (True, 1.0),
    ],
)
def test_only_finite_numbers_are_drawn(value: Any, found: float | None) -> None:
    assert charts.number(value) == found


def test_points_leave_out_what_cannot_be_drawn() -> None:
    assert charts.points([["a", 1], ["b", None], ["c", "x"], ["d", 2.5]]) == (
        ChartPoint("a", 1.0),
        ChartPoint("d", 2.5),
    )


@given(SERIES, BANDS)
def test_the_axis_shows_every_value_and_every_limit(series: tuple[ChartPoint, ...], band: ChartBand) -> None:
    low, high = charts.domain(series, band)

    assert low < high
    assert all(low <= seen <= high for seen in [*(point.value for point in series), *band.edges])


@pytest.mark.search
@settings(deadline=None, max_examples=5)  # checking against the schema takes a while
@given(SERIES, BANDS, st.sampled_from(["small", "large"]))
def test_any_series_makes_a_chart_that_vega_lite_takes(
    series: tuple[ChartPoint, ...], band: ChartBand, size: str
) -> None:
    drawn = charts.sparkline(series, band) if size == "small" else charts.history(series, band, metric="size")

    altair.LayerChart.from_dict(drawn, validate=True)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn


@given(FINITE, BANDS)
def test_a_value_is_marked_exactly_when_the_band_does_not_admit_it(value: float, band: ChartBand) -> None:
    spec = charts.sparkline((ChartPoint("a", value),), band)

    states = {row["state"] for rows in _data(spec) for row in rows if "state" in row}

    assert states == {"within" if band.admits(value) else "outside"}


def test_this_run_stands_out() -> None:
    spec = charts.history(DAYS, ChartBand(1, 3), metric="size", marked="day=4")

    assert [row["label"] for rows in _data(spec)[:4] for row in rows if row.get("marked")].count("day=4") >= 1
    assert not any(row["marked"] for rows in _data(spec) for row in rows if row.get("label") == "day=2")
    small = charts.sparkline(DAYS, ChartBand(1, 3), marked=("day=2", "day=4"))
    assert {row["label"] for rows in _data(small) for row in rows if row.get("marked")} == {"day=2", "day=4"}


@pytest.mark.parametrize(
    ("band", "labels"),
    [
        (ChartBand(1, 3), ["at least 1", "at most 3"]),
        (ChartBand(1, 1), ["exactly 1"]),
        (ChartBand(0.99, None), ["at least 0.99"]),
        (ChartBand(), []),
    ],
)
def test_limits_are_written_beside_their_lines(band: ChartBand, labels: list[str]) -> None:
    spec = charts.history(DAYS, band, metric="size")

    assert [row["word"] for rows in _data(spec) for row in rows if "word" in row] == labels


@pytest.mark.parametrize(
    ("series", "band", "said"),
    [
        ((), ChartBand(), "size: no values yet"),
        (DAYS, ChartBand(1, 3), "size over 5 partitions; from 0 to 4; allowed: between 1 and 3; 2 outside the limits"),
        (DAYS[:1], ChartBand(), "size over 1 partition; from 0 to 0; no limits"),
    ],
)
def test_the_chart_is_told_in_a_sentence(series: tuple[ChartPoint, ...], band: ChartBand, said: str) -> None:
    assert charts.describe_chart(series, band, metric="size") == said


def _data(spec: Any) -> list[list[dict[str, Any]]]:
    """The rows of every layer, wherever they stand in the chart."""
    if isinstance(spec, dict):
        own = [spec["data"]["values"]] if "values" in spec.get("data", {}) else []
        return own + [rows for each in spec.values() for rows in _data(each)]
    return [rows for each in spec for rows in _data(each)] if isinstance(spec, list) else []


def test_a_share_is_drawn_in_percent() -> None:
    series = (ChartPoint("a", 1.0, "share"), ChartPoint("b", 0.5397, "share"))
    spec = json.dumps(charts.history(series, ChartBand(lower=0.9), metric="completeness"))
    assert [each in spec for each in ('"54.0 %"', "at least 90.0 %", "datum.value * 100")] == [True] * 3
    described = charts.describe_chart(series, ChartBand(lower=0.9), metric="completeness")
    assert "from 54.0 % to 100.0 %" in described
