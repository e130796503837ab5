"""DataHub: URNs, fields, and names of domains, terms and tags."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.catalog_answers import Recorded, SourceCase, listed, loaded, opened
from support.recorded_datahub import DATAHUB, GET, LISTING, ORDERS, ROOT, entity, field, urn

from treaty.registry.catalogs.errors import CatalogPermissionMissing
from treaty.registry.catalogs.kinds.datahub.columns import DatasetSchema
from treaty.registry.catalogs.kinds.datahub.names import dataset_urn, field_of, identifier_of, lineage_name
from treaty.registry.catalogs.model import ColumnFacts, Dropped, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest
from treaty.registry.datasets.names import LineageName

REQUEST = CatalogRequest(path="x")
WORDS = st.text("abc.-/() ", min_size=1, max_size=6)


def columns(*paths: str) -> tuple[ColumnFacts, ...]:
    return DatasetSchema({"fields": [field(each, "int") for each in paths]}, {}, {}, REQUEST).columns()


def shape(found: tuple[ColumnFacts, ...]) -> list[Any]:
    return [(each.name, shape(each.fields)) if each.fields else each.name for each in found]


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a.b", "a.b.c", "d"], [("a", [("b", ["c"])]), "d"]),
        (["a.b"], ["a.b"]),
        (["a", "a.b.c"], [("a", ["b.c"])]),
        (["a.b", "a"], [("a", ["b"])]),
        (["[version=2.0].[key=True].[type=int].id", "[version=2.0].[type=array].[type=com.x.Y].a"], ["id", "a"]),
        ([".".join("a" * length) for length in range(1, 400)], None),
    ],
)
def test_fields_are_nested_as_their_paths_say(paths: list[str], expected: list[Any] | None) -> None:
    nested = shape(columns(*paths))
    assert nested == expected or (expected is None and len(nested) == 1)


@given(st.from_regex(r"[a-z]{1,5}", fullmatch=True), st.sampled_from(["PROD", "DEV"]), WORDS)
def test_a_urn_has_the_platform_the_environment_and_the_name(platform: str, environment: str, name: str) -> None:
    identifier = (platform, environment, name)
    assert identifier_of(dataset_urn(identifier)) == identifier
    assert field_of(f"urn:li:schemaField:({dataset_urn(identifier)},a.b)") == (identifier, "a.b")


@pytest.mark.parametrize("other", ["", "urn:li:dataset:x", "urn:li:chart:(looker,a)", urn("") + "x"])
def test_other_urns_are_no_datasets(other: str) -> None:
    assert (identifier_of(other), field_of(other)) == (None, None)


@pytest.mark.parametrize(
    ("identifier", "instance", "expected"),
    [
        (("hive", "PROD", "shop.orders"), "", LineageName("hive", "shop.orders")),
        (("hive", "DEV", "shop.orders"), "", LineageName("hive:DEV", "shop.orders")),
        (("hive", "PROD", "main.shop.orders"), "main", LineageName("hive", "shop.orders")),
        (("s3", "PROD", "lake/a/b"), "", LineageName("s3://lake", "a/b")),
        (("gcs", "PROD", "lake/a"), "", LineageName("gs://lake", "a")),
        (("s3", "PROD", "lake"), "", LineageName("s3", "lake")),
    ],
)
def test_names_in_lineage_are_those_of_the_platform(
    identifier: tuple[str, str, str], instance: str, expected: LineageName
) -> None:
    assert lineage_name(identifier, instance) == expected


def test_without_access_to_names_the_identifiers_are_used() -> None:
    denied = dict.fromkeys((f"{ROOT}/domain", f"{ROOT}/glossaryTerm", f"{ROOT}/tag"), 403)
    catalog = Recorded({**DATAHUB.contents, **denied})
    facts = loaded(opened(DATAHUB, catalog), catalog, DATAHUB.changed)
    assert isinstance(facts, TableFacts)
    assert (facts.domain, facts.glossary_terms[0].name) == ("9f2e", "7b1a")


def test_without_access_to_datasets_nothing_is_listed() -> None:
    catalog = Recorded({**DATAHUB.contents, LISTING: 403})
    with pytest.raises(CatalogPermissionMissing, match="View Entity Page"):
        listed(opened(DATAHUB, catalog), catalog)


def test_without_a_choice_all_platforms_are_read_and_odd_urns_are_a_problem() -> None:
    odd = entity("urn:li:dataset:odd", status={"removed": False})
    catalog = Recorded({**DATAHUB.contents, f"{LISTING}&scrollId=second": {"entities": [odd, ORDERS]}})
    case = SourceCase(**{**vars(DATAHUB), "options": {}})
    listing = listed(opened(case, catalog), catalog)
    assert [each.identifier[0] for each in listing.tables] == ["s3", "kafka", "hive"]
    assert (listing.complete, listing.problems) == (
        False,
        ("1 datasets have URNs that this version does not read",),
    )
    facts = loaded(opened(case, catalog), catalog, DATAHUB.changed)
    assert isinstance(facts, TableFacts)
    assert (facts.link, facts.glossary_terms[0].link) == (None, None)


def test_a_removed_dataset_is_dropped() -> None:
    catalog = Recorded({**DATAHUB.contents, GET: [{**ORDERS, "status": {"value": {"removed": True}}}]})
    assert loaded(opened(DATAHUB, catalog), catalog, DATAHUB.changed) == Dropped()


def test_keys_that_are_only_marked_are_read_and_those_of_unreadable_columns_are_not() -> None:
    schema = {
        "fields": [field("a", "int", isPartOfKey=True)],
        "foreignKeys": [{"sourceFields": ["urn:li:odd"], "foreignFields": []}],
    }
    found = DatasetSchema(schema, {}, {}, REQUEST)
    assert (found.primary_key(), tuple(found.foreign_keys())) == (("a",), ())
