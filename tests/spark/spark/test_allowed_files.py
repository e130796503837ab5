"""In the Spark process, tables whose files lie outside the allowed locations are refused; without rules nothing is."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.agents import require_delta

from treaty.engine.core.errors import RefusedTable
from treaty.engine.core.locations.rules import AllowedLocation, LocationRules
from treaty.engine.protocol.progress import no_progress
from treaty.engine.protocol.requests import MeasureRequest, ProfileRequest, TableSource
from treaty.engine.spark.handlers.measure import measure
from treaty.engine.spark.profile.profiler import profile
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import read

pytestmark = pytest.mark.classic("its Spark reads files of this machine")
CONTRACT = b"""apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer, required: true}
"""


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    disk = tmp_path.resolve()
    (disk / "data").mkdir()
    return disk


def rules(disk: Path, *more: str) -> LocationRules:
    return LocationRules(tuple(map(AllowedLocation, (str(disk / "data"), *more))), (str(disk / "home"),))


def written(spark: Any, folder: Path, format_name: str = "parquet") -> Path:
    spark.range(3).coalesce(1).write.format(format_name).save(str(folder))
    return folder


def ways(spark: Any, source: TableSource) -> dict[str, Any]:
    """Everything that reads a source."""
    return {
        "read": lambda: read(spark, source),
        "layout": lambda: changes.layout(spark, source),
        "measure": lambda: measure(spark, MeasureRequest(source=source, contract=CONTRACT, object="orders")),
        "profile": lambda: profile(spark, ProfileRequest(source=source, object="orders"), no_progress),
    }


def refused(spark: Any, source: TableSource) -> dict[str, bool]:
    """Whether each way of reading refuses the source."""
    answers = {}
    for name, way in ways(spark, source).items():
        try:
            way()
        except RefusedTable:
            answers[name] = True
        else:
            answers[name] = False
    return answers


ALL, NONE = (
    dict.fromkeys(("read", "layout", "measure", "profile"), True),
    dict.fromkeys(("read", "layout", "measure", "profile"), False),
)
OF_FILES = {**ALL, "layout": False}


def test_a_folder_is_read_only_below_an_allowed_location(spark: Any, disk: Path) -> None:
    inside, outside = written(spark, disk / "data" / "t"), written(spark, disk / "other" / "t")

    assert refused(spark, TableSource(str(inside), rules=rules(disk))) == NONE
    assert refused(spark, TableSource(str(outside), rules=rules(disk))) == ALL
    assert refused(spark, TableSource(str(outside))) == NONE


def test_a_file_that_is_a_link_to_elsewhere_is_not_read(spark: Any, disk: Path) -> None:
    table = written(spark, disk / "data" / "t")
    (file,) = table.glob("part-*.parquet")
    file.rename(disk / "secret.parquet")
    file.symlink_to(disk / "secret.parquet")

    assert refused(spark, TableSource(str(table), rules=rules(disk))) == OF_FILES
    assert refused(spark, TableSource(str(table))) == NONE


def test_a_partition_that_is_a_link_to_elsewhere_is_not_read(spark: Any, disk: Path) -> None:
    table = disk / "data" / "t"
    written(spark, disk / "secret")
    written(spark, table / "day=1")
    (table / "day=2").symlink_to(disk / "secret")
    source = TableSource(str(table), "parquet", ("day",), rules=rules(disk))

    measured = measure(spark, MeasureRequest(source=source, contract=CONTRACT, object="orders"))

    assert measured.fingerprints["day=2"] == "unread"
    assert measured.fingerprints["day=1"] != "unread"


@pytest.mark.parametrize("partitioned", [False, True])
def test_a_catalog_s_table_is_read_if_its_files_may_be(spark: Any, disk: Path, partitioned: bool) -> None:
    names = {"inside": disk / "data" / "t", "outside": disk / "other" / "t"}
    by = "partitioned by (day)" if partitioned else ""
    try:
        for name, folder in names.items():
            spark.sql(f"create table {name}_lies using parquet {by} location '{folder}' as select 1L as id, 'a' as day")
        partition = ("day",) if partitioned else ()
        source = TableSource("outside_lies", partition_by=partition, rules=rules(disk))
        assert refused(spark, replace(source, location="inside_lies")) == NONE
        assert refused(spark, source) == ALL
        assert refused(spark, replace(source, rules=rules(disk, "outside_lies"))) == NONE
        reserved = LocationRules((AllowedLocation("outside_lies"),), (str(disk / "other"),))
        assert refused(spark, replace(source, rules=reserved)) == ALL
    finally:
        for name in names:
            spark.sql(f"drop table if exists {name}_lies")


def test_a_view_is_read_if_its_files_may_be(spark: Any, disk: Path) -> None:
    folder = written(spark, disk / "other" / "t")
    spark.sql(f"create or replace temporary view foreign_rows as select * from parquet.`{folder}`")

    assert refused(spark, TableSource("foreign_rows", rules=rules(disk)))["read"]
    assert not refused(spark, TableSource("foreign_rows"))["read"]


def test_a_file_of_the_working_directory_is_like_a_table_that_does_not_exist(
    spark: Any, disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(disk)
    (disk / "secret").touch()

    with pytest.raises(RefusedTable, match="secret is not a table of the catalog"):
        read(spark, TableSource("secret", rules=rules(disk)))


def test_a_delta_log_that_names_files_elsewhere_is_refused(spark: Any, disk: Path) -> None:
    require_delta()
    table, secret = written(spark, disk / "data" / "t", "delta"), disk / "secret.parquet"
    (file,) = table.glob("part-*.parquet")
    shutil.copy(file, secret)
    (log,) = table.glob("_delta_log/*0.json")
    log.write_text(log.read_text().replace(json.dumps(file.name), json.dumps(f"file://{secret}")))
    (table / "_delta_log" / f".{log.name}.crc").unlink(missing_ok=True)
    spark.sql("clear cache")

    assert refused(spark, TableSource(str(table), rules=rules(disk)))["read"]
    assert refused(spark, TableSource(str(table), rules=rules(disk)))["measure"]
    assert not refused(spark, TableSource(str(table)))["read"]
