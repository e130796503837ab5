"""Iceberg REST catalogs, read without a network: what is requested, and what is understood of the answers."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.iceberg_rest import IcebergCatalog, access, column, drive, metadata, without_network

from treaty.registry.catalogs.errors import (
    CatalogAnswerInvalid,
    CatalogError,
    CatalogPermissionMissing,
    CatalogRefused,
    CatalogSecretMissing,
    CatalogUnavailable,
)
from treaty.registry.catalogs.kinds.iceberg.metadata import table_facts
from treaty.registry.catalogs.kinds.iceberg.reader import IcebergRest
from treaty.registry.catalogs.model import ColumnFacts, Dropped, PartitionColumn, TableFacts, TableListing, Unchanged
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest

MANY = 1_000_000
REQUEST = CatalogRequest(path="v1/x")


def listing(catalog: IcebergCatalog, most: int = MANY, **options: str) -> TableListing:
    answer = without_network(catalog)
    return drive(drive(IcebergRest().open(access(**options)), answer).listing(most), answer)


def names(found: TableListing) -> list[str]:
    return [".".join(each.identifier) for each in found.tables]


def shop() -> IcebergCatalog:
    catalog = IcebergCatalog()
    for each in (("shop", "orders"), ("shop", "eu", "orders"), ("shop", "eu", "old", "orders"), ("bank", "loans")):
        catalog.put(*each)
    return catalog


@pytest.mark.parametrize("page_size", [1, 2, 1000])
def test_tables_of_all_namespaces_are_listed_page_by_page(page_size: int) -> None:
    catalog = shop()
    catalog.page_size = page_size
    found = listing(catalog)
    assert sorted(names(found)) == ["bank.loans", "shop.eu.old.orders", "shop.eu.orders", "shop.orders"]
    assert (found.complete, found.problems) == (True, ())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"nested": "no"}, ["bank.loans", "shop.orders"]),
        ({"only": "shop.eu"}, ["shop.eu.orders", "shop.eu.old.orders"]),
        ({"only": "bank, shop.eu.old"}, ["bank.loans", "shop.eu.old.orders"]),
        ({"only": "nowhere"}, []),
    ],
)
def test_options_limit_what_is_listed(options: dict[str, str], expected: list[str]) -> None:
    assert sorted(names(listing(shop(), **options))) == sorted(expected)


def test_a_listing_that_has_enough_ends_and_is_not_complete() -> None:
    catalog = shop()
    found = listing(catalog, most=1)
    assert (len(found.tables), found.complete) == (1, False)
    assert len(catalog.requests) <= 4


def test_a_namespace_that_denies_access_is_a_problem_and_the_rest_is_listed() -> None:
    catalog = shop()
    catalog.denied.add(("shop", "eu"))
    found = listing(catalog)
    assert sorted(names(found)) == ["bank.loans", "shop.eu.old.orders", "shop.orders"]
    assert not found.complete
    assert [each.partition(".")[0] for each in found.problems] == ["GET v1/namespaces/shop%1Feu/tables: status 403"]


def test_prefix_and_separator_of_the_server_are_used_and_other_addresses_are_not() -> None:
    catalog = shop()
    catalog.prefix = "ws/main"
    catalog.settings = {"namespace-separator": "%2E", "uri": "http://elsewhere.example"}
    requests: list[CatalogRequest] = []

    def answer(request: CatalogRequest) -> CatalogAnswer:
        requests.append(request)
        query = {name: value.replace(".", "\x1f") for name, value in request.query.items()}
        return catalog.answer("GET", request.path.replace("%2E", "%1F"), query, {}, b"")

    reader = drive(IcebergRest().open(access(warehouse="main")), answer)
    assert len(drive(reader.listing(MANY), answer).tables) == 4
    assert requests[0].target == "v1/config?warehouse=main"
    assert "v1/ws/main/namespaces/shop%2Eeu/tables" in [each.path for each in requests]
    assert not any("elsewhere" in each.path for each in requests)


@pytest.mark.parametrize(
    ("secret", "auth"), [("right", "bearer"), ("robot:hidden", "oauth2")], ids=["bearer", "oauth2"]
)  # fmt: skip
def test_the_secret_is_sent_as_the_option_says_and_never_printed(secret: str, auth: str) -> None:
    catalog = IcebergCatalog(token="right")
    request = next(IcebergRest().open(access(secret, auth=auth)))
    assert "hidden" not in repr(request)
    assert "right" not in repr(request)
    assert drive(IcebergRest().open(access(secret, auth=auth)), without_network(catalog))


@pytest.mark.parametrize(
    ("secret", "auth", "error", "message"),
    [
        ("wrong", "bearer", CatalogRefused, "v1/config: status 401"),
        ("", "bearer", CatalogRefused, "v1/config: status 401"),
        ("robot:wrong", "oauth2", CatalogRefused, "POST v1/oauth/tokens: status 400"),
        ("robot", "oauth2", CatalogSecretMissing, "ID:SECRET"),
    ],
)
def test_a_secret_that_is_refused_is_named_by_its_request(
    secret: str, auth: str, error: type[CatalogError], message: str
) -> None:
    with pytest.raises(error, match=message) as refused:
        drive(IcebergRest().open(access(secret, auth=auth)), without_network(IcebergCatalog(token="right")))
    assert "wrong" not in str(refused.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"namespaces": [["a"]], "next-page-token": "again"}, "the pages do not end"),
        ({"namespaces": "a"}, "namespaces is not a list"),
        ({"namespaces": [["a", 1]]}, "a namespace is not a text"),
        (["a"], "the response is not an object"),
        (None, "the response is not an object"),
    ],
)
def test_answers_of_another_form_are_errors_that_name_the_request(content: Any, message: str) -> None:
    def answer(request: CatalogRequest) -> CatalogAnswer:
        return CatalogAnswer(200, {} if request.path == "v1/config" else content)

    reader = drive(IcebergRest().open(access()), answer)
    with pytest.raises(CatalogAnswerInvalid, match=f"GET v1/namespaces: {message}"):
        drive(reader.listing(MANY), answer)


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, CatalogUnavailable), (401, CatalogRefused), (403, CatalogPermissionMissing), (409, CatalogUnavailable)],
)
def test_statuses_of_loading_are_errors_of_their_kind(status: int, error: type[CatalogError]) -> None:
    reader = drive(IcebergRest().open(access()), without_network(shop()))
    with pytest.raises(error, match=f"tables/orders: status {status}"):
        drive(reader.load(("shop", "orders"), ""), lambda _: CatalogAnswer(status))


@pytest.mark.parametrize("etags", [True, False])
def test_a_table_is_loaded_then_unchanged_then_changed_then_dropped(etags: bool) -> None:
    catalog = shop()
    catalog.etags = etags
    answer = without_network(catalog)
    reader = drive(IcebergRest().open(access()), answer)

    def load(token: str) -> Any:
        return drive(reader.load(("shop", "orders"), token), answer)

    first = load("")
    assert first.columns == (ColumnFacts(name="id", type="bigint"),)
    assert load(first.token) == Unchanged()
    catalog.put("shop", "orders", columns=[column(1, "number")])
    second = load(first.token)
    assert (second.columns[0].name, second.token != first.token) == ("number", True)
    catalog.drop("shop", "orders")
    catalog.put("shop", "other")
    assert load(second.token) == Dropped()


NESTED = {"type": "struct", "fields": [column(4, "city", "string", doc="of the buyer", required=True)]}
TYPES = [
    ("long", "bigint"),
    ("timestamptz", "timestamp"),
    ("timestamp", "timestamp_ntz"),
    ("decimal(9, 2)", "decimal(9,2)"),
    ("fixed[16]", "binary"),
    ("uuid", "string"),
    ("geometry(srid:3857)", "geometry(srid:3857)"),
    (NESTED, "struct<city:string>"),
    ({"type": "list", "element-id": 9, "element": NESTED}, "array<struct<city:string>>"),
    ({"type": "map", "key": "string", "value": "long"}, "map<string,bigint>"),
    ({"type": "struct", "fields": [column(4, "a b")]}, "struct<`a b`:bigint>"),
]


@pytest.mark.parametrize(("kind", "expected"), TYPES, ids=[each for _, each in TYPES])
def test_types_are_spelled_as_spark_does(kind: Any, expected: str) -> None:
    content = {"metadata": metadata(column(1, "c", kind))}
    assert table_facts(("t",), content, REQUEST).columns[0].type == expected


def test_all_facts_of_the_metadata_are_read() -> None:
    content = metadata(
        column(1, "id", required=True, doc="number of the order"),
        column(2, "at", "timestamptz"),
        column(3, "address", NESTED),
        location="s3://lake/orders",
        keys=[1, 4],
        partitions=[
            {"source-id": 2, "field-id": 1000, "name": "at_day", "transform": "day"},
            {"source-id": 1, "field-id": 1001, "name": "gone", "transform": "void"},
        ],
        properties={"owner": "ann", "comment": "All orders", "treaty.contract": "orders", "secret.key": "hidden"},
    )
    content["schemas"].insert(0, {"schema-id": 7, "fields": [column(1, "old")]})
    city = ColumnFacts(name="city", type="string", comment="of the buyer", required=True)
    assert table_facts(("shop", "orders"), {"metadata": content}, REQUEST) == TableFacts(
        identifier=("shop", "orders"),
        location="s3://lake/orders",
        columns=(
            ColumnFacts(name="id", type="bigint", comment="number of the order", required=True),
            ColumnFacts(name="at", type="timestamp"),
            ColumnFacts(name="address", type="struct<city:string>", fields=(city,)),
        ),
        primary_key=("id", "address.city"),
        partition_columns=(PartitionColumn("at", "day"),),
        owners=("ann",),
        description="All orders",
        properties={"treaty.contract": "orders"},
    )


def test_the_first_version_of_the_format_is_read() -> None:
    content = {
        "location": "/t",
        "schema": {"fields": [column(1, "day", "date")]},
        "partition-spec": [{"source-id": 1, "field-id": 1000, "name": "day", "transform": "identity"}],
    }
    found = table_facts(("t",), {"metadata": content}, REQUEST)
    assert (found.columns, found.partition_columns) == (
        (ColumnFacts(name="day", type="date"),),
        (PartitionColumn("day"),),
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
WHOLE = metadata(column(1, "id"), column(3, "a", NESTED), keys=[1], partitions=[{"source-id": 1, "transform": "day"}])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in places(each, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], other)
    return copy


@given(st.sampled_from(places(WHOLE)), JSON)
def test_metadata_with_anything_in_any_place_is_read_or_refused(place: tuple[Any, ...], value: Any) -> None:
    content = {"metadata": replaced(WHOLE, place, value)}
    try:
        found: TableFacts | None = table_facts(("t",), content, REQUEST)
    except CatalogAnswerInvalid:
        found = None
    assert found is None or found.identifier == ("t",)


def test_the_whole_metadata_is_read() -> None:
    read: Callable[[Any], TableFacts] = lambda content: table_facts(("t",), {"metadata": content}, REQUEST)  # noqa: E731
    assert read(WHOLE).primary_key == ("id",)
