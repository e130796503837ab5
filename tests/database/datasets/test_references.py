"""Other datasets by name: where they are read, and what a limit that refers to them is."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import SQLModel, select
from support import engines
from support.scenes import NOON, Scene, add, described, orders, rows

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.engine.analyzers.numbers import Mean
from treaty.engine.analyzers.rows import Size
from treaty.engine.checks.dataset_limits import ReferenceValue
from treaty.engine.core.results import Verdict
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, TableSource
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import VersionState
from treaty.registry.datasets import related_datasets
from treaty.registry.tables import ContractRow, ContractVersionRow, DatasetRow, MeasurementRow, RunRow, UserRow

DOCUMENT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
name: orders
version: 2.0.0
status: active
schema:
  - name: orders
    properties:
      - {name: id, logicalType: integer}
    quality:
      - id: as-many
        type: custom
        engine: treaty
        implementation:
          analyzer: size
          mustBeLessOrEqualTo: {dataset: titles, analyzer: size}
      - id: near
        type: custom
        engine: treaty
        implementation:
          analyzer: mean
          column: id
          mustBeBetween: [{dataset: titles, analyzer: mean, column: price}, 5000]
      - id: known
        type: custom
        engine: treaty
        implementation:
          analyzer: referential_integrity
          column: id
          dataset: titles
          mustBe: 1
      - id: nowhere
        type: custom
        engine: treaty
        implementation:
          analyzer: referential_integrity
          column: id
          dataset: nowhere
          mustBe: 1
"""
CONTRACT = read(DOCUMENT.encode())
SIZE, MEAN = "the size of titles", "the mean of price in titles"


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    """The orders, whose contract speaks of the titles, and the titles, which are registered."""
    scene = orders(engine, tmp_path)
    with transaction(engine) as tx:
        owner = tx.exec(select(UserRow)).one()
        tx.add(ContractRow(id="titles", name="titles", owner_id=owner.id, active_version="1.0.0", created_at=NOON))
        tx.exec(select(ContractVersionRow)).one().state = VersionState.SUPERSEDED
        tx.add(version(owner))
        tx.get_one(ContractRow, "orders").active_version = "2.0.0"
        tx.commit()
    add(engine, *dataset("titles", "books", "s3://lake", "books"))
    return scene


def version(owner: UserRow) -> ContractVersionRow:
    return ContractVersionRow(
        id=ids.new(), contract_id="orders", version="2.0.0", body=CONTRACT.source, fingerprint=CONTRACT.fingerprint,
        state=VersionState.ACTIVE, approved_by_id=owner.id, approved_at=NOON,
    )  # fmt: skip


def dataset(contract_id: str | None, name: str, namespace: str, lineage: str) -> list[SQLModel]:
    row = DatasetRow(
        id=ids.new(), namespace=namespace, name=lineage, location=f"/data/{lineage}", format="parquet",
        partition_by=["day"],
    )  # fmt: skip
    return described(row, *([(contract_id, name)] if contract_id else []))


def measured(scene: Scene, day: int, *values: tuple[Any, str | None, str | None]) -> RunRow:
    """A run of the titles on that day, with values: (analyzer, partition, exact value)."""
    run = RunRow(
        id=ids.new(), contract_id="titles", version="1.0.0", fingerprint="f", object="books", partitions=[],
        verdict=Verdict.PASSED, outcome_counts={}, started_at=NOON, finished_at=NOON,
    )  # fmt: skip
    add(scene.database, run)
    add(scene.database, *(_row(run, day, at, *value) for at, value in enumerate(values)))
    return run


def _row(run: RunRow, day: int, at: int, analyzer: Any, partition: str | None, exact: str | None) -> MeasurementRow:
    return MeasurementRow(
        run_id=run.id, position=at, contract_id="titles", object="books", identity=analyzer.identity,
        analyzer=analyzer.name, arguments=analyzer.arguments(), partition=partition,
        value=float(exact) if exact else None, exact=exact, measured_at=NOON + timedelta(days=day),
    )  # fmt: skip


def referents(scene: Scene, contract: Contract = CONTRACT) -> Mapping[str, ReferenceValue]:
    with read_session(scene.database) as session:
        return related_datasets.referents(session, contract, contract.object("orders"))


def sources(scene: Scene, name: str) -> Mapping[str, TableSource]:
    contract = read(DOCUMENT.replace("dataset: titles", f"dataset: {name}").encode())
    with read_session(scene.database) as session:
        return related_datasets.sources(session, contract, contract.object("orders"))


@pytest.mark.parametrize("name", ["titles", "titles.books", "books"])
def test_a_dataset_is_found_by_contract_object_or_its_own_name(scene: Scene, name: str) -> None:
    assert sources(scene, name) == {name: TableSource("/data/books", "parquet")}


def test_an_object_of_the_same_contract_comes_first(scene: Scene) -> None:
    add(scene.database, *dataset("orders", "titles", "file", "/own"))
    assert sources(scene, "titles")["titles"].location == "/data//own"


def test_a_name_of_two_datasets_is_the_name_of_none(scene: Scene) -> None:
    add(scene.database, *dataset("titles", "films", "s3://lake", "films"), *dataset(None, "", "s3://sea", "books"))
    assert sources(scene, "titles") == {}
    assert sources(scene, "books") == {}
    assert sources(scene, "titles.books") == {"titles.books": TableSource("/data/books", "parquet")}


def test_a_limit_is_what_the_newest_run_measured(scene: Scene) -> None:
    price = Mean(column="price")
    measured(scene, 1, (Size(), "day=9", "999"), (price, None, "1.5"))
    run = measured(scene, 2, (Size(), "day=1", "40"), (Size(), "day=2", "41"), (price, "day=2", "7.0"))
    origin = {"run": str(run.id), "measured": "2026-03-03T12:00:00+00:00", "partition": "day=2"}
    assert referents(scene) == {
        SIZE: ReferenceValue(41, origin=origin),
        MEAN: ReferenceValue(Decimal("7.0"), origin=origin),
    }


def test_the_whole_dataset_is_meant_where_it_was_measured(scene: Scene) -> None:
    measured(scene, 1, (Size(), "day=1", "40"), (Size(), None, "90071992547409930"))
    assert referents(scene)[SIZE].value == 90071992547409930


def test_what_was_never_measured_has_no_value_and_a_reason(scene: Scene) -> None:
    measured(scene, 1, (Size(), "", None))
    assert referents(scene) == {
        SIZE: ReferenceValue(reason="the last measurement of titles has no value"),
        MEAN: ReferenceValue(
            reason="no run of titles has measured this metric yet: add a check for it to its contract"
        ),
    }
    unknown = read(DOCUMENT.replace("dataset: titles", "dataset: films").encode())
    assert {each.reason for each in referents(scene, unknown).values()} == {"no contract describes the dataset films"}


def test_a_validation_is_told_where_the_others_are_and_what_limits_are(scene: Scene) -> None:
    measured(scene, 1, (Size(), "", "3"))
    seen: list[EvaluationRequest] = []

    def judge(request: EvaluationRequest) -> Any:
        seen.append(request)
        return engines.judge(request)

    scene.ask()
    scene.work(evaluate=judge)
    (request,) = scene.engine.requests
    assert isinstance(request, MeasureRequest)
    assert request.datasets == {"titles": TableSource("/data/books", "parquet")}
    assert [each.reference_values[SIZE].value for each in seen] == [3]
    assert len(rows(scene.database, RunRow)) == 2
