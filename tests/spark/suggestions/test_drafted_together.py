"""What columns promise together, drafted by real Spark: counted exactly where a sample of rows lets expect it."""

from pathlib import Path
from typing import Any

from treaty.engine.protocol.requests import DraftRequest, TableSource
from treaty.engine.spark.handlers.draft import draft

ROWS = {
    "shop": "cast(id % 200 / 10 as int)",
    "line": "id % 10",
    "land": "concat('l', cast(id % 200 / 50 as int))",
    "sent": "date_add(date'2026-01-01', cast(id % 7 as int))",
    "came": "date_add(date'2026-01-02', cast(id % 13 as int))",
    "noise": "if(id % 50 = 0, null, hash(id) % 5)",
    "seen": "timestampadd(SECOND, cast(id / 200 as int) * 86400 + id % 200, timestamp'2026-01-01 00:00:00')",
    "day": "concat('2026-01-0', cast(id / 200 as int) + 1)",
}


def test_a_draft_tells_what_columns_promise_together(spark: Any, tmp_path: Path) -> None:
    made = [f"{sql} as {name}" for name, sql in ROWS.items()]
    spark.range(1200).selectExpr(*made).write.partitionBy("day").parquet(str(tmp_path / "t"))
    request = DraftRequest(source=TableSource(str(tmp_path / "t"), "parquet", ("day",)), contract_id="t", object="t")
    heard: list[str] = []
    found = draft(spark, request, heard.append).suggestions
    told = {each["kind"]: each for each in found if each["kind"] in {"determined", "composite_key"}}
    assert told["determined"]["sentence"] == "land is determined by shop"
    assert told["determined"]["evidence"]["partitions"] == told["determined"]["evidence"]["held"] == 6
    assert told["composite_key"]["sentence"] == "shop, line are unique together within a partition"
    assert "searching for related columns" in heard
    (its_day,) = [each for each in found if each["kind"] == "on_its_day"]
    rows = spark.read.parquet(str(tmp_path / "t"))
    assert its_day["column"] == "seen"
    assert rows.where(its_day["patch"]["quality"]["implementation"]["predicate"]).count() == rows.count() == 1200
    assert not {"in_order", "unique"} & {each["kind"] for each in found}
