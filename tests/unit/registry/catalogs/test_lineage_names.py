"""The names of a catalog's table in lineage: its namespace by the connection, its location, and the address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treaty.registry.catalogs.lineage_names import lineage_names, pairs
from treaty.registry.catalogs.model import Identifier, TableFacts
from treaty.registry.datasets.names import LineageName

ADDRESS = "http://catalog.example/api"
SPACES = {"": "hive://metastore:9083", "shop": "file:/warehouse", "shop.eu": "iceberg://host/eu"}
AT = LineageName(ADDRESS, "shop.orders")
DATAHUB = ("s3", "PROD", "lake/clicks")
CLICKS = LineageName("s3://lake", "clicks")


def facts(identifier: Identifier, location: str | None = None, *names: LineageName) -> TableFacts:
    return TableFacts(identifier=identifier, location=location, names=names)


CASES = [
    ("mapped", "s3a://Lake/orders/", {"": "hive://M"}, ("hive://m", "shop.orders"), ("s3://lake", "orders")),
    ("bucket", "s3a://Lake//orders/", {}, ("s3://lake", "orders")),
    ("file URL", "file:///lake/orders", {}, ("file", "/lake/orders")),
    ("file", "file:/lake/orders", {}, ("file", "/lake/orders")),
    ("path", "/lake/orders", {}, ("file", "/lake/orders")),
    ("azure", "abfss://box@account/orders", {}, ("abfss://box@account", "/orders")),
    ("no location", None, {}),
    ("root of a bucket", "s3://lake/", {}),
    ("other scheme", "jdbc:sqlite:x", {}),
    ("relative", "lake/orders", {}),
    ("host of a file", "file://host/lake", {}),
    ("malformed", "s3://[lake/orders", {}),
    ("other prefix", None, {"bank": "hive://metastore"}),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=[each[0] for each in CASES])
def test_names_of_a_table(case: tuple[str, str | None, dict[str, str], tuple[str, str]]) -> None:
    _, location, namespaces, *expected = case
    found = lineage_names(facts(("shop", "orders"), location), namespaces, ADDRESS)
    assert found == (*(LineageName(*each) for each in expected), AT)


@pytest.mark.parametrize(
    ("identifier", "namespace"),
    [
        (("bank", "loans"), "hive://metastore"),
        (("shop", "orders"), "file:/warehouse"),
        (("shop", "eu", "orders"), "iceberg://host/eu"),
        (("shop", "eu", "old", "orders"), "iceberg://host/eu"),
        (("shop.eu", "orders"), "hive://metastore"),
    ],
)
def test_the_longest_prefix_applies(identifier: tuple[str, ...], namespace: str) -> None:
    assert lineage_names(facts(identifier), SPACES, ADDRESS)[0] == LineageName(namespace, ".".join(identifier))


@pytest.mark.parametrize(
    ("location", "namespaces", "expected"),
    [
        (None, {}, [CLICKS]),
        ("s3://lake/clicks", {}, [CLICKS]),
        ("/lake/clicks", {}, [LineageName("file", "/lake/clicks"), CLICKS]),
        (None, {"s3": "s3://other"}, [LineageName("s3://other", "clicks"), CLICKS]),
    ],
)
def test_names_that_a_catalog_states_are_used(
    location: str | None, namespaces: dict[str, str], expected: list[LineageName]
) -> None:
    at = LineageName(ADDRESS, "s3.PROD.lake/clicks")
    assert lineage_names(facts(DATAHUB, location, CLICKS), namespaces, ADDRESS) == (*expected, at)


def test_names_that_are_too_long_for_lineage_are_left_out() -> None:
    assert lineage_names(facts(("é" * 600,), "/x"), {}, ADDRESS) == (LineageName("file", "/x"),)


@given(st.lists(st.builds(LineageName, st.text(max_size=2), st.text(max_size=2)), unique=True, max_size=4))
def test_links_join_all_names_in_order(names: list[LineageName]) -> None:
    links = list(pairs(names))
    assert all(one < other for one, other in links)
    assert len(links) == max(len(names) - 1, 0)
    assert all(names[0] in each for each in links)
