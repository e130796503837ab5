"""What catalogs state as suggestions of a draft: only what the contract lacks, and keys only where the data agree."""

from datetime import UTC, datetime
from typing import Any

import pytest
from support.orders import contract

from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import Patch, apply
from treaty.registry.catalogs.model import ColumnFacts, GlossaryTermFacts, TableFacts
from treaty.registry.catalogs.table_store import CatalogStatement
from treaty.registry.drafting.catalog_suggestions import with_catalogs

NOW = datetime(2026, 11, 27, tzinfo=UTC)
PII = ColumnFacts(name="status", type="string", tags={"PII.Sensitive": None})


def statement(connection: str = "lake", **facts: Any) -> CatalogStatement:
    return CatalogStatement(
        connection=connection,
        kind="iceberg",
        facts=TableFacts(identifier=("shop", "orders"), **facts),
        read_at=NOW,
        confirmed_at=NOW,
        dropped_at=None,
    )


def column(name: str, **facts: Any) -> ColumnFacts:
    return ColumnFacts(name=name, type="string", **facts)


def check(kind: str, name: str, **patch: Any) -> dict[str, Any]:
    return {"id": kind, "kind": kind, "object": "orders", "column": name, "patch": patch, "evidence": {"partitions": 7}}


def suggested(*stated: CatalogStatement, checks: Any = (), **on: Any) -> list[Any]:
    properties = [{"name": "id"}, {"name": "Amount"}, {"name": "status", **on}]
    return with_catalogs(checks, stated, contract(properties=properties), "orders")


CASES: list[tuple[str, dict[str, Any], dict[str | None, dict[str, Any]]]] = [
    ("nothing", {}, {}),
    ("description", {"description": " All orders "}, {None: {"description": "All orders"}}),
    ("blank comment", {"columns": (column("id", comment=" "),)}, {}),
    ("comment", {"columns": (column("amount", comment="in EUR"),)}, {"Amount": {"description": "in EUR"}}),
    ("foreign column", {"columns": (column("gone", comment="in EUR"),)}, {}),
    ("tags", {"tags": {"gold": None, "tier": "1"}}, {None: {"tags": ["gold", "tier:1"]}}),
    ("false tag", {"columns": (column("id", tags={"pii": "false"}),)}, {"id": {"tags": ["pii:false"]}}),
    ("unknown key", {"primary_key": ("id",)}, {}),
    ("key of two", {"primary_key": ("id", "status")}, {}),
    (
        "term",
        {"glossary_terms": (GlossaryTermFacts("Order", "https://g.example/1"), GlossaryTermFacts("Sale"))},
        {
            None: {
                "authoritativeDefinitions": [
                    {"url": "https://g.example/1", "type": "businessDefinition", "description": "Order"}
                ]
            }
        },
    ),
]


@pytest.mark.parametrize(("name", "facts", "patches"), CASES, ids=[each[0] for each in CASES])
def test_a_catalog_suggests_what_the_contract_lacks(name: str, facts: Any, patches: Any) -> None:
    found = suggested(statement(**facts))
    assert {each["column"]: each["patch"] for each in found} == patches
    assert all(
        each["evidence"]["stated"] == [{"catalog": "lake", "table": "shop.orders", "since": NOW.isoformat()}]
        for each in found
    )


LEVELS = [
    ({"PII.Sensitive": None}, "pii"),
    ({"urn:li:tag:pii": None}, "pii"),
    ({"classification": "Restricted"}, "restricted"),
    ({"data.sensitivity": "confidential"}, "confidential"),
    ({"pii": "no"}, None),
    ({"pii": "true"}, "pii"),
    ({"gold": None}, None),
    ({"happiness": None}, None),
]


@pytest.mark.parametrize(("tags", "level"), LEVELS)
def test_a_tag_that_classifies_is_a_classification(tags: dict[str, str | None], level: str | None) -> None:
    found = {each["kind"]: each for each in suggested(statement(columns=(column("status", tags=tags),)))}
    classified = found.get("catalog_classification")
    assert (classified["patch"]["classification"] if classified else None) == level
    assert not classified or not classified["optional"]
    assert found["catalog_tags"]["optional"]


def test_what_the_contract_states_itself_is_not_suggested() -> None:
    own = {"description": "paid or new", "classification": "public", "tags": ["PII.Sensitive"]}
    told = statement(columns=(column("status", comment="state", tags={"PII.Sensitive": None}),))
    assert suggested(told, **own) == []


def test_tags_are_added_to_those_of_the_contract() -> None:
    (found,) = suggested(statement(columns=(column("status", tags={"gold": None}),)), tags=["own"])
    assert found["patch"] == {"tags": ["own", "gold"]}


def test_a_key_is_suggested_with_the_evidence_of_the_draft() -> None:
    unique = check("unique", "id", unique=True)
    found = suggested(statement(primary_key=("ID",)), checks=[unique])
    assert [each["kind"] for each in found] == ["unique", "catalog_key"]
    assert found[0]["evidence"]["stated"] == found[1]["evidence"]["stated"]
    assert found[1]["patch"] == {"primaryKey": True, "primaryKeyPosition": 1}
    assert found[1]["evidence"]["partitions"] == 7


def test_checks_that_a_catalog_states_too_say_so_and_others_do_not() -> None:
    checks = [check("complete", "Amount", required=True), check("complete", "id", required=True)]
    amount, number = suggested(statement(columns=(column("amount", required=True), column("id"))), checks=checks)
    assert amount["evidence"]["stated"][0]["catalog"] == "lake"
    assert number == checks[1]


def test_of_two_catalogs_the_first_is_used_and_one_that_agrees_is_named() -> None:
    found = suggested(
        statement("a", description="All orders"), statement("b", description="Orders"),
        statement("c", description="All orders"),
    )  # fmt: skip
    assert [each["catalog"] for each in found[0]["evidence"]["stated"]] == ["a", "c"]
    assert len(found) == 1


def test_another_statement_is_another_suggestion() -> None:
    one, other = (suggested(statement(description=each))[0]["id"] for each in ("Orders", "All orders"))
    assert one != other == suggested(statement("b", description="All orders"))[0]["id"]


def test_accepted_suggestions_are_a_valid_contract() -> None:
    nested = column("status", fields=(column("a.b", comment="inner"),), comment="state", tags={"pii": None})
    facts = {"description": "Orders", "tags": {"gold": None}, "columns": (nested, column("id", comment="number"))}
    terms = (GlossaryTermFacts("Order", "https://g.example/1"),)
    properties = [{"name": "id"}, {"name": "status", "logicalType": "object", "properties": [{"name": "a.b"}]}]
    base = contract(properties=properties)
    found = with_catalogs((), [statement(**facts, glossary_terms=terms)], base, "orders")
    assert {each["column"] for each in found} == {None, "id", "status", "status.`a.b`"}
    patched = apply(base.document, [Patch(each["object"], each["column"], each["patch"]) for each in found])
    table = read(write(patched)).document["schema"][0]
    assert table["description"] == "Orders"
    assert table["properties"][1]["classification"] == "pii"
    assert table["properties"][1]["properties"][0]["description"] == "inner"


def test_without_catalogs_or_for_another_object_nothing_changes() -> None:
    checks = [check("unique", "id", unique=True)]
    assert with_catalogs(checks, [], contract(), "orders") == checks
    assert with_catalogs(checks, [statement(description="x")], contract(), "other") == checks
