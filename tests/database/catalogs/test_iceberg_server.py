"""Apache's own Iceberg REST catalog, read as users read theirs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine
from support.catalog_servers import IcebergServer, iceberg_server, require_iceberg_server
from support.catalogs import connect, connection, read, tables
from support.iceberg_rest import DEFAULTS, column
from support.scenes import Scene

from treaty.registry.catalogs.access import CatalogSource
from treaty.registry.catalogs.dry_run import dry_run
from treaty.registry.catalogs.kinds.iceberg import reader as iceberg
from treaty.registry.catalogs.model import ColumnFacts, PartitionColumn, from_json
from treaty.registry.core.enums import CatalogState
from treaty.registry.datasets.names import LineageName

pytestmark = pytest.mark.xdist_group("iceberg-server")
SQLITE = pytest.mark.parametrize("kind", ["sqlite"])
ADDRESS = {"type": "struct", "fields": [column(4, "city", "string", doc="of the buyer")]}
SCHEMA = {
    "type": "struct",
    "schema-id": 0,
    "identifier-field-ids": [1],
    "fields": [
        {**column(1, "id", doc="number of the order"), "required": True},
        column(2, "at", "timestamptz"),
        column(3, "address", ADDRESS),
        column(5, "price", "decimal(9, 2)"),
    ],
}
SPEC = {"spec-id": 0, "fields": [{"source-id": 2, "field-id": 1000, "name": "at_day", "transform": "day"}]}
PROPERTIES = {"owner": "ann", "comment": "All orders", "treaty.contract": "orders"}


@pytest.fixture(scope="module")
def running() -> Iterator[IcebergServer]:
    require_iceberg_server()
    with iceberg_server() as server:
        yield server


@pytest.fixture
def server(running: IcebergServer) -> Iterator[IcebergServer]:
    """The server without a table."""
    yield running
    for namespace in ("shop%2Eeu", "shop", "bank"):
        answer = httpx.get(f"{running.url}/v1/namespaces/{namespace}/tables", timeout=20)
        for each in answer.json().get("identifiers", ()):
            running.send("DELETE", f"namespaces/{namespace}/tables/{each['name']}")
        httpx.delete(f"{running.url}/v1/namespaces/{namespace}", timeout=20)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return Scene(engine, tmp_path)


def changed(result: dict[str, Any]) -> tuple[int, int, int]:
    return result["changed"], result["confirmed"], result["dropped"]


@SQLITE
def test_facts_of_a_table_are_read_from_the_server(scene: Scene, server: IcebergServer) -> None:
    location = server.create("shop.eu", "orders", SCHEMA, **{"partition-spec": SPEC, "properties": PROPERTIES})
    connect(scene, server.url, namespaces={"": "hive://metastore"})
    assert changed(read(scene)) == (1, 0, 0)
    facts = from_json(tables(scene)["shop.eu.orders"].facts)
    path = location.removeprefix("file:")
    assert facts.names == (
        LineageName("hive://metastore", "shop.eu.orders"),
        LineageName("file", path),
        LineageName(server.url, "shop.eu.orders"),
    )
    assert (facts.owners, facts.description, facts.properties) == (
        ("ann",), "All orders", {"treaty.contract": "orders"},
    )  # fmt: skip
    assert (facts.primary_key, facts.partition_columns) == (("id",), (PartitionColumn("at", "day"),))
    assert facts.columns == (
        ColumnFacts(name="id", type="bigint", comment="number of the order", required=True),
        ColumnFacts(name="at", type="timestamp"),
        ColumnFacts(
            name="address",
            type="struct<city:string>",
            fields=(ColumnFacts(name="city", type="string", comment="of the buyer"),),
        ),
        ColumnFacts(name="price", type="decimal(9,2)"),
    )


@SQLITE
def test_changed_dropped_and_new_tables_are_read_and_the_others_confirmed(
    scene: Scene, server: IcebergServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(iceberg, "PAGE_SIZE", "2")
    for at in range(5):
        server.create("shop", f"t{at}", SCHEMA)
    server.create("bank", "loans", SCHEMA)
    connect(scene, server.url)
    assert changed(read(scene)) == (6, 0, 0)
    assert all(each.token for each in tables(scene).values())
    assert changed(read(scene, hours=1)) == (0, 6, 0)

    update = {"action": "set-properties", "updates": {"comment": "changed"}}
    server.send("POST", "namespaces/shop/tables/t1", requirements=[], updates=[update])
    server.send("DELETE", "namespaces/shop/tables/t2")
    server.create("shop", "t9", SCHEMA)
    assert changed(read(scene, hours=1)) == (2, 4, 1)
    found = {name: row.dropped_at is not None for name, row in tables(scene).items()}
    assert [name for name, is_dropped in found.items() if is_dropped] == ["shop.t2"]
    assert from_json(tables(scene)["shop.t1"].facts).description == "changed"
    assert connection(scene).state is CatalogState.HEALTHY


def test_an_unchanged_table_is_answered_without_its_metadata(server: IcebergServer) -> None:
    server.create("shop", "orders", SCHEMA)
    url = f"{server.url}/v1/namespaces/shop/tables/orders?snapshots=refs"
    etag = httpx.get(url, timeout=20).headers["etag"]
    assert httpx.get(url, headers={"If-None-Match": etag}, timeout=20).status_code == 304


@SQLITE
def test_a_connection_signs_in_as_a_client_of_oauth(
    scene: Scene, server: IcebergServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TREATY_CATALOG_LAKE", "robot:hidden")
    server.create("shop", "orders", SCHEMA)
    row = connect(scene, server.url, secret="env:TREATY_CATALOG_LAKE", options={**DEFAULTS, "auth": "oauth2"})
    steps = dry_run(CatalogSource.of(row), scene.settings)
    assert [(each.name, each.ok) for each in steps] == [
        (name, True) for name in ("secret", "sign in", "list tables", "load a table")
    ]
