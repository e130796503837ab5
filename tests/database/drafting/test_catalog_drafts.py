"""A draft of a table that a catalog describes: from reading the catalog to the document of the proposal."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.catalogs import connect, read
from support.iceberg_rest import IcebergCatalog, column, serving
from support.scenes import LOCATION, NOON, Scene, document, rows, user

from treaty.contracts.document.reader import read as read_contract
from treaty.contracts.editing.patches import Patch, apply
from treaty.engine.protocol.requests import DraftResult
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.queue import task_queue
from treaty.registry.tables import ProposalRow, ProposalSuggestionRow

BASE = document().replace(b"  - name: orders\n", f"  - name: orders\n    physicalName: {LOCATION}\n".encode())
UNIQUE = {
    "id": "u",
    "kind": "unique",
    "object": "orders",
    "column": "id",
    "patch": {"unique": True},
    "evidence": {"partitions": 9},
}


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return Scene(engine, tmp_path)


@pytest.fixture
def catalog() -> IcebergCatalog:
    made = IcebergCatalog()
    columns = [column(1, "id", required=True, doc="number of the order"), column(2, "amount", "double")]
    described = {"properties": {"comment": "All orders"}}
    made.put("shop", "orders", columns=columns, location=f"file:{LOCATION}", keys=[1], **described)
    return made


@pytest.fixture
def url(catalog: IcebergCatalog) -> Iterator[str]:
    with serving(catalog) as url:
        yield url


def draft(scene: Scene) -> None:
    scene.engine.drafted = DraftResult(BASE, (UNIQUE,), {})
    source = {"location": LOCATION, "format": "parquet", "partition_by": ["ds"]}
    payload = {"source": source, "contract_id": "orders", "object": "orders", "author": str(user(scene.database).id)}
    with transaction(scene.database) as tx:
        task_queue.enqueue(tx, kind="draft", payload=payload, key="draft", now=NOON, task_id=ids.new())
        tx.commit()
    scene.work()


def test_a_draft_suggests_what_the_catalog_states(scene: Scene, url: str) -> None:
    connect(scene, url)
    read(scene)
    draft(scene)
    found = [row.content for row in rows(scene.database, ProposalSuggestionRow)]
    suggestions = {(each["kind"], each["column"]): each for each in found}
    key = suggestions["catalog_key", "id"]
    assert key["evidence"]["partitions"] == 9
    assert key["evidence"]["stated"] == [{"catalog": "lake", "table": "shop.orders", "since": NOON.isoformat()}]
    assert suggestions["unique", "id"]["evidence"]["stated"] == key["evidence"]["stated"]
    (proposal,) = rows(scene.database, ProposalRow)
    patches = [Patch(each["object"], each["column"], each["patch"]) for each in found]
    table = apply(read_contract(proposal.base).document, patches)["schema"][0]
    assert (table["description"], table["properties"][0]["description"]) == ("All orders", "number of the order")
    assert table["properties"][0]["primaryKey"] is True


def test_a_draft_without_a_catalog_is_as_before(scene: Scene) -> None:
    draft(scene)
    assert [row.content["kind"] for row in rows(scene.database, ProposalSuggestionRow)] == ["unique"]


def test_a_table_that_the_catalog_dropped_suggests_nothing(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    read(scene)
    catalog.drop("shop", "orders")
    assert read(scene, hours=1)["dropped"] == 1
    draft(scene)
    assert [row.content["kind"] for row in rows(scene.database, ProposalSuggestionRow)] == ["unique"]
