"""Reading catalogs over HTTP into both databases: nothing is lost, and nothing wrong is stored, whatever fails."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, delete
from support.catalogs import connect, connection, history, read, tables
from support.iceberg_rest import IcebergCatalog, Reply, column, serving
from support.scenes import NOON, Scene, rows

from treaty.registry.catalogs import health, reading
from treaty.registry.catalogs.model import from_json
from treaty.registry.catalogs.reading import ReadContext
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import CatalogState, TaskState
from treaty.registry.queue import task_queue
from treaty.registry.tables import CatalogAliasRow, CatalogConnectionRow, CatalogTableRow, TaskRow
from treaty.registry.worker.catalog_reads import UNREADABLE


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return Scene(engine, tmp_path)


@pytest.fixture
def catalog(monkeypatch: pytest.MonkeyPatch) -> IcebergCatalog:
    monkeypatch.setattr("treaty.registry.catalogs.transport.FIRST_PAUSE", 0.001)
    made = IcebergCatalog()
    made.put("shop", "orders", location="s3://lake/orders", properties={"owner": "ann"})
    made.put("shop", "customers", location="s3://lake/customers")
    return made


@pytest.fixture
def url(catalog: IcebergCatalog) -> Iterator[str]:
    with serving(catalog) as url:
        yield url


def changed(result: dict[str, Any]) -> tuple[int, int, int]:
    return result["changed"], result["confirmed"], result["dropped"]


def test_facts_are_stored_once_and_again_only_when_they_change(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    assert changed(read(scene)) == (2, 0, 0)
    row = connection(scene)
    assert (row.state, row.error, row.succeeded_at, row.next_read_at) == (
        CatalogState.HEALTHY, None, NOON, NOON + health.INTERVAL,
    )  # fmt: skip
    assert changed(read(scene, hours=1)) == (0, 2, 0)
    assert tables(scene)["shop.orders"].confirmed_at == NOON + timedelta(hours=1)

    catalog.put("shop", "orders", columns=[column(1, "number")], location="s3://lake/orders")
    assert changed(read(scene, hours=1)) == (1, 1, 0)
    old, new = history(scene, "shop.orders")
    assert (old.superseded_at, new.read_at) == (NOON + timedelta(hours=2),) * 2
    assert [from_json(each.facts).owners for each in (old, new)] == [("ann",), ()]
    assert (new.namespace, new.name) == ("s3://lake", "orders")


def test_a_new_version_without_other_facts_is_a_confirmation(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    read(scene)
    token = tables(scene)["shop.customers"].token
    catalog.put("shop", "customers", location="s3://lake/customers")
    assert changed(read(scene, hours=1)) == (0, 2, 0)
    assert tables(scene)["shop.customers"].token != token


def test_a_table_that_goes_is_marked_and_comes_back_as_new_facts(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url)
    read(scene)
    catalog.drop("shop", "orders")
    assert changed(read(scene, hours=1)) == (0, 1, 1)
    assert tables(scene)["shop.orders"].dropped_at == NOON + timedelta(hours=1)
    assert "shop.orders" not in {row.identifier for row in rows(scene.database, CatalogAliasRow)}
    assert changed(read(scene, hours=1)) == (0, 1, 0)
    catalog.put("shop", "orders", location="s3://lake/orders", properties={"owner": "ann"})
    assert changed(read(scene, hours=1)) == (1, 1, 0)
    assert [each.dropped_at is None for each in history(scene, "shop.orders")] == [False, True]


def test_a_table_that_is_dropped_between_list_and_load_is_marked(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url)
    read(scene)
    number = len(catalog.requests)
    answer = catalog.answer

    def dropping(method: str, path: str, *rest: Any) -> Any:
        if path.endswith("/tables/orders"):
            catalog.tables.pop(("shop", "orders"), None)
        return answer(method, path, *rest)

    catalog.answer = dropping  # type: ignore[method-assign]
    assert changed(read(scene, hours=1)) == (0, 1, 1)
    assert len(catalog.requests) > number
    assert (connection(scene).state, tables(scene)["shop.orders"].dropped_at is None) == (CatalogState.HEALTHY, False)


FAULTS: list[tuple[str, Callable[[], Reply], str]] = [
    ("401", lambda: Reply(401), "status 401"),
    ("403", lambda: Reply(403), "status 403"),
    ("404", lambda: Reply(404), "status 404"),
    ("409", lambda: Reply(409), "status 409"),
    ("429", lambda: Reply(429, headers={"Retry-After": "7200"}), "asks to wait 7200 seconds"),
    ("500", lambda: Reply(500), "status 500"),
    ("half", lambda: Reply(200, b"{", claimed=9), "connection failed"),
    ("html", lambda: Reply(200, b"<p>secret-4711</p>"), "not JSON"),
]


@pytest.mark.parametrize(("fault", "words"), [each[1:] for each in FAULTS], ids=[each[0] for each in FAULTS])
def test_a_failed_read_leaves_what_is_stored_and_states_its_reason(
    scene: Scene, catalog: IcebergCatalog, url: str, fault: Callable[[], Reply], words: str
) -> None:
    connect(scene, url)
    read(scene)
    before = rows(scene.database, CatalogTableRow)
    catalog.faults = dict.fromkeys(range(1_000), fault)
    assert read(scene, hours=1) == {"note": UNREADABLE}
    assert rows(scene.database, CatalogTableRow) == before
    row = connection(scene)
    assert (row.state, row.failures, words in (row.error or "")) == (CatalogState.FAILING, 1, True)
    assert "4711" not in str(row.error)
    waits = timedelta(hours=2) if words.startswith("asks") else health.FIRST_PAUSE
    assert row.next_read_at == scene.clock() + waits
    assert scene.last_task.state is TaskState.DONE

    catalog.faults = {}
    assert changed(read(scene, hours=2)) == (0, 2, 0)
    assert (connection(scene).state, connection(scene).failures) == (CatalogState.HEALTHY, 0)


def test_pauses_after_failures_grow_to_a_limit(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    catalog.faults = dict.fromkeys(range(1_000), lambda: Reply(401))
    pauses = []
    for _ in range(8):
        read(scene, hours=6)
        pauses.append(connection(scene).next_read_at - scene.clock())
    assert pauses[:3] == [timedelta(minutes=each) for each in (5, 10, 20)]
    assert pauses[-1] == health.LONGEST_PAUSE


def test_one_broken_table_is_a_problem_and_the_others_are_read(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    catalog.tables[("shop", "broken")] = {"location": 7}
    catalog.versions[("shop", "broken")] = 1
    assert changed(read(scene)) == (2, 0, 0)
    row = connection(scene)
    assert (row.state, "tables/broken" in (row.error or "")) == (CatalogState.PARTIAL, True)


def test_a_catalog_that_goes_down_in_the_middle_keeps_what_was_loaded(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url)
    for at in range(9):
        catalog.put("shop", f"t{at}")
    # The configuration, the two listings and three tables come before.
    catalog.faults = dict.fromkeys(range(7, 1_000), lambda: Reply(503))
    read(scene)
    assert (connection(scene).state, len(tables(scene))) == (CatalogState.FAILING, 3)
    catalog.faults = {}
    read(scene, hours=1)
    assert len(tables(scene)) == 11


def test_a_namespace_that_denies_access_drops_none_of_its_tables(
    scene: Scene, catalog: IcebergCatalog, url: str
) -> None:
    connect(scene, url)
    catalog.put("bank", "loans")
    catalog.put("bank", "old")
    read(scene)
    catalog.drop("bank", "old")
    catalog.drop("shop", "customers")
    catalog.denied = {("bank",)}
    assert changed(read(scene, hours=1)) == (0, 1, 1)
    found = {name: row.dropped_at is not None for name, row in tables(scene).items()}
    assert found == {"bank.loans": False, "bank.old": False, "shop.customers": True, "shop.orders": False}
    assert connection(scene).state is CatalogState.PARTIAL


def test_a_read_continues_in_the_next_task_and_reads_each_table_once(
    scene: Scene, catalog: IcebergCatalog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MOST_REQUESTS", 9)
    for at in range(20):
        catalog.put("shop", f"t{at}")
    connect(scene, url)
    read(scene)
    assert len(tables(scene)) == 22
    assert len(rows(scene.database, TaskRow)) == 5
    loads = [each for each in catalog.requests if "/tables/" in each]
    assert len(loads) == len(set(loads)) == 22
    assert connection(scene).succeeded_at == NOON


def test_a_read_by_a_worker_that_lost_its_lease_stores_nothing(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    row = connect(scene, url)

    def lost(_: Any) -> None:
        raise LookupError

    context = ReadContext(
        database=scene.database, settings=scene.settings, clock=scene.clock, ids=scene.worker().ids,
        check_lease=lost, report=lambda *_: None,
    )  # fmt: skip
    source = reading.CatalogSource.of(row)
    with pytest.raises(LookupError):
        reading.read(context, source)
    assert tables(scene) == {}


@pytest.mark.parametrize("removed", [True, False], ids=["removed", "changed"])
def test_a_connection_that_changes_while_it_is_read_discards_the_read(
    scene: Scene, catalog: IcebergCatalog, url: str, *, removed: bool
) -> None:
    connect(scene, url)
    answer = catalog.answer

    def changing(method: str, path: str, *rest: Any) -> Any:
        with transaction(scene.database) as tx:
            if removed:
                tx.exec(delete(CatalogConnectionRow))
            else:
                tx.exec(CatalogConnectionRow.__table__.update().values(revision=2))  # type: ignore[attr-defined]
            tx.commit()
        return answer(method, path, *rest)

    catalog.answer = changing  # type: ignore[method-assign]
    assert "changed or removed" in read(scene)["note"]
    assert tables(scene) == {}


def test_an_open_read_is_not_enqueued_twice(scene: Scene, catalog: IcebergCatalog, url: str) -> None:
    connect(scene, url)
    order = health.order_due
    for expected in (1, 0):
        with transaction(scene.database) as tx:
            assert order(tx, now=scene.clock(), ids=scene.worker().ids) == expected
            tx.commit()
        scene.clock.advance(3600)
    assert [each.state for each in rows(scene.database, TaskRow)] == [TaskState.QUEUED]


def test_reading_many_tables_takes_a_bounded_number_of_requests(
    scene: Scene, catalog: IcebergCatalog, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A listing of Iceberg REST has no version tokens, so each table costs a conditional request."""
    monkeypatch.setattr(reading, "LOAD_SECONDS", 120.0)
    for at in range(300):
        catalog.put(f"n{at % 3}", f"t{at}")
    connect(scene, url)
    read(scene)
    catalog.requests.clear()
    for at in range(3):
        catalog.put("n0", f"t{at * 3}", columns=[column(1, "other")])
    assert changed(read(scene, hours=1)) == (3, 299, 0)
    assert len(catalog.requests) == 302 + 1 + 1 + 2 * 4


def test_two_reads_of_one_connection_never_run_at_once(scene: Scene) -> None:
    made = connect(scene, "http://catalog.example")
    other = connect(scene, "http://catalog.example", name="other")
    ids = scene.worker().ids
    lease = timedelta(minutes=1)
    with transaction(scene.database) as tx:
        for key, row in (("a", made), ("b", made), ("c", other)):
            payload = {"connection_id": str(row.id)}
            task_queue.enqueue(tx, kind="catalog", payload=payload, key=key, now=scene.clock(), task_id=ids())
        tx.commit()
    with transaction(scene.database) as tx:
        claimed = [task_queue.claim(tx, worker=name, now=scene.clock(), lease=lease) for name in ("w1", "w2", "w3")]
        assert [task and task.key for task in claimed] == ["a", "c", None]
