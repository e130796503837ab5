"""The shop's files that are written without Spark hold what a pipeline of the demo would have written."""

from pathlib import Path
from typing import Any

import pytest

from treaty.registry.demo import parquet_folders, shop_data
from treaty.registry.demo.deliveries import DemoDelivery, shop_lake
from treaty.registry.demo.incidents import INCIDENTS

RESHAPED = next(each for each in INCIDENTS if each.types)
LAKE = shop_lake(days=RESHAPED.day + 1)
LAST = [each for each in LAKE.deliveries[-1] if each.partition == shop_data.day_name(RESHAPED.day)]


@pytest.mark.parametrize("delivery", [*LAKE.history[:3], *LAST], ids=lambda each: f"{each.table} {each.partition}")
def test_what_is_written_without_spark_is_what_spark_would_write(
    spark: Any, delivery: DemoDelivery, tmp_path: Path
) -> None:
    parquet_folders.write(tmp_path, LAKE.column, [delivery], shop_data.TABLES)
    again = tmp_path / delivery.table / f"day={delivery.partition}"
    (again / "part-1.parquet").write_bytes((again / "part-0.parquet").read_bytes())
    parquet_folders.write(tmp_path, LAKE.column, [delivery], shop_data.TABLES)

    found, expected = spark.read.parquet(str(again)), delivery.make(spark)

    assert found.dtypes == expected.dtypes
    assert found.collect() == expected.collect()
    assert found.count() == len(delivery.rows())


def test_the_day_that_arrived_with_another_type_is_among_them() -> None:
    assert RESHAPED in {incident for each in LAST for incident in each.incidents}
