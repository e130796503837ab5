"""Unity Catalog, open-source and of Databricks: types, options, and who receives the secret."""

from typing import Any

import pytest
from support.catalog_answers import Recorded, SourceCase, listed, loaded, opened
from support.iceberg_rest import drive
from support.recorded_unity import DATABRICKS, LOANS, ROOT, SCHEMAS, UNITY

from treaty.registry.catalogs.errors import CatalogError, CatalogRefused, CatalogSecretMissing
from treaty.registry.catalogs.kinds.unity.metadata import table_facts
from treaty.registry.catalogs.model import TableFacts
from treaty.registry.catalogs.requests import CatalogRequest

REQUEST = CatalogRequest(path="x")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ({"type_json": '"integer"'}, "int"),
        ({"type_json": '"decimal(9, 2)"', "type_text": "?"}, "decimal(9,2)"),
        ({"type_json": '{"type":"array","elementType":"long","containsNull":true}'}, "array<bigint>"),
        ({"type_json": '{"type":"map","keyType":"string","valueType":"timestamp_ntz"}'}, "map<string,timestamp_ntz>"),
        ({"type_json": '{"type":"udt","sqlType":"binary"}'}, "binary"),
        ({"type_json": "no json", "type_text": "struct<a B:int>"}, "struct<a B:int>"),
        ({"type_json": "[" * 1_000, "type_text": "LONG"}, "bigint"),
        ({"type_text": "BIGINT"}, "bigint"),
        ({"type_name": "STRING"}, "string"),
        ({}, ""),
    ],
)
def test_types_are_spelled_as_spark_does(column: dict[str, Any], expected: str) -> None:
    content = {**LOANS, "columns": [{"name": "c", **column}]}
    assert table_facts(content, REQUEST).columns[0].type == expected


@pytest.mark.parametrize(
    ("only", "expected"),
    [
        ("main.shop", ["orders"]),
        ("main", ["loans", "orders"]),
        ("main.shop, main", ["loans", "orders"]),
        ("other", []),
    ],
)
def test_options_limit_what_is_listed(only: str, expected: list[str]) -> None:
    case = SourceCase(**{**vars(UNITY), "options": {"only": only}})
    contents = {name: content for name, content in case.contents.items() if not name.endswith("schemas")}
    catalog = Recorded({**contents, f"{ROOT}/schemas?catalog_name=main&max_results=50": SCHEMAS[f"{ROOT}/schemas"]})
    assert [each.identifier[-1] for each in listed(opened(case, catalog), catalog).tables] == expected


def test_a_table_that_was_listed_is_loaded_without_a_request() -> None:
    catalog = Recorded(dict(UNITY.contents))
    reader = opened(UNITY, catalog)
    listed(reader, catalog)
    count = len(catalog.requests)
    assert isinstance(loaded(reader, catalog, ("main", "shop", "orders")), TableFacts)
    assert len(catalog.requests) == count
    assert isinstance(loaded(reader, catalog, ("main", "shop", "orders")), TableFacts)
    assert [each.path for each in catalog.requests[count:]] == [f"{ROOT}/tables/main.shop.orders"]


@pytest.mark.parametrize(("tags", "expected"), [("none", 1), ("tables", 3), ("columns", 6)])
def test_tags_cost_as_many_requests_as_their_option_says(tags: str, expected: int) -> None:
    catalog = Recorded(dict(DATABRICKS.contents))
    options = {"auth": "oauth2", "tags": tags}
    reader = opened(SourceCase(**{**vars(DATABRICKS), "options": options}), catalog)
    before = len(catalog.requests)
    loaded(reader, catalog, ("main", "shop", "orders"))
    assert len(catalog.requests) - before == expected


def test_the_secret_of_a_service_principal_is_sent_to_the_token_server_alone_and_never_printed() -> None:
    catalog = Recorded(dict(DATABRICKS.contents))
    opened(DATABRICKS, catalog)
    first, *others = catalog.requests
    assert (first.path, first.headers["Authorization"]) == ("oidc/v1/token", "Basic Y2xpZW50OmhpZGRlbg==")
    assert first.body == b"grant_type=client_credentials&scope=all-apis"
    assert {each.headers["Authorization"] for each in others} == {"Bearer right"}
    assert not any("hidden" in repr(each) or "right" in repr(each) for each in catalog.requests)


@pytest.mark.parametrize(
    ("secret", "contents", "error"),
    [
        ("nocolon", {}, CatalogSecretMissing),
        ("a:wrong", {"oidc/v1/token": 400}, CatalogRefused),
        ("a:wrong", {"oidc/v1/token": 401}, CatalogRefused),
    ],
)
def test_a_secret_that_is_refused_is_an_error(secret: str, contents: Any, error: type[CatalogError]) -> None:
    case = SourceCase(**{**vars(DATABRICKS), "secret": secret})
    with pytest.raises(error) as refused:
        drive(case.kind.open(case.access), Recorded(contents))
    assert "wrong" not in str(refused.value)
