"""Drafts of tables without partitions."""

from pathlib import Path
from typing import Any

from treaty.engine.protocol.requests import DraftRequest, TableSource
from treaty.engine.spark.handlers.draft import draft


def test_a_table_without_partitions_is_split_by_its_rows_and_profiled_as_one(spark: Any, tmp_path: Path) -> None:
    rows = spark.range(3000).selectExpr("id", "concat('k', id % 3) AS kind", "if(id % 100 = 0, null, id % 7) AS part")
    rows.coalesce(1).write.parquet(str(tmp_path / "t"))
    drafted = draft(
        spark, DraftRequest(source=TableSource(str(tmp_path / "t"), "parquet"), contract_id="t", object="t")
    )
    kinds = {(each["kind"], each["column"]): each["evidence"] for each in drafted.suggestions}
    assert drafted.profile["rows"] == 3000
    assert drafted.profile["partitions"] == [""]
    assert {("unique", "id"), ("categorical", "kind"), ("complete", "kind")} <= kinds.keys()
    assert ("complete", "part") not in kinds
    assert not any(kind in {"row_count_band", "mean_band"} for kind, _ in kinds)
    told = kinds["categorical", "kind"]
    assert (told["learned_on"], told["judged_on"], told["held"]) == (2, 1, 3)
