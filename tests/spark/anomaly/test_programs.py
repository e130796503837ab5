"""Programs learned from a table's partitions on real Spark, and what arrives judged by them."""

import random
from datetime import date, timedelta
from math import inf
from pathlib import Path
from typing import Any

import pytest

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply
from treaty.engine.core.errors import EngineError
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.protocol.requests import DraftRequest, DraftResult, TableSource
from treaty.engine.session.verify import verify
from treaty.engine.spark.handlers.draft import draft

START, DAYS, ROWS = date(2026, 3, 1), 22, 60
COLUMNS = "amount double, code string, day string"


def rows(at: int, factor: float = 1.0) -> list[tuple[float, str, str]]:
    drawn = random.Random(at)
    day = str(START + timedelta(days=at))
    return [(factor * drawn.gauss(100, 5), f"AB-{drawn.randrange(30):02d}", day) for _ in range(ROWS)]


def frame(spark: Any, *days: list[tuple[float, str, str]]) -> Any:
    return spark.createDataFrame([row for each in days for row in each], COLUMNS)


def drafted(spark: Any, path: Path, **words: Any) -> DraftResult:
    source = TableSource(str(path), partition_by=("day",), **words)
    return draft(spark, DraftRequest(source=source, contract_id="orders", object="orders", programs=ProgramOptions()))


@pytest.fixture(scope="module")
def programs(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("history") / "orders"
    frame(spark, *map(rows, range(DAYS))).coalesce(1).write.partitionBy("day").parquet(str(path))
    found = drafted(spark, path)
    ours = [each for each in found.suggestions if each["kind"] == "program"]
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in ours]
    return [{"contract": write(apply(read(found.document).document, patches))}, *ours]


def test_every_column_has_a_program_and_the_table_a_guard(programs: list[dict[str, Any]]) -> None:
    assert {each["column"] for each in programs[1:]} == {None, "amount", "code"}
    for each in programs[1:]:
        assert each["evidence"]["partitions"] in range(DAYS - 7, DAYS + 1)
        assert len(each["evidence"]["history"]) == DAYS


@pytest.mark.parametrize(("factor", "columns"), [(1.0, set()), (1000.0, {"amount"})])
def test_what_arrives_is_judged_by_its_states_and_those_before(
    factor: float, columns: set[str], spark: Any, programs: list[dict[str, Any]]
) -> None:
    arrived = frame(spark, *map(rows, range(DAYS - 3, DAYS)), rows(DAYS, factor))
    run = verify(arrived, read(programs[0]["contract"]), partition_by=("day",))
    failed = [each for each in run.results if each.outcome == "failed" and "-program-" in (each.check_id or "")]
    assert {(each.check_id or "").split("-program-")[0] for each in failed} == columns
    assert {each.partition for each in failed} <= {f"day={START + timedelta(days=DAYS)}"}


@pytest.mark.parametrize("value", [inf, -inf])
def test_an_infinite_value_fails_where_there_were_none(
    value: float, spark: Any, programs: list[dict[str, Any]]
) -> None:
    [(_, *others), *more] = rows(DAYS)
    arrived = frame(spark, *map(rows, range(DAYS - 3, DAYS)), [(value, *others), *more])  # type: ignore[arg-type]
    run = verify(arrived, read(programs[0]["contract"]), partition_by=("day",))
    assert any(each.outcome == "failed" for each in run.results if (each.check_id or "").startswith("amount-program-"))


def test_a_statistic_that_was_infinite_has_no_limits(spark: Any, tmp_path: Path) -> None:
    history = [[(inf if at % 5 == 0 else row[0], *row[1:]) for row in rows(at)] for at in range(DAYS)]
    frame(spark, *history).coalesce(1).write.partitionBy("day").parquet(str(tmp_path / "t"))  # type: ignore[arg-type]
    of_amount = [each for each in drafted(spark, tmp_path / "t").suggestions if each["column"] == "amount"]
    limited = {
        each["patch"]["quality"]["implementation"]["analyzer"] for each in of_amount if "program" in each["kind"]
    }
    assert limited & {"mean", "maximum", "standard_deviation", "range"} == set()


def test_partitions_without_a_time_are_refused(spark: Any, tmp_path: Path) -> None:
    spark.createDataFrame([(1.0, "a", "north")], COLUMNS).write.partitionBy("day").parquet(str(tmp_path / "t"))
    with pytest.raises(EngineError, match="ordered by time"):
        drafted(spark, tmp_path / "t")
