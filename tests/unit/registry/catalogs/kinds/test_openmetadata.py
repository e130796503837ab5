"""OpenMetadata: names, types, and the services, databases and schemas that are read."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalog_answers import Recorded, SourceCase, listed, loaded, opened
from support.recorded_openmetadata import LOANS, OPENMETADATA, ORDERS, ORDERS_PATH, QUERY, TABLES

from treaty.registry.catalogs.errors import CatalogAnswerInvalid, CatalogPermissionMissing
from treaty.registry.catalogs.kinds.openmetadata.facts import join_name, split_name, table_facts
from treaty.registry.catalogs.model import Dropped, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest

REQUEST = CatalogRequest(path="x")
FIELD = {"name": "a b", "dataType": "INT"}
TYPES: list[tuple[dict[str, Any], str]] = [
    ({"dataType": "LONG"}, "bigint"),
    ({"dataType": "VARCHAR", "dataLength": 1}, "string"),
    ({"dataType": "CHAR", "dataLength": 3}, "char(3)"),
    ({"dataType": "NUMERIC", "precision": 5}, "decimal(5,0)"),
    ({"dataType": "DECIMAL"}, "decimal"),
    ({"dataType": "GEOMETRY"}, "geometry"),
    ({"dataType": "STRUCT", "children": [FIELD], "dataTypeDisplay": "cut ..."}, "struct<`a b`:int>"),
    ({"dataType": "STRUCT", "dataTypeDisplay": "struct<A:int>"}, "struct<A:int>"),
    ({"dataType": "ARRAY", "arrayDataType": "STRUCT", "children": [FIELD]}, "array<struct<`a b`:int>>"),
    ({"dataType": "ARRAY", "arrayDataType": "LONG"}, "array<bigint>"),
    ({"dataType": "MAP", "dataTypeDisplay": "map<string,int>"}, "map<string,int>"),
    ({"dataType": "MAP"}, "map"),
]


@pytest.mark.parametrize(("column", "expected"), TYPES)
def test_types_are_spelled_as_spark_does(column: dict[str, Any], expected: str) -> None:
    content = {**LOANS, "columns": [{"name": "c", **column}]}
    assert table_facts(content, REQUEST, "").columns[0].type == expected


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=4).map(tuple))
def test_qualified_names_are_split_into_their_parts(identifier: tuple[str, ...]) -> None:
    assert split_name(join_name(identifier)) == identifier


@pytest.mark.parametrize("qualified", ["", ".", '""'])
def test_a_table_without_a_name_is_refused(qualified: str) -> None:
    with pytest.raises(CatalogAnswerInvalid, match="fullyQualifiedName is not a text"):
        table_facts({**LOANS, "fullyQualifiedName": qualified}, REQUEST, "")


def everything() -> SourceCase:
    return SourceCase(**{**vars(OPENMETADATA), "options": {"pages": "http://pages.example/"}})


def test_without_a_choice_all_tables_are_listed_in_one_request_a_page() -> None:
    pages = {f"{TABLES}?{QUERY}": {"data": [LOANS, ORDERS], "paging": {"total": 2}}}
    catalog = Recorded({**OPENMETADATA.contents, **pages})
    reader = opened(everything(), catalog)
    assert [each.identifier[-1] for each in listed(reader, catalog).tables] == ["loans", "orders"]
    facts = loaded(reader, catalog, ("hive", "lake", "bank", "loans"))
    assert isinstance(facts, TableFacts)
    assert facts.link == "http://pages.example/table/hive.lake.bank.loans"
    assert [each.path for each in catalog.requests] == [TABLES, TABLES]


def test_without_a_choice_nothing_is_left_if_access_is_denied() -> None:
    catalog = Recorded({**OPENMETADATA.contents, f"{TABLES}?{QUERY}": 403})
    with pytest.raises(CatalogPermissionMissing, match="ViewBasic"):
        listed(opened(everything(), catalog), catalog)


def test_a_deleted_table_that_can_be_restored_is_dropped() -> None:
    catalog = Recorded({**OPENMETADATA.contents, ORDERS_PATH: {**ORDERS, "deleted": True}})
    assert loaded(opened(OPENMETADATA, catalog), catalog, ("hive", "lake", "eu.shop", "orders")) == Dropped()


def test_one_malformed_table_is_an_error_of_its_own() -> None:
    broken = {**LOANS, "columns": [{"name": "c"}]}
    catalog = Recorded({**OPENMETADATA.contents, f"{TABLES}?{QUERY}": {"data": [broken, ORDERS], "paging": {}}})
    reader = opened(everything(), catalog)
    assert [each.token is None for each in listed(reader, catalog).tables] == [True, False]
    with pytest.raises(CatalogAnswerInvalid, match="loans: dataType is not a text"):
        loaded(reader, catalog, ("hive", "lake", "bank", "loans"))
