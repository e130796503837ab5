"""Connections and the links that their catalogs state: explained by their source, and gone with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.catalogs import NAMESPACE, connect, connection, read, tables
from support.events import event, output
from support.iceberg_rest import IcebergCatalog, serving
from support.scenes import NOON, Scene, add, contract_in_force, described, orders, rows

from treaty.contracts.errors import Fault
from treaty.registry.access.authentication import Principal
from treaty.registry.access.permissions import permissions_of
from treaty.registry.catalogs import connections, table_store
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import CatalogState, Role
from treaty.registry.core.errors import Conflict, Forbidden, InvalidRequest, NotFound
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.tables import (
    AuditEntryRow,
    CatalogAliasRow,
    CatalogConnectionRow,
    CatalogTableRow,
    ContractRow,
    DatasetRow,
)
from treaty.registry.worker import periodic

HIVE = LineageName(NAMESPACE, "shop.orders")
PATH = LineageName("file", "/data/orders")
SETTINGS = RegistrySettings()


def principal(role: Role = Role.ADMIN) -> Principal:
    return Principal(user_id=ids.new(), name="ada", roles=frozenset({role}), permissions=permissions_of([role]))


def row(name: str = "lake", **fields: Any) -> CatalogConnectionRow:
    parts = {"kind": "iceberg", "address": "https://catalog.example", "next_read_at": NOON, "created_at": NOON}
    return CatalogConnectionRow(id=ids.new(), name=name, created_by="ada", **(parts | fields))


def added(engine: Engine, made: CatalogConnectionRow, by: Principal | None = None) -> None:
    with transaction(engine) as tx:
        connections.add(tx, made, SETTINGS, by=by or principal(), now=NOON)
        tx.commit()


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


@pytest.fixture
def catalog() -> IcebergCatalog:
    made = IcebergCatalog()
    made.put("shop", "orders", location="file:/data/orders")
    return made


@pytest.fixture
def url(catalog: IcebergCatalog) -> Iterator[str]:
    with serving(catalog) as url:
        yield url


FAULTY: list[tuple[dict[str, Any], str, str]] = [
    ({"kind": "oracle"}, "kind", "oracle is not a kind of catalog: use one of databricks"),
    ({"address": "ftp://catalog"}, "address", "only http and https"),
    ({"address": "https://ann:word@catalog"}, "address", "credentials"),
    ({"address": "https://catalog?x=1"}, "address", "no query"),
    ({"secret": "word-4711"}, "secret", "name the secret as env:TREATY_CATALOG_NAME"),
    ({"secret": "env:TREATY_TOKEN"}, "secret", "name the secret as"),
    ({"options": {"colour": "red"}}, "options.colour", "iceberg has no option colour: use auth"),
    ({"options": {"auth": "basic"}}, "options.auth", "use bearer or oauth2"),
    ({"options": {"oauth2-server-uri": "ftp://x"}}, "options.oauth2-server-uri", "only http and https"),
    ({"writes": ["properties"]}, "writes", "does not write"),
]


@pytest.mark.parametrize(("fields", "where", "words"), FAULTY, ids=[each[1] + each[2][:9] for each in FAULTY])
@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_faulty_connection_is_refused_with_the_place_of_the_fault(
    engine: Engine, fields: dict[str, Any], where: str, words: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        added(engine, row(**fields))
    (fault,) = refused.value.faults
    assert isinstance(fault, Fault)
    assert (fault.where, words in fault.message) == (where, True)
    assert "word" not in fault.message
    assert rows(engine, CatalogConnectionRow) == []


def test_a_connection_is_added_with_all_options_and_audited_without_a_secret(engine: Engine) -> None:
    added(engine, row(secret="env:TREATY_CATALOG_LAKE", options={"warehouse": "main"}))
    (stored,) = rows(engine, CatalogConnectionRow)
    assert (stored.options["warehouse"], stored.options["auth"], stored.writes) == ("main", "bearer", [])
    (entry,) = [each for each in rows(engine, AuditEntryRow) if each.action == "catalog:added"]
    assert entry.details["secret"] == "env:TREATY_CATALOG_LAKE"
    with pytest.raises(Conflict, match="already a connection named lake"):
        added(engine, row())


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.ADMIN])
@pytest.mark.parametrize("kind", ["sqlite"])
def test_only_administrators_manage_connections(engine: Engine, role: Role) -> None:
    by = principal(role)
    with read_session(engine) as tx:
        for act in (
            lambda: connections.list_connections(tx, by),
            lambda: connections.add(tx, row(), SETTINGS, by=by, now=NOON),
            lambda: connections.change(tx, "lake", {}, SETTINGS, by=by, now=NOON),
            lambda: connections.remove(tx, "lake", by=by, now=NOON),
        ):
            with pytest.raises(Forbidden):
                act()


def test_a_changed_connection_is_read_again_in_full(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    read(scene)
    assert tables(scene)["shop.orders"].token
    with transaction(scene.database) as tx:
        changed = connections.change(
            tx, "lake", {"namespaces": {"": NAMESPACE}}, SETTINGS, by=principal(), now=scene.clock()
        )
        assert (changed.revision, changed.state, changed.kind) == (2, CatalogState.NEW, "iceberg")
        tx.commit()
    assert read(scene)["changed"] == 1
    assert (tables(scene)["shop.orders"].namespace, connection(scene).state) == (NAMESPACE, CatalogState.HEALTHY)


def test_unknown_connections_are_not_found(engine: Engine) -> None:
    with read_session(engine) as tx, pytest.raises(NotFound):
        connections.remove(tx, "lake", by=principal(), now=NOON)


def groups(scene: Scene, name: LineageName) -> aliases.AliasGroup:
    with read_session(scene.database) as tx:
        return aliases.groups(tx, [name])[name]


def test_an_event_about_a_table_validates_the_contract_about_its_path_while_the_connection_exists(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url, namespaces={"": NAMESPACE})
    read(scene)
    assert groups(scene, HIVE).names >= {HIVE, PATH}
    scene.send(event("COMPLETE", output(HIVE.name, HIVE.namespace)))
    scene.work()
    assert [each.contract_id for each in scene.runs] == ["orders"]

    with transaction(scene.database) as tx:
        connections.remove(tx, "lake", by=principal(), now=NOON)
        tx.commit()
    assert groups(scene, HIVE).names == {HIVE}
    assert [rows(scene.database, each) for each in (CatalogAliasRow, CatalogTableRow, CatalogConnectionRow)] == [[]] * 3


def test_links_name_their_connection_and_table(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    made = connect(scene, url, namespaces={"": NAMESPACE})
    read(scene)
    links = rows(scene.database, CatalogAliasRow)
    assert {(each.connection_id, each.identifier, each.conflict) for each in links} == {(made.id, "shop.orders", None)}
    assert {each.one_name for each in links} | {each.other_name for each in links} == {"/data/orders", "shop.orders"}


def test_a_table_that_moves_takes_its_link_along(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url, namespaces={"": NAMESPACE})
    read(scene)
    catalog.put("shop", "orders", location="file:/data/moved")
    read(scene, hours=1)
    assert LineageName("file", "/data/moved") in groups(scene, HIVE).names
    assert PATH not in groups(scene, HIVE).names


def test_a_link_that_would_merge_contracts_is_stored_with_its_conflict_and_not_followed(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    dataset = DatasetRow(id=ids.new(), namespace=HIVE.namespace, name=HIVE.name)
    with read_session(scene.database) as tx:
        owner = tx.get_one(ContractRow, "orders").owner_id
    sales = ContractRow(id="sales", name="sales", owner_id=owner, created_at=NOON)
    add(scene.database, sales, *described(dataset, ("sales", "sales")))
    connect(scene, url, namespaces={"": NAMESPACE})
    read(scene)
    assert PATH not in groups(scene, HIVE).names
    conflicts = [each.conflict for each in rows(scene.database, CatalogAliasRow) if each.conflict]
    assert conflicts == ["the link would merge the datasets of orders.orders and of sales.sales"]


def test_a_dataset_has_the_statements_of_all_catalogs_under_any_of_its_names(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url, namespaces={"": NAMESPACE})
    connect(scene, url.replace("127.0.0.1", "localhost"), name="other")
    assert periodic.order_catalog_reads(scene.worker()) == 2
    scene.work()
    with read_session(scene.database) as tx:
        found = table_store.statements(tx, groups(scene, PATH).names)
        assert table_store.statements(tx, [LineageName("file", "/data/other")]) == []
    assert [(each.connection, each.facts.identifier) for each in found] == [
        ("lake", ("shop", "orders")),
        ("other", ("shop", "orders")),
    ]


def test_links_of_events_stay_when_a_connection_goes(engine: Engine, tmp_path: Path, url: str) -> None:
    contract_in_force(engine)
    scene = Scene(engine, tmp_path)
    symlinks = {"identifiers": [{"namespace": HIVE.namespace, "name": HIVE.name, "type": "TABLE"}]}
    scene.send(event("COMPLETE", output("/data/orders", symlinks=symlinks)))
    while scene.worker().take_in():
        pass
    connect(scene, url, namespaces={"": NAMESPACE})
    read(scene)
    with transaction(engine) as tx:
        connections.remove(tx, "lake", by=principal(), now=NOON)
        tx.commit()
    assert groups(scene, HIVE).names == {HIVE, PATH}
