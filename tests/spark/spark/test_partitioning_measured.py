"""Partitions that are computed of rows: told in the same scan, judged, viewed, read again as a whole."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.orders import NOW, check
from support.orders import contract as plain

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.protocol.row_requests import SampleRequest
from treaty.engine.session.verify import verify
from treaty.engine.session.violating_rows import flag_rows
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.handlers.violating_rows import sample
from treaty.engine.states import bag as bags

TERMS = {
    "partitions": [{"object": "orders", "name": "day", "by": "to_date(word)"}],
    "views": [{"name": "january", "where": "day < '2026-02-01'"}],
}
CHECKS = (
    check("size", "some", mustBeGreaterThan=1),
    check("uniqueness", "ids", column="id", mustBe=1),
    check("completeness", "known", column="id", scope="january", mustBe=1),
    check("sql", "few", query="select count(*) from {object}", scope="delta", mustBeLessThan=3),
)
PROPERTIES = [{"name": "word", "logicalType": "string"}, {"name": "id", "logicalType": "integer"}]
GIVEN = read(
    write({
        **plain(*CHECKS, properties=PROPERTIES).document,
        "customProperties": [{"property": "treaty", "value": TERMS}],
    })
)  # fmt: skip
ROWS = [
    ("2026-01-01", 1), ("2026-01-01 10:00:00", 2), ("2026-02-03", 3), ("no day", 4), (None, 4), ("2026-01-05", None),
    ("2026-02-03", None),
]  # fmt: skip
NONE = "day=__HIVE_DEFAULT_PARTITION__"


def test_computed_partitions_are_partitions(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "word string, id bigint")
    run = verify(frame, GIVEN)
    sizes = {each.partition: each.value for each in run.results if each.check_id == "some"}
    assert sizes == {"day=2026-01-01": 2, "day=2026-01-05": 1, "day=2026-02-03": 2, NONE: 2}
    assert {each.partition: each.value for each in run.results if each.check_id == "few"} == sizes
    (viewed,) = (each for each in run.results if each.check_id == "known")
    assert (viewed.value, viewed.row_count, viewed.partition) == (2 / 3, 3, None)
    marked = flag_rows(frame, GIVEN).collect()
    assert Counter(each for row in marked for each in row["broken_checks"]) == {"ids": 2, "known": 1}


def test_a_table_with_computed_partitions_is_read_again_as_a_whole(spark: Any, tmp_path: Path) -> None:
    table = str(tmp_path / "orders")
    spark.createDataFrame(ROWS[:3], "word string, id bigint").coalesce(1).write.parquet(table)
    source = TableSource(table, partition_by=GIVEN.object("orders").partition_by)
    first = measure(spark, MeasureRequest(source=source, contract=GIVEN.source, object="orders"))
    assert {name: bags.unpack(each).rows for name, each in first.states.items()} == {
        "day=2026-01-01": 2,
        "day=2026-02-03": 1,
    }
    known = dict(first.fingerprints)
    assert (
        measure(
            spark, MeasureRequest(source=source, contract=GIVEN.source, object="orders", stored_fingerprints=known)
        ).states
        == {}
    )
    spark.createDataFrame(ROWS[3:], "word string, id bigint").coalesce(1).write.mode("append").parquet(table)
    second = measure(
        spark, MeasureRequest(source=source, contract=GIVEN.source, object="orders", stored_fingerprints=known)
    )
    assert second.states.keys() == {"day=2026-01-01", "day=2026-01-05", "day=2026-02-03", NONE}
    run = evaluate(
        EvaluationRequest(
            contract=GIVEN,
            object_name="orders",
            states=second.states,
            delta=sorted(second.states),
            started_at=NOW,
            finished_at=NOW,
        )
    )
    assert {each.check_id: each.value for each in run.results if each.check_id in ("ids", "known")} == {
        "ids": 0.75,
        "known": 2 / 3,
    }
    request = SampleRequest(
        source=source,
        contract=GIVEN.source,
        object="orders",
        failed_checks={"known": ()},
        partitions=("day=2026-01-05",),
    )
    assert [each.rows for each in sample(spark, request)] == [((None, "2026-01-05"),)]


def test_what_cannot_be_computed_of_the_table_is_told(spark: Any) -> None:
    frame = spark.createDataFrame(ROWS, "word string, id bigint")
    with pytest.raises(UnreadableTable, match="'gone', which is not a column"):
        verify(frame, GIVEN, partition_by=["day=to_date(gone)"])
    with pytest.raises(UnreadableTable, match="partition column day needs an explicit cast"):
        verify(frame, GIVEN, partition_by=["day=year(word)"])
