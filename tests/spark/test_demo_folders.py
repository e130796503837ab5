"""The shop's files that are written without Spark hold what a pipeline of the demo would have written."""

from pathlib import Path
from typing import Any

import pytest

from registry.demo import folders, shop
from registry.demo.incidents import INCIDENTS
from registry.demo.lake import Delivery, shop_lake

RESHAPED = next(each for each in INCIDENTS if each.types)
LAKE = shop_lake(days=RESHAPED.day + 1)
LAST = [each for each in LAKE.deliveries[-1] if each.partition == shop.day_name(RESHAPED.day)]


@pytest.mark.parametrize("delivery", [*LAKE.history[:3], *LAST], ids=lambda each: f"{each.table} {each.partition}")
def test_what_is_written_without_spark_is_what_spark_would_write(
    spark: Any, delivery: Delivery, tmp_path: Path
) -> None:
    folders.write(tmp_path, LAKE.column, [delivery], shop.TABLES)
    again = tmp_path / delivery.table / f"day={delivery.partition}"
    (again / "part-1.parquet").write_bytes((again / "part-0.parquet").read_bytes())
    folders.write(tmp_path, LAKE.column, [delivery], shop.TABLES)

    found, expected = spark.read.parquet(str(again)), delivery.make(spark)

    assert found.dtypes == expected.dtypes
    assert found.collect() == expected.collect()
    assert found.count() == len(delivery.rows())


def test_the_day_that_arrived_with_another_type_is_among_them() -> None:
    assert RESHAPED in {incident for each in LAST for incident in each.incidents}
