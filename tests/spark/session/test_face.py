"""The public face in a session of the user's: a frame is profiled, drafted, verified and parted."""

from pathlib import Path
from typing import Any

import pytest

import treaty

DDL = "id int, kind string, amount double, day string"
DAYS = tuple(f"2026-10-{at:02d}" for at in range(1, 13))
KINDS = ("card", "cash", "wallet")


def rows(day: int) -> list[tuple[Any, ...]]:
    return [(day * 1000 + at, KINDS[at % 3], 10.0 + at % 7, DAYS[day]) for at in range(60)]


@pytest.fixture(scope="module")
def frame(spark: Any) -> Any:
    return spark.createDataFrame([each for day in range(len(DAYS)) for each in rows(day)], DDL).coalesce(1).cache()


def test_a_frame_is_profiled(frame: Any) -> None:
    found = treaty.profile(frame, name="orders", partition_by=["day"])
    assert (found.object, found.rows) == ("orders", 720)
    assert found.partitions == tuple(f"day={day}" for day in DAYS)
    kinds = next(each for each in found.columns if each.name == "kind")
    assert {each.value for each in kinds.values} == set(KINDS)


def test_only_the_columns_that_are_asked_for_are_profiled(frame: Any) -> None:
    assert [each.name for each in treaty.profile(frame, columns=["amount"]).columns] == ["amount"]
    with pytest.raises(treaty.EngineError, match="the table has no column amuont"):
        treaty.profile(frame, columns=["amuont"])


def test_what_a_contract_classifies_is_not_shown(frame: Any) -> None:
    contract = treaty.read_contract(
        b"apiVersion: v3.1.0\nkind: DataContract\nid: orders\nversion: 1.0.0\nstatus: draft\n"
        b"schema:\n  - name: orders\n    properties:\n      - {name: kind, classification: restricted}\n"
    )
    (kinds,) = treaty.profile(frame, name="orders", columns=["kind"], contract=contract).columns
    assert kinds.classified
    assert not kinds.values


def test_a_draft_is_a_contract_that_the_frame_keeps_and_bad_rows_break(spark: Any, frame: Any, tmp_path: Path) -> None:
    drafted = treaty.draft(frame, "orders", partition_by=["day"], location="/lake/orders")
    contract = drafted.contract()

    assert drafted.profile.rows == 720
    assert (contract.id, contract.object("orders").partition_columns) == ("orders", ("day",))
    assert b"/lake/orders" in drafted.document
    assert drafted.suggestions
    assert treaty.verify(frame, contract).verdict == "passed"

    bad = spark.createDataFrame([(1, "coins", 10.0, DAYS[0]), (2, "card", 10.0, DAYS[0])], DDL)
    assert treaty.verify(bad, contract).verdict == "failed"
    done = treaty.quarantine(bad, contract, str(tmp_path / "parted"))
    assert (done.good, done.bad) == (1, 1)
    assert spark.read.parquet(str(tmp_path / "parted" / "outcome=bad")).first()["kind"] == "coins"


def test_checks_are_written_with_the_columns_of_a_frame(frame: Any) -> None:
    document = treaty.Check.error("orders").is_complete("id").document(frame)
    (written,) = treaty.read_contract(document).document["schema"]
    assert [each["name"] for each in written["properties"]] == ["id", "kind", "amount", "day"]
