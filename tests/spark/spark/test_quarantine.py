"""Good and bad rows apart: nothing lost, nothing twice, whole or not there."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.cancelling import Cancelled, cancelled
from support.orders import check, contract

from treaty.contracts.document.model import Contract
from treaty.engine.core.errors import EngineError
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.row_requests import QuarantineRequest, SampleRequest
from treaty.engine.session.verify import verify
from treaty.engine.session.violating_rows import QuarantineResult, QuarantineTarget, flag_rows, quarantine, samples
from treaty.engine.spark.handlers import violating_rows

DDL = "id int, outcome string, day string"
COLUMNS = [
    {"name": "id", "logicalType": "integer", "required": True},
    {"name": "outcome", "logicalType": "string"},
    {"name": "day", "logicalType": "string", "partitioned": True},
]
ROWS = [
    (1, "won", "a"), (1, "won", "a"), (2, None, "b"), (None, "lost", None), (3, "x, \"y\"", "b"), (4, "", "a"),
]  # fmt: skip
BROKEN = {"id-required": 1, "ids": 2, "told": 1, "early": 3}


def promised(*more: dict[str, Any]) -> Contract:
    return contract(
        check("uniqueness", "ids", column="id", mustBe=1),
        check("completeness", "told", severity="warning", column="outcome", mustBe=1),
        check("compliance", "early", severity="warning", predicate="day < 'b'", mustBe=1),
        check("size", "rows", mustBe=0),
        *more,
        properties=COLUMNS,
    )


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame(ROWS, DDL)


@pytest.fixture(scope="module")
def done(frame: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, QuarantineResult]:
    out = tmp_path_factory.mktemp("quarantine") / "checked"
    return out, quarantine(frame, promised(), QuarantineTarget(str(out)))


def rows_of(spark: Any, folder: Path) -> list[tuple[Any, ...]]:
    read = spark.read.parquet(str(folder))
    return [tuple(row) for row in read.select("id", "outcome", "day", "broken_checks", "unevaluated_checks").collect()]


def test_good_and_bad_rows_are_all_rows(done: tuple[Path, QuarantineResult], spark: Any) -> None:
    out, counts = done
    good, bad = rows_of(spark, out / "outcome=good"), rows_of(spark, out / "outcome=bad")
    assert Counter(row[:3] for row in good + bad) == Counter(ROWS)
    assert (len(good), len(bad)) == (counts.good, counts.bad) == (3, 3)
    assert {row[0] for row in bad} == {1, None}
    assert {row[0]: row[3] for row in good} == {2: ["told", "early"], 3: ["early"], 4: []}


def test_each_check_says_how_many_rows_broke_it(done: tuple[Path, QuarantineResult]) -> None:
    assert done[1] == QuarantineResult(good=3, bad=3, violating_rows=BROKEN, unevaluated={}, not_evaluated={})


def test_folders_are_those_of_the_partitions_and_nothing_else_is_left(done: tuple[Path, QuarantineResult]) -> None:
    out, _ = done
    assert [each.name for each in out.parent.iterdir()] == ["checked"]
    found = {str(each.parent.relative_to(out)) for each in out.rglob("*.parquet")}
    assert found == {
        "outcome=good/day=a", "outcome=good/day=b", "outcome=bad/day=a", "outcome=bad/day=__HIVE_DEFAULT_PARTITION__",
    }  # fmt: skip


def test_warnings_are_quarantined_when_asked_for(frame: Any, tmp_path: Path) -> None:
    counts = quarantine(frame, promised(), QuarantineTarget(str(tmp_path / "out"), warnings=True, format="json"))
    assert (counts.good, counts.bad) == (1, 5)
    assert (tmp_path / "out" / "outcome=good").is_dir()


def test_csv_has_the_ids_as_text(frame: Any, spark: Any, tmp_path: Path) -> None:
    quarantine(frame, promised(), QuarantineTarget(str(tmp_path / "out"), format="csv"))
    read = spark.read.option("header", "true").csv(str(tmp_path / "out" / "outcome=good"))
    assert {row["id"]: row["broken_checks"] for row in read.collect()} == {"2": "told early", "3": "early", "4": None}


def test_an_empty_table_has_no_folder_of_either_kind(frame: Any, tmp_path: Path) -> None:
    counts = quarantine(frame.where("false"), promised(), QuarantineTarget(str(tmp_path / "out")))
    assert (counts.good, counts.bad, list((tmp_path / "out").glob("outcome=*"))) == (0, 0, [])


def test_what_is_there_is_replaced_only_when_asked_and_only_what_a_quarantine_wrote(frame: Any, tmp_path: Path) -> None:
    into = QuarantineTarget(str(tmp_path / "out"))
    quarantine(frame.where("id = 4"), promised(), into)
    with pytest.raises(EngineError, match="already exists: choose another folder or overwrite it"):
        quarantine(frame, promised(), into)
    assert not (tmp_path / "out" / "outcome=bad").exists()
    quarantine(frame, promised(), QuarantineTarget(into.out, overwrite=True))
    assert (tmp_path / "out" / "outcome=bad").is_dir()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letters.txt").write_text("kept")
    for other in (tmp_path / "mine", tmp_path / "mine" / "letters.txt"):
        with pytest.raises(EngineError, match="contains other files: choose a new folder"):
            quarantine(frame, promised(), QuarantineTarget(str(other), overwrite=True))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine", "out"]


def test_rows_that_cannot_be_read_leave_what_was_there(frame: Any, tmp_path: Path) -> None:
    into = QuarantineTarget(str(tmp_path / "out"), overwrite=True)
    quarantine(frame.where("id = 4"), promised(), into)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(EngineError, match=r"cannot be read or cannot be written to .*DIVIDE_BY_ZERO"):
        quarantine(frame.withColumn("outcome", frame["id"] / (frame["id"] - 3)), promised(), into)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_job_that_is_cancelled_is_no_fault_of_the_rows_and_leaves_nothing(
    frame: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(frame.write), "save", cancelled)
    with pytest.raises(Cancelled):
        quarantine(frame, promised(), QuarantineTarget(str(tmp_path / "out")))
    assert list(tmp_path.iterdir()) == []


def test_a_check_that_no_row_could_be_judged_by_is_named(frame: Any, tmp_path: Path) -> None:
    lost = [*COLUMNS, {"name": "gone", "logicalType": "string", "required": True}]
    given = contract(properties=lost)
    counts = quarantine(frame, given, QuarantineTarget(str(tmp_path / "out")))
    assert counts.not_evaluated == {"gone-required": "the table has no column `gone`"}


def test_frames_are_flagged_and_sampled_by_a_contract(frame: Any) -> None:
    given = promised()
    assert Counter(each for row in flag_rows(frame, given).collect() for each in row["broken_checks"]) == BROKEN
    run = verify(frame, given)
    assert {each.check_id: len(each.rows) for each in samples(frame, given, run, limit=2)} == {
        "id-required": 1, "ids": 2, "told": 1, "early": 2,
    }  # fmt: skip


@pytest.fixture(scope="module")
def table(spark: Any, frame: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("table") / "orders")
    frame.write.partitionBy("day").parquet(path)
    return path


def test_a_request_for_samples_reads_the_named_partitions(spark: Any, table: str) -> None:
    asked = SampleRequest(
        source=TableSource(table, partition_by=("day",)),
        contract=promised().source,
        object="orders",
        failed_checks={"ids": (), "told": ("day=b",)},
        partitions=("day=b",),
    )
    assert [(each.check_id, each.rows) for each in violating_rows.sample(spark, asked)] == [
        ("told", ((None, "b", "2"),))
    ]


@pytest.mark.parametrize("out", ["", "/inside", "/.."])
def test_a_folder_within_the_table_or_around_it_is_refused(spark: Any, table: str, out: str) -> None:
    asked = QuarantineRequest(
        source=TableSource(table), contract=promised().source, object="orders", target=QuarantineTarget(f"{table}{out}")
    )
    with pytest.raises(EngineError, match="contain each other: choose a folder outside the table"):
        violating_rows.quarantine(spark, asked)
