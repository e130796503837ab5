"""Connections over the API and from the command line: added, tested, read, shown, and removed."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.api import World, document
from support.engines import FakeEngine, judge, lacking, large
from support.iceberg_rest import IcebergCatalog, serving
from support.scenes import NOON, add
from typer.testing import CliRunner

from treaty.registry.cli import main
from treaty.registry.client import Client, ClientError
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.schemas.catalogs import CatalogConnectionIn, CatalogConnectionUpdateIn
from treaty.registry.tables import DatasetAliasRow
from treaty.registry.worker.loop import Worker

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def catalog() -> IcebergCatalog:
    made = IcebergCatalog(token="right-4711")
    made.put("shop", "orders", location="file:/lake/orders", properties={"comment": "All orders"})
    made.put("shop", "a.b")
    return made


@pytest.fixture
def url(catalog: IcebergCatalog) -> Iterator[str]:
    with serving(catalog) as url:
        yield url


@pytest.fixture
def secret(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("TREATY_CATALOG_LAKE", "right-4711")
    return "env:TREATY_CATALOG_LAKE"


@pytest.fixture
def run(world: World, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command as an administrator; its exit code and what it prints."""

    def done(*words: str) -> tuple[int, str]:
        monkeypatch.setenv("TREATY_TOKEN", world.secrets["admin"])
        made = lambda _, token: Client("http://testserver", token, http=world.http)  # noqa: E731
        monkeypatch.setattr("treaty.registry.client.Client", made)
        monkeypatch.setattr(Client, "close", lambda _: None)
        result = CliRunner().invoke(main.app, ["catalogs", *words])
        return result.exit_code, result.stdout.strip() or str(result.exception or "")

    return done


def work(world: World) -> None:
    """Has a worker do what waits."""
    worker = Worker(
        database=world.engine, engine=FakeEngine(), evaluate=judge, missing_states=lacking, large=large,
        settings=RegistrySettings(),
    )  # fmt: skip
    while worker.step():
        pass


def lake(url: str, **more: Any) -> CatalogConnectionIn:
    return CatalogConnectionIn(name="lake", kind="iceberg", address=url, private=True, **more)


def test_a_connection_is_added_read_shown_and_removed(world: World, url: str, secret: str) -> None:
    admin = world.client("admin")
    added = admin.add_catalog(lake(url, secret=secret))
    assert (added.state, added.tables, added.options["auth"]) == ("new", 0, "bearer")
    task = admin.read_catalog("lake")
    with pytest.raises(ClientError, match="is being read"):
        admin.read_catalog("lake")
    work(world)
    assert admin.task(task.id).result == {
        "listed": 2, "requests": 6, "changed": 2, "confirmed": 0, "dropped": 0, "problems": 0, "more": False,
    }  # fmt: skip
    assert [each.identifier for each in admin.catalog_tables("lake")] == ["shop.`a.b`", "shop.orders"]
    (shown,) = admin.catalogs()
    assert (shown.state, shown.tables, shown.etag) == ("healthy", 2, added.etag)
    admin.remove_catalog("lake", etag=shown.etag)
    assert admin.catalogs() == []
    assert [each for each in world.audited() if each.startswith("catalog:")] == [
        "catalog:added", "catalog:read_requested", "catalog:removed",
    ]  # fmt: skip


def test_pages_of_tables_are_the_whole_list(world: World, catalog: IcebergCatalog, url: str, secret: str) -> None:
    for at in range(5):
        catalog.put("shop", f"t{at}")
    admin = world.client("admin")
    admin.add_catalog(lake(url, secret=secret))
    admin.read_catalog("lake")
    work(world)
    names, cursor = [], ""
    while cursor is not None:
        page = world.call("admin", "GET", f"/catalogs/lake/tables?limit=2{cursor and f'&cursor={cursor}'}").json()
        names, cursor = [*names, *(each["identifier"] for each in page["items"])], page["next"]
    assert names == ["shop.`a.b`", "shop.orders", *(f"shop.t{at}" for at in range(5))]


def test_links_that_are_not_followed_are_listed_with_the_reason(world: World, url: str, secret: str) -> None:
    for name, place in (("orders", "/lake/orders"), ("sales", "/lake/sales")):
        made = world.client("producer").propose(document(name, physical=place))
        owner = world.client("owner")
        owner.approve(made.id, owner.preview(made.id).fingerprint)
    admin = world.client("admin")
    aliased = {"namespaces": {"": "file:/w"}}
    admin.add_catalog(lake(url, secret=secret, **aliased))
    alias = DatasetAliasRow(
        one_namespace="file", one_name="/lake/sales", other_namespace="file:/w", other_name="shop.orders",
        first_seen_at=NOON, last_seen_at=NOON,
    )  # fmt: skip
    add(world.engine, alias)
    admin.read_catalog("lake")
    work(world)
    found = {each.identifier: each.conflicts for each in admin.catalog_tables("lake")}
    (reason,) = found["shop.orders"]
    assert "would merge the datasets of" in reason
    assert found["shop.`a.b`"] == ()


def test_a_change_of_another_state_is_refused(world: World, url: str) -> None:
    admin = world.client("admin")
    added = admin.add_catalog(lake(url))
    changed = admin.change_catalog("lake", CatalogConnectionUpdateIn(namespaces={"": "hive://m"}), etag=added.etag)
    assert (changed.namespaces, changed.private, changed.revision) == ({"": "hive://m"}, True, 2)
    with pytest.raises(ClientError) as refused:
        admin.remove_catalog("lake", etag=added.etag)
    assert refused.value.status == 412


STEPS = [
    ({}, {}, ["secret", "sign in", "list tables", "load a table"], ""),
    ({"secret": None}, {}, ["secret", "sign in"], "status 401"),
    ({"secret": "env:TREATY_CATALOG_NONE"}, {}, ["secret"], "TREATY_CATALOG_NONE does not exist"),
    ({"private": False}, {}, ["secret", "sign in"], "or for this connection alone as `private`"),
    ({}, {"denied": {("shop",)}}, ["secret", "sign in", "list tables"], "It has to grant: list tables"),
]


@pytest.mark.parametrize(("fields", "changes", "steps", "words"), STEPS, ids=[each[3] or "ok" for each in STEPS])
@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_test_says_which_steps_work_and_what_is_missing(
    world: World,
    catalog: IcebergCatalog,
    url: str,
    secret: str,
    fields: dict[str, Any],
    changes: dict[str, Any],
    steps: list[str],
    words: str,
) -> None:
    for name, value in changes.items():
        setattr(catalog, name, value)
    admin = world.client("admin")
    admin.add_catalog(lake(url).model_copy(update={"secret": secret, **fields}))
    found = admin.test_catalog("lake")
    assert [each.name for each in found] == steps
    assert [each.ok for each in found[:-1]] == [True] * (len(steps) - 1)
    assert words in found[-1].detail
    assert "4711" not in str(found)
    assert admin.catalog_tables("lake") == []


def test_readers_of_a_contract_see_what_catalogs_state_about_its_dataset(world: World, url: str, secret: str) -> None:
    made = world.client("producer").propose(document("orders", physical="/lake/orders"))
    owner = world.client("owner")
    owner.approve(made.id, owner.preview(made.id).fingerprint)
    world.client("admin").add_catalog(lake(url, secret=secret, namespaces={"": "hive://metastore"}))
    world.client("admin").read_catalog("lake")
    work(world)
    (statement,) = world.client("viewer").catalog_statements("orders")
    assert (statement.connection, statement.kind) == ("lake", "iceberg")
    assert (statement.facts.identifier, statement.facts.description) == (("shop", "orders"), "All orders")
    assert [each.type for each in statement.facts.columns] == ["bigint"]
    names = [(each.namespace, each.name) for each in statement.facts.names]
    assert names == [("hive://metastore", "shop.orders"), ("file", "/lake/orders"), (url, "shop.orders")]
    with pytest.raises(ClientError):
        world.client("viewer").catalog_statements("nothing")


def test_commands_add_test_list_read_show_and_remove(run: Run, world: World, url: str, secret: str) -> None:
    given = ("--secret", secret, "--private", "--namespace", "=hive://metastore", "--option", "nested=no")
    code, printed = run("add", "lake", "iceberg", url, *given)
    assert (code, "Added: lake" in printed, printed.count(" ok ")) == (0, True, 4)
    assert run("test", "lake")[0] == 0
    assert "treaty catalogs status lake" in run("read", "lake")[1]
    work(world)
    assert "healthy" in run("list")[1]
    shown = json.loads(run("status", "lake", "--json")[1])
    assert (shown["namespaces"], shown["options"]["nested"], shown["tables"]) == ({"": "hive://metastore"}, "no", 2)
    assert "hive://metastore" in run("status", "lake")[1]
    assert run("remove", "lake") == (0, "Removed: lake")
    assert "No connections yet" in run("list")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("add", "Lake", "iceberg", "http://x"), "name: "),
        (("add", "lake", "iceberg", "http://x", "--option", "auth"), "auth has no value"),
        (("add", "lake", "oracle", "http://x"), "oracle is not a kind of catalog"),
        (("read", "lake"), "Not found"),
    ],
)
@pytest.mark.parametrize("kind", ["sqlite"])
def test_faulty_commands_say_what_is_wrong(run: Run, words: tuple[str, ...], message: str) -> None:
    code, printed = run(*words)
    assert (code != 0, message in printed) == (True, True)


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_connection_is_added_even_if_it_does_not_work_yet(run: Run) -> None:
    given = ("--secret", "env:TREATY_CATALOG_NONE", "--namespace", "=hive://metastore:9083")
    code, printed = run("add", "lake", "iceberg", "https://polaris.example/api/catalog", *given)
    assert (code, "TREATY_CATALOG_NONE does not exist" in printed) == (0, True)
    assert "lake" in run("list")[1]


@pytest.mark.parametrize("kind", ["sqlite"])
def test_a_test_that_fails_is_the_exit_code(run: Run, url: str) -> None:
    run("add", "lake", "iceberg", url, "--private")
    code, printed = run("test", "lake")
    assert (code, "status 401" in printed) == (1, True)


@pytest.mark.parametrize("kind", ["sqlite"])
def test_kinds_are_listed_with_options_and_permissions(world: World) -> None:
    kinds = {each.name: each for each in world.client("admin").catalog_kinds()}
    kind = kinds["iceberg"]
    assert (len(kinds), len(kind.permissions)) == (6, 3)
    assert all(each.permissions for each in kinds.values())
    assert {each.name: each.choices for each in kind.options}["auth"] == ("bearer", "oauth2")
