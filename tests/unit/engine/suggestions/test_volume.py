"""Row counts that are compared with their past where fixed bounds would miss half of the rows."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

import numpy
import pytest

from treaty.engine.anomaly.detector import DetectorBand, between
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.anomaly.volume_detector import VolumeDetector
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.programs.newest_partitions import MOST_SEGMENTS
from treaty.engine.states.bag import ComponentState, StateBag
from treaty.engine.states.planning.scan_plan import ROWS
from treaty.engine.suggestions.selection.pipeline import suggest
from treaty.engine.suggestions.selection.volume import with_volume

START = datetime(2026, 1, 1, tzinfo=UTC)
DAYS = 40


def rows(kind: str, days: int = DAYS) -> list[int]:
    at = numpy.arange(days)
    noise = numpy.exp(0.03 * numpy.random.default_rng(5).standard_normal(days))
    middle = {
        "flat": numpy.full(days, 1000.0),
        "weekday": numpy.where(at % 7 < 5, 1000.0, 300.0),
        "growth": 1000 * 1.02**at,
        "month end": numpy.where([(START + timedelta(days=int(day) + 1)).day == 1 for day in at], 3000.0, 1000.0),
    }[kind]
    return list(map(int, middle * noise))


def profile(counts: Sequence[int], name: str = "day={:%Y-%m-%d}") -> TableProfile:
    bags = (StateBag({ROWS.key: ComponentState(component=ROWS.component, value=count)}) for count in counts)
    names = (name.format(START + timedelta(days=day)) for day in range(len(counts)))
    return TableProfile(columns=(), partitions=tuple(zip(names, bags, strict=True)))


def suggested(history: TableProfile) -> list[dict[str, Any]]:
    return with_volume(suggest(history, "orders"), history, "orders")


@pytest.mark.parametrize(
    ("kind", "suggestion"),
    [("flat", "row_count_band"), ("weekday", "volume"), ("growth", "volume"), ("month end", "volume")],
)
def test_fixed_bounds_are_suggested_where_they_notice_half_of_the_rows(kind: str, suggestion: str) -> None:
    (found,) = suggested(profile(rows(kind)))
    assert found["kind"] == suggestion


def test_the_evidence_says_what_is_expected_next_and_what_half_of_the_rows_would_do() -> None:
    (found,) = suggested(profile(rows("weekday")))
    evidence = found["evidence"]
    assert (evidence["judged_on"], evidence["back_test"], evidence["details"]["half_noticed"]) == (12, [], 1.0)
    assert evidence["history"] == [
        [f"day={START + timedelta(days=at):%Y-%m-%d}", n] for at, n in enumerate(rows("weekday"))
    ]
    # Fixed limits would be drawn through all days.
    assert evidence["limits"] == [None, None]
    words = re.fullmatch(
        r"size is as predicted: in the next partition between (\d+) and (\d+) \(days of the week.*\)",
        found["expression"],
    )
    assert words
    # The next day is a weekend's first.
    assert 150 < int(words[1]) < 300 < int(words[2]) < 500
    quality = found["patch"]["quality"]
    assert quality["implementation"] == {
        "analyzer": "size",
        "scope": "delta",
        "mustHaveNoAnomalies": {"detector": "volume", "false_alarms": 1.0},
    }


@pytest.mark.parametrize(
    "history",
    [
        profile(rows("weekday", 13)),
        profile(rows("weekday"), name="day={:%Y-%m-%d}/land=DE"),
        profile(rows("weekday"), name="batch={:%j}-x"),
    ],
    ids=["too short", "a segment", "without times"],
)
def test_other_histories_have_fixed_bounds_or_the_volume_of_their_segment(history: TableProfile) -> None:
    kinds = [each["kind"] for each in suggested(history)]
    assert kinds == (["volume"] if "land=DE" in history.partitions[0][0] else ["row_count_band"])


def of_lands(**counts: Sequence[int]) -> TableProfile:
    named = (profile(some, name="day={:%Y-%m-%d}/land=" + land) for land, some in counts.items())
    return TableProfile(
        columns=(), partitions=tuple(sorted((pair for each in named for pair in each.partitions), key=itemgetter(0)))
    )


def test_segments_have_volumes_of_their_own_that_share_the_false_alarms() -> None:
    found = suggested(of_lands(DE=rows("flat"), IT=[count // 50 for count in rows("flat")]))
    (volume,) = (each for each in found if each["kind"] == "volume")
    limit = volume["patch"]["quality"]["implementation"]["mustHaveNoAnomalies"]
    assert limit == {"detector": "volume", "false_alarms": 0.5}
    assert volume["expression"] == "size is as predicted, for each of 2 segments from its own past"
    evidence = volume["evidence"]
    assert (evidence["partitions"], evidence["judged_on"], evidence["back_test"]) == (2 * DAYS, 2 * 12, [])
    assert evidence["details"]["half_noticed"] == 1.0


def test_segments_of_one_size_that_fixed_bounds_judge_well_keep_them() -> None:
    found = suggested(of_lands(DE=rows("flat"), IT=rows("flat")[::-1]))
    assert [each["kind"] for each in found] == ["row_count_band"]


def test_more_segments_than_share_the_false_alarms_have_fixed_bounds() -> None:
    lands = {f"L{at}": [count // (at + 1) for count in rows("flat", 20)] for at in range(MOST_SEGMENTS + 1)}
    assert "volume" not in {each["kind"] for each in suggested(of_lands(**lands))}
    del lands["L0"]
    assert "volume" in {each["kind"] for each in suggested(of_lands(**lands))}


def test_a_volume_that_alarmed_on_several_newer_partitions_is_not_suggested() -> None:
    counts = rows("weekday")
    spoilt = [count // (4 if at in (30, 33, 37) else 1) for at, count in enumerate(counts)]
    assert "volume" not in {each["kind"] for each in suggested(profile(spoilt))}


def program(column: str | None, analyzer: str, limits: list[int]) -> dict[str, Any]:
    patch = {"quality": {"implementation": {"analyzer": analyzer}}}
    return {"kind": "program", "column": column, "patch": patch, "evidence": {"limits": limits}}


def test_a_program_s_guard_of_rows_gives_way_to_the_volume() -> None:
    guards = [program(None, "size", [10, 4000]), program(None, "mean_completeness", [0, 1])]
    found = with_volume([*guards, program("amount", "mean", [1, 2])], profile(rows("weekday")), "orders")
    assert [(each["kind"], each["column"]) for each in found] == [
        ("volume", None), ("program", None), ("program", "amount")
    ]  # fmt: skip


def band(counts: Sequence[int], **settings: Any) -> tuple[float, float]:
    points = (SeriesPoint(time=START + timedelta(days=at), value=float(n)) for at, n in enumerate(counts))
    at = START + timedelta(days=len(counts))
    found = VolumeDetector(**settings).judge(DetectionRequest(past=Series.of(points), at=at))
    assert isinstance(found, DetectorBand)
    assert found.lower is not None
    assert found.upper is not None
    return found.lower, found.upper


def test_a_tenth_more_or_fewer_rows_never_alarm() -> None:
    assert band([1000] * 300) == pytest.approx((900, 1100))
    assert band([1000] * 300, tolerance=0.2) == pytest.approx((800, 1200))


def test_a_peak_may_recur_on_the_same_day_of_the_next_month_and_on_no_other() -> None:
    counts = rows("month end", 60)
    last_of_february, day_after = band(counts[:58]), band(counts[:59])
    assert between(last_of_february, 3000)
    assert not between(day_after, 3000)
    assert not between(last_of_february, 500)


def test_an_hour_s_peak_recurs_at_that_hour_alone() -> None:
    times = [START + timedelta(hours=at) for at in range(31 * 24 + 12)]
    counts = [900 if each.hour == 12 else 300 for each in times]
    points = [
        SeriesPoint(time=time, value=count + at % 7.0)
        for at, (time, count) in enumerate(zip(times, counts, strict=True))
    ]
    for at, is_peak in ((times[-1] + timedelta(hours=1), True), (times[-1], False)):
        found = VolumeDetector().judge(DetectionRequest(past=Series.of(points).before(at), at=at))
        assert isinstance(found, DetectorBand)
        assert between((found.lower, found.upper), 906) is is_peak
