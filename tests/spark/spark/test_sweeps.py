"""A look at files that nobody told of: where they are what they were, it costs no Spark job."""

from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract

from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.engine.spark.handlers.measure import measure

COLUMNS = [{"name": "id", "logicalType": "integer"}, {"name": "day", "partitioned": True, "partitionKeyPosition": 1}]
ORDERS = contract(check("uniqueness", "ids", column="id", mustBe=1), properties=COLUMNS)


def jobs(spark: Any) -> set[int]:
    """The jobs of the session so far, as far as Spark remembers them."""
    return set(spark.sparkContext.statusTracker().getJobIdsForGroup(None))


@pytest.mark.classic("jobs are counted by the driver")
@pytest.mark.parametrize("parted", [("day",), ()], ids=["parted", "not parted"])
def test_files_that_did_not_change_cost_no_job(spark: Any, tmp_path: Path, parted: tuple[str, ...]) -> None:
    path = tmp_path / "t"
    frame = spark.createDataFrame([(each, each % 40) for each in range(80)], "id bigint, day int").coalesce(1)
    frame.write.partitionBy(*parted).parquet(str(path))
    asked = {"source": TableSource(str(path), partition_by=parted), "contract": ORDERS.source, "object": "orders"}
    before = jobs(spark)
    first = measure(spark, MeasureRequest(**asked))
    after = jobs(spark)
    assert after - before
    again = measure(spark, MeasureRequest(**asked, stored_fingerprints=first.fingerprints))
    assert jobs(spark) - after == set()
    assert (again.states, again.vanished, again.fingerprints) == ({}, (), first.fingerprints)
