"""References, queries and limits measured on files: what is read again when, and what cannot be."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.commands import Commands, Here
from support.orders import NOW, check, contract

from treaty.engine.core.results import CheckResult
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.spark.handlers.measure import measure

COLUMNS = [{"name": "id", "logicalType": "integer"}, {"name": "day", "partitioned": True, "partitionKeyPosition": 1}]
PROMISES = contract(
    check("referential_integrity", "known", column="id", dataset="titles", mustBe=1),
    check("referential_integrity", "known-daily", column="id", dataset="titles", scope="delta", mustBe=1),
    check("size", "as-many", scope="dataset", mustBeLessOrEqualTo={"dataset": "titles", "analyzer": "size"}),
    {"id": "asked", "type": "sql", "query": "select count(*) from orders where id > 100", "mustBe": 0},
    check("sql", "asked-once", query="select count(distinct day) from {object}", scope="dataset", mustBe=2),
    properties=COLUMNS,
)


def write(spark: Any, path: Path, ids: list[int], day: int | None = None) -> None:
    frame = spark.createDataFrame([(each,) for each in ids], "id bigint").coalesce(1)
    frame.write.mode("overwrite").parquet(str(path if day is None else path / f"day={day}"))


@pytest.fixture
def place(spark: Any, tmp_path: Path) -> Path:
    write(spark, tmp_path / "orders", [1, 2, 2], day=1)
    write(spark, tmp_path / "orders", [3], day=2)
    write(spark, tmp_path / "titles", [1, 3, 4])
    return tmp_path


def asked(place: Path, known: dict[str, str] | None = None, titles: str = "titles", **more: Any) -> MeasureRequest:
    return MeasureRequest(
        source=TableSource(str(place / "orders"), partition_by=("day",)), contract=PROMISES.source, object="orders",
        stored_fingerprints=known or {}, datasets={"titles": TableSource(str(place / titles))}, **more,
    )  # fmt: skip


def results(
    measured: MeasureResult, states: dict[str, bytes] | None = None
) -> dict[tuple[str, str | None], CheckResult]:
    run = evaluate(
        EvaluationRequest(
            contract=PROMISES,
            object_name="orders",
            schema=measured.schema,
            states=states or measured.states,
            delta=sorted(measured.states),
            started_at=NOW,
            finished_at=NOW,
            whole_table_states=measured.whole_table_states,
            reference_values=measured.referents,
        )
    )
    return {(each.check_id, each.partition): each for each in run.results if not each.check_id.startswith("schema")}


def test_what_is_asked_of_the_dataset_is_read_of_all_its_rows(spark: Any, place: Path) -> None:
    first = measure(spark, asked(place, reference_limits=True))
    found = {key: (str(each.outcome), each.value) for key, each in results(first).items()}
    assert found == {
        ("known", None): ("failed", 0.5),
        ("known-daily", "day=1"): ("failed", 1 / 3),
        ("known-daily", "day=2"): ("passed", 1.0),
        ("as-many", None): ("failed", 4),
        ("asked", "day=1"): ("passed", 0),
        ("asked", "day=2"): ("passed", 0),
        ("asked-once", None): ("passed", 2),
    }
    assert missing_states(PROMISES, "orders", first.states) == {}


def test_rows_that_came_earlier_are_looked_up_again(spark: Any, place: Path) -> None:
    first = measure(spark, asked(place))
    write(spark, place / "titles", [2, 1, 3])
    unchanged = measure(spark, asked(place, dict(first.fingerprints)))
    assert (dict(unchanged.states), unchanged.whole_table_states) == ({}, None)
    write(spark, place / "orders", [1], day=2)
    second = measure(spark, asked(place, dict(first.fingerprints)))
    assert set(second.states) == {"day=2"}
    found = results(second, {**first.states, **second.states})
    assert (str(found["known", None].outcome), found["known", None].row_count) == ("passed", 4)
    shutil.rmtree(place / "orders" / "day=1")
    third = measure(spark, asked(place, dict(second.fingerprints)))
    assert (third.vanished, third.whole_table_states is not None) == (("day=1",), True)


def test_a_dataset_that_cannot_be_read_leaves_the_other_checks(spark: Any, place: Path) -> None:
    found = results(measure(spark, asked(place, titles="gone", reference_limits=True)))
    outcomes = {key: str(each.outcome) for key, each in found.items()}
    assert {key[0] for key, outcome in outcomes.items() if outcome == "not_evaluated"} == {
        "known",
        "known-daily",
        "as-many",
    }
    assert "the dataset titles cannot be read" in str(found["known", None].reason)
    assert outcomes["asked-once", None] == "passed"


def test_the_command_takes_other_datasets_by_name(place: Path, spark: Any) -> None:
    treaty = Commands(place, Here(spark))
    (place / "orders.yaml").write_bytes(PROMISES.source)
    told = ["verify", place / "orders", "-c", "orders.yaml"]
    found = treaty(*told, "--other", f"titles={place / 'titles'}")
    assert (found.returncode, "the size of titles" in found.stdout) == (1, True)
    wrong = treaty(*told, "--other", "titles")
    assert wrong.returncode == 3
    assert "titles=PATH" in wrong.stderr
