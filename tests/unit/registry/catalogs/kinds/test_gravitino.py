"""Gravitino: types, partitioning, sign-in, and what is read."""

from base64 import b64encode
from typing import Any

import pytest
from support.catalog_answers import Recorded, SourceCase, listed, loaded, opened
from support.recorded_gravitino import GRAVITINO, HIVE, LOANS, ROOT, column

from treaty.registry.catalogs.errors import CatalogSecretMissing
from treaty.registry.catalogs.kinds.gravitino.facts import TagIndex, table_facts
from treaty.registry.catalogs.model import PartitionColumn, TableFacts
from treaty.registry.catalogs.requests import CatalogRequest

REQUEST = CatalogRequest(path="x")


def facts(**content: Any) -> TableFacts:
    return table_facts(("m", "c", "s", "t"), {**LOANS, **content}, REQUEST, TagIndex(), ())


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("Integer", "int"),
        ("long unsigned", "decimal(20,0)"),
        ("decimal(9, 2)", "decimal(9,2)"),
        ("varchar(20)", "varchar(20)"),
        ("char(3)", "char(3)"),
        ("fixed(16)", "binary"),
        ("timestamp", "timestamp_ntz"),
        ("timestamp(3)", "timestamp_ntz"),
        ("timestamp_tz", "timestamp"),
        ("time(6)", "time(6)"),
        ("interval_day", "interval day to second"),
        ({"type": "list", "elementType": "long", "containsNull": True}, "array<bigint>"),
        ({"type": "map", "keyType": "string", "valueType": "uuid", "valueContainsNull": True}, "map<string,string>"),
        ({"type": "union", "types": ["integer", "string"]}, "union<int,string>"),
        ({"type": "external", "catalogString": "GEOGRAPHY"}, "GEOGRAPHY"),
        ({"type": "unparsed", "unparsedType": "hllsketch"}, "hllsketch"),
    ],
)
def test_types_are_spelled_as_spark_does(kind: Any, expected: str) -> None:
    assert facts(columns=[column("c", kind)]).columns[0].type == expected


@pytest.mark.parametrize(
    ("partitioning", "expected"),
    [
        ({"strategy": "day", "fieldName": ["a", "b"]}, [PartitionColumn("a.b", "day")]),
        ({"strategy": "truncate", "width": 4, "fieldName": ["a"]}, [PartitionColumn("a", "truncate[4]")]),
        ({"strategy": "list", "fieldNames": [["a"], ["b"]]}, [PartitionColumn(each, "list") for each in "ab"]),
        ({"strategy": "range", "fieldName": ["a"], "assignments": []}, [PartitionColumn("a", "range")]),
        ({"strategy": "function", "funcName": "f", "funcArgs": [{"type": "literal", "value": "1"}]}, []),
    ],
)
def test_partitioning_has_its_columns_and_transforms(partitioning: Any, expected: list[PartitionColumn]) -> None:
    assert list(facts(partitioning=[partitioning]).partition_columns) == expected


def case(**options: str) -> SourceCase:
    return SourceCase(**{**vars(GRAVITINO), "options": options, "secret": options.pop("secret", "ann")})


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"secret": "right"}, "Bearer right"),
        ({"secret": "ann", "auth": "simple"}, f"Basic {b64encode(b'ann:dummy').decode()}"),
        ({"secret": "ann:hidden", "auth": "basic"}, f"Basic {b64encode(b'ann:hidden').decode()}"),
        ({"secret": "ann:hidden", "auth": "oauth2", "oauth2-server-uri": "http://sts.example/token"}, "Bearer right"),
        ({"secret": ""}, None),
    ],
)
def test_the_secret_is_sent_as_the_option_says(options: dict[str, str], expected: str | None) -> None:
    catalog = Recorded({**GRAVITINO.contents, "http://sts.example/token": {"access_token": "right"}})
    opened(case(**options), catalog)
    last = catalog.requests[-1]
    assert last.headers.get("Authorization") == expected
    assert last.headers["Accept"] == "application/vnd.gravitino.v1+json"
    forms = [each.body for each in catalog.requests if each.method == "POST"]
    form = b"grant_type=client_credentials&scope=&client_id=ann&client_secret=hidden"
    assert forms == ([form] if "oauth2-server-uri" in options else [])


def test_a_password_without_a_user_is_refused() -> None:
    with pytest.raises(CatalogSecretMissing, match="ID:SECRET"):
        opened(case(secret="hidden", auth="basic"), Recorded({}))


@pytest.mark.parametrize(
    ("only", "expected", "requests"),
    [
        ("prod", ["loans", "orders"], 5),
        ("prod.hive, prod.hive.shop", ["loans", "orders"], 4),
        ("prod.hive.shop", ["orders"], 2),
    ],
)
def test_options_limit_what_is_listed(only: str, expected: list[str], requests: int) -> None:
    catalog = Recorded(dict(GRAVITINO.contents))
    found = listed(opened(case(only=only), catalog), catalog)
    assert (sorted(each.identifier[-1] for each in found.tables), found.complete) == (expected, True)
    assert len(catalog.requests) == requests


@pytest.mark.parametrize("status", [404, 405])
def test_a_server_without_owners_is_read(status: int) -> None:
    catalog = Recorded({**GRAVITINO.contents, f"{ROOT}/prod/owners/table/hive.shop.orders": status})
    found = loaded(opened(case(tags="no"), catalog), catalog, GRAVITINO.changed)
    assert isinstance(found, TableFacts)
    assert (found.owners, found.tags) == ((), {})
    assert [each.path for each in catalog.requests[1:]] == [
        f"{HIVE}/shop/tables/orders",
        f"{ROOT}/prod/owners/table/hive.shop.orders",
    ]


def test_without_owners_and_tags_a_table_costs_one_request() -> None:
    catalog = Recorded(dict(GRAVITINO.contents))
    found = loaded(opened(case(tags="no", owners="no"), catalog), catalog, GRAVITINO.changed)
    assert isinstance(found, TableFacts)
    assert (found.owners, found.tags, len(catalog.requests)) == ((), {}, 2)


def test_a_catalog_that_is_not_in_use_is_a_problem_and_its_tables_are_not_dropped() -> None:
    catalog = Recorded({**GRAVITINO.contents, HIVE: 409})
    found = listed(opened(case(), catalog), catalog)
    assert (found.tables, found.complete) == ((), False)
    assert found.problems == (f"GET {HIVE}: status 409. hive is not in use.",)
