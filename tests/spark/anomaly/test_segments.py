"""Anomalies of segments on a Spark table that is not partitioned by them, as in Deequ's paper (VLDB 2018, 5.4)."""

from typing import Any

from treaty.engine.anomaly.closed_form import OnlineNormal
from treaty.engine.dsl import Check

DAYS, ROWS = 12, 40
# Of anime two in forty are controversial, of cringepics ten, give or take one; on the last day thirty.
BAD = f"if(board = 'anime', 2, if(day = '2026-04-{DAYS}', 30, 10) + xxhash64(day) % 2) > id % {ROWS}"


def test_a_board_with_a_spike_is_named_and_the_others_are_as_usual(spark: Any) -> None:
    table = spark.range(2 * DAYS * ROWS).selectExpr(
        "id",
        f"format_string('2026-04-%02d', id div {2 * ROWS} + 1) as day",
        f"if(id div {ROWS} % 2 = 0, 'anime', 'cringepics') as board",
    )
    posts = table.selectExpr("day", "board as subreddit", f"cast({BAD} as int) as controversiality")
    check = Check.warning().has_no_anomalies(
        "mean", OnlineNormal(sides="upper"), column="controversiality", group_by="subreddit"
    )
    run = check.verify(posts, partition_by=["day"])
    alarms = [(each.partition, each.finding) for each in run.results if each.outcome == "failed"]
    assert [name for name, _ in alarms] == [f"day=2026-04-{DAYS}"]
    assert "subreddit=cringepics 0.7" in (alarms[0][1] or "")
    assert "anime" not in (alarms[0][1] or "")
