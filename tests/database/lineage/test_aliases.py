"""A dataset is found by whichever of its names a producer knows, and never taken for that of another contract."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.api import counted_queries
from support.events import event, output
from support.lineages import canonical, marks, promised
from support.scenes import NOON, Scene, rows

from treaty.registry.core.database import read_session, transaction
from treaty.registry.datasets.names import LineageName
from treaty.registry.lineage import aliases
from treaty.registry.tables import DatasetAliasRow, DatasetRow, UnmatchedDatasetRow

PATH = ("file", "/data/orders")
HIVE = ("hive://metastore:9083", "sales.orders")
GLUE = ("arn:aws:glue:eu-west-1:1", "table/sales/orders")


def linked(name: tuple[str, str], *others: tuple[str, str], kind: str = "TABLE") -> dict[str, Any]:
    """A dataset of that name with symlinks to others."""
    identifiers = [{"namespace": space, "name": other, "type": kind} for space, other in others]
    return output(name[1], name[0], symlinks={"identifiers": identifiers})


def plain(name: tuple[str, str]) -> dict[str, Any]:
    return output(name[1], name[0])


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return Scene(engine, tmp_path)


def fold(scene: Scene, *documents: dict[str, Any]) -> None:
    scene.send(*documents)
    while scene.worker().take_in():
        pass


@pytest.mark.parametrize(
    ("contract", "taught", "written"),
    [
        pytest.param(PATH, linked(PATH, HIVE), HIVE, id="a path that Spark told the table of"),
        pytest.param(HIVE, linked(PATH, HIVE), PATH, id="a table that Spark told the path of"),
        pytest.param(PATH, linked(HIVE, PATH, kind="LOCATION"), HIVE, id="a path that the Hive hook told the table of"),
        pytest.param(HIVE, linked(HIVE, PATH, kind="LOCATION"), PATH, id="a table that the Hive hook told the path of"),
        pytest.param(
            ("s3://lake", "orders"),
            linked(("s3a://lake", "/orders"), GLUE),
            GLUE,
            id="a bucket that Glue has a name for",
        ),
        pytest.param(
            GLUE, linked(("s3a://Lake", "/orders/"), GLUE), ("s3n://lake", "orders"), id="Glue's name of a bucket"
        ),
        pytest.param(
            ("file:/warehouse", "sales.orders"),
            linked(("file", "/warehouse/sales/orders"), ("file:/warehouse", "sales.orders")),
            ("file", "/warehouse/sales/orders"),
            id="a table below Iceberg's warehouse",
        ),
        pytest.param(
            PATH, linked(PATH, ("hive://metastore", "sales.orders")), HIVE, id="names with and without the usual port"
        ),
    ],
)
def test_what_one_run_told_of_names_is_known_of_the_next(
    scene: Scene, contract: tuple[str, str], taught: dict[str, Any], written: tuple[str, str]
) -> None:
    promised(scene.database, "orders", contract)
    fold(scene, event("START", inputs=[taught], outputs=[]))
    assert marks(scene.database) == {}
    fold(scene, event("COMPLETE", plain(written), run="another"))
    assert marks(scene.database) == {"orders": (1, 0)}


def test_a_name_that_nobody_linked_is_found_where_the_contract_declares_it(scene: Scene) -> None:
    dbt = ("spark://host:10000", "sales.orders")
    promised(scene.database, "orders", PATH, dbt)
    fold(scene, event("COMPLETE", plain(dbt)))
    assert marks(scene.database) == {"orders": (1, 0)}
    assert canonical(scene.database, *dbt) == canonical(scene.database, *PATH) == "file /data/orders"


def test_links_are_followed_over_several_runs(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    fold(
        scene,
        event("COMPLETE", linked(PATH, HIVE), run="a"),
        event("OTHER", linked(HIVE, GLUE), run="b"),
        event("COMPLETE", plain(GLUE), run="c"),
    )
    assert marks(scene.database) == {"orders": (2, 0)}
    assert canonical(scene.database, *GLUE) == "file /data/orders"


def test_a_renamed_table_is_known_by_its_name_of_before(scene: Scene) -> None:
    promised(scene.database, "orders", HIVE)
    before = {"namespace": HIVE[0], "name": HIVE[1]}
    renamed = {"lifecycleStateChange": "RENAME", "previousIdentifier": before}
    fold(scene, event("COMPLETE", output("sales.orders_v2", HIVE[0], lifecycleStateChange=renamed), run="a"))
    assert marks(scene.database) == {}
    fold(scene, event("COMPLETE", plain((HIVE[0], "sales.orders_v2")), run="b"))
    assert marks(scene.database) == {"orders": (1, 0)}


def test_a_link_between_the_datasets_of_two_contracts_is_refused_and_told(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    promised(scene.database, "sales", HIVE)
    fold(scene, event("COMPLETE", linked(PATH, HIVE)))
    assert marks(scene.database) == {"orders": (1, 0)}
    (link,) = rows_of_links(scene)
    assert link.conflict == "the link would merge the datasets of orders.orders and of sales.orders"
    assert (canonical(scene.database, *PATH), canonical(scene.database, *HIVE)) == (
        "file /data/orders",
        "hive://metastore sales.orders",
    )


def test_a_name_in_between_belongs_to_whom_it_was_linked_with_first(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    promised(scene.database, "sales", GLUE)
    fold(
        scene,
        event("COMPLETE", linked(HIVE, GLUE), at="2026-03-01T12:00:02Z", run="later"),
        event("OTHER", linked(PATH, HIVE), at="2026-03-01T12:00:01Z", run="earlier"),
    )
    assert marks(scene.database) == {"sales": (1, 0)}
    fold(scene, event("COMPLETE", plain(HIVE), run="b"))
    assert marks(scene.database) == {"orders": (1, 0), "sales": (1, 0)}


def test_several_contracts_may_be_about_one_dataset(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    promised(scene.database, "sales", PATH)
    fold(scene, event("COMPLETE", linked(PATH, HIVE), run="a"))
    fold(scene, event("COMPLETE", plain(HIVE), run="b"))
    assert marks(scene.database) == {"orders": (2, 0), "sales": (2, 0)}


def pattern(name: str, *, regex: bool = False) -> dict[str, Any]:
    return {"aliases": [{"object": "orders", "namespace": "file", "name": name, "regex": regex}]}


@pytest.mark.parametrize(
    ("terms", "path", "known"),
    [
        (pattern("/tmp/outputs/*"), "/tmp/outputs/1729097570970", True),
        (pattern("/tmp/outputs/*"), "/tmp/outputs/", False),
        (pattern("/tmp/outputs/*"), "/tmp/outputs/a/b", False),
        (pattern("/tmp/*/orders"), "/tmp/today/orders", True),
        (pattern("/tmp/*/orders"), "/tmp/today/orders2", False),
        (pattern("/tmp/*a*b"), "/tmp/xaxab", True),
        (pattern("/tmp/out.*"), "/tmp/outx", False),
        (pattern("/tmp/run_[0-9]{4}", regex=True), "/tmp/run_2026", True),
        (pattern("/tmp/run_[0-9]{4}", regex=True), "/tmp/run_20267", False),
    ],
)
def test_a_pattern_stands_for_all_names_that_it_matches(
    scene: Scene, terms: dict[str, Any], path: str, known: bool
) -> None:
    promised(scene.database, "orders", PATH, terms=terms)
    fold(scene, event("COMPLETE", output(path)))
    assert marks(scene.database) == ({"orders": (1, 0)} if known else {})
    assert (canonical(scene.database, "file", path) == "file /data/orders") is known


def test_what_a_pattern_found_is_read_where_the_newest_run_wrote_it(scene: Scene) -> None:
    promised(scene.database, "orders", PATH, terms=pattern("/tmp/outputs/*"))
    fold(scene, event("COMPLETE", output("/tmp/outputs/2"), at="2026-03-01T12:00:02Z", run="b"))
    fold(scene, event("COMPLETE", output("/tmp/outputs/1"), at="2026-03-01T12:00:01Z", run="a"))
    (dataset,) = rows(scene.database, DatasetRow)
    assert dataset.location == "/tmp/outputs/2"


def test_a_pattern_of_one_contract_takes_nothing_that_another_declares(scene: Scene) -> None:
    promised(scene.database, "orders", PATH, terms=pattern("/tmp/*"))
    promised(scene.database, "sales", HIVE)
    fold(scene, event("COMPLETE", linked(("file", "/tmp/sales"), HIVE)))
    assert marks(scene.database) == {"orders": (1, 0)}


def test_a_link_that_nobody_told_of_for_long_is_forgotten(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    fold(scene, event("COMPLETE", linked(PATH, HIVE)))
    for days, left in ((89, 1), (91, 0)):
        with transaction(scene.database) as tx:
            aliases.forget(tx, now=NOON + timedelta(days=days))
            tx.commit()
        assert len(rows_of_links(scene)) == left
    assert canonical(scene.database, *HIVE) == "hive://metastore sales.orders"


def test_a_link_told_of_again_lasts_from_then_on(scene: Scene) -> None:
    fold(scene, event("COMPLETE", linked(PATH, HIVE), at="2026-01-01T12:00:00Z", run="a"))
    fold(scene, event("COMPLETE", linked(PATH, HIVE), at="2026-03-01T12:00:00Z", run="b"))
    (link,) = rows_of_links(scene)
    assert (link.last_seen_at - link.first_seen_at).days == 59


def test_what_nobody_promises_anything_about_is_remembered_with_what_was_told(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    facets = {"schema": {"fields": [{"name": "id", "type": "long"}]}, "storage": {"fileFormat": "parquet"}}
    fold(scene, event("COMPLETE", output("/data/other/ds=1", **facets), run="a"))
    fold(scene, event("COMPLETE", output("/data/other/ds=2", **facets), run="b"))
    with read_session(scene.database) as tx:
        row = tx.get_one(UnmatchedDatasetRow, ("file", "/data/other"))
    assert (row.write_count, row.details["job"]) == (2, {"namespace": "shop", "name": "load_orders"})
    assert (row.details["columns"], row.details["format"]) == ([{"name": "id", "type": "long"}], "parquet")
    assert row.details["partitions"] == [{"ds": "2"}]


def test_names_of_partitions_stand_for_their_table(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    assert canonical(scene.database, "file", "/data/orders/ds=1") == "file /data/orders"


def test_a_run_of_thousands_of_outputs_is_folded_with_few_statements(scene: Scene) -> None:
    promised(scene.database, "orders", PATH)
    outputs = [output(f"/data/many/{number}") for number in range(2000)]
    scene.send(event("COMPLETE", *outputs, output()))
    with counted_queries(scene.database) as statements:
        scene.worker().take_in()
    assert marks(scene.database) == {"orders": (1, 0)}
    looks = [each for each in statements if "name_link" in each or "dataset_contract" in each]
    assert len(looks) < 60


def rows_of_links(scene: Scene) -> list[DatasetAliasRow]:
    return sorted(rows(scene.database, DatasetAliasRow), key=lambda each: str(each))


def test_the_canonical_name_of_what_nobody_owns_is_the_smallest(scene: Scene) -> None:
    fold(scene, event("COMPLETE", linked(HIVE, PATH)))
    assert canonical(scene.database, *HIVE) == "file /data/orders"
    with read_session(scene.database) as tx:
        found = aliases.groups(tx, [LineageName(*PATH)])[LineageName(*PATH)]
    assert found.names == {LineageName("file", "/data/orders"), LineageName("hive://metastore", "sales.orders")}
