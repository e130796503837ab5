"""What a registry's key-name model is trained on: what owners approved and rejected, in families of tables."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from support.approved import approve, reject
from support.scenes import NOON
from support.unusual_keys import KEY, contract_of, unusual_tables

from treaty.contracts.document.writer import write
from treaty.engine.suggestions.keys.registry_model import KeyFacts
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import Decision, ProposalState
from treaty.registry.drafting.keys import approved_keys
from treaty.registry.drafting.keys.table_families import FamilyMember, families, name_of_copies


def contract(name: str, columns: list[dict[str, Any]], *, version: str = "1.0.0", **table: Any) -> bytes:
    properties = [{"logicalType": "integer", "physicalType": "bigint", **each} for each in columns]
    return write({
        "apiVersion": "v3.1.0", "kind": "DataContract", "id": name, "name": name, "version": version,
        "status": "active", "schema": [{"name": name, "properties": properties, **table}],
    })  # fmt: skip


def collected(database: Engine) -> KeyFacts:
    with read_session(database) as tx:
        return approved_keys.facts(tx)


def labels(database: Engine) -> dict[str, bool]:
    columns = collected(database).columns
    return {
        f"{each.table}.{each.column}": bool(unique) for each, unique in zip(columns.names, columns.unique, strict=True)
    }


def custom(analyzer: str, **words: Any) -> dict[str, Any]:
    return {"id": "c", "name": "c", "type": "custom", "engine": "treaty",
            "implementation": {"analyzer": analyzer, **words}}  # fmt: skip


PLAIN = [{"name": "a"}, {"name": "b"}]


@pytest.mark.parametrize(
    ("columns", "quality", "keys"),
    [
        ([{"name": "a", "unique": True}, {"name": "b"}], [], {"a"}),
        ([{"name": "a", "primaryKey": True, "primaryKeyPosition": 1}, {"name": "b"}], [], {"a"}),
        ([{"name": each, "primaryKey": True, "primaryKeyPosition": at} for at, each in enumerate("ab", 1)], [], set()),
        (PLAIN, [custom("uniqueness", columns=["a"], mustBe=1)], {"a"}),
        (PLAIN, [custom("uniqueness", columns=["a"], mustBeGreaterOrEqualTo=0.9)], None),
        (PLAIN, [custom("uniqueness", columns=["a"], mustBe=1, where="b > 1")], None),
        (PLAIN, [custom("uniqueness", columns=["a", "b"], mustBe=1)], set()),
        (PLAIN, [custom("duplicate_rows", columns=["b"], mustBeLessThan=1)], {"b"}),
        ([{"name": "a", "quality": [{"id": "d", "metric": "duplicateValues", "mustBe": 0}]}, {"name": "b"}], [], {"a"}),
        ([{"name": "a", "quality": [{"id": "d", "metric": "duplicateValues", "mustBeLessThan": 9}]}], [], None),
        ([{"name": "a", "quality": [{"id": "d", "metric": "nullValues", "mustBe": 0}]}], [], None),
        (PLAIN, [], None),
    ],
)  # fmt: skip
def test_a_key_is_what_an_approved_version_declares(
    columns: list[dict[str, Any]], quality: list[dict[str, Any]], keys: set[str] | None, engine: Engine
) -> None:
    """None: the contract declares no key at all, and so says nothing about its columns."""
    approve(engine, [contract("t", columns, quality=quality)])
    expected = {} if keys is None else {f"t.{each['name']}": each["name"] in keys for each in columns}
    assert labels(engine) == expected


def test_the_newest_version_decides_and_dropped_tables_still_count(engine: Engine) -> None:
    approve(engine, [contract("t", [{"name": "a", "unique": True}, {"name": "old"}])])
    two = contract("t", [{"name": "a"}, {"name": "b", "unique": True}], version="2.0.0")
    approve(engine, [two], at=NOON + timedelta(days=1))
    assert labels(engine) == {"t.a": False, "t.b": True}
    renamed = contract("t", [{"name": "c", "unique": True}], version="3.0.0").replace(b"- name: t\n", b"- name: u\n")
    approve(engine, [renamed], at=NOON + timedelta(days=2))
    assert labels(engine) == {"t.a": False, "t.b": True, "u.c": True}
    assert collected(engine).tables == 2


@pytest.mark.parametrize(
    ("state", "decided", "counts"),
    [
        (ProposalState.APPROVED, {}, True),
        (ProposalState.REJECTED, {}, True),
        (ProposalState.IN_REVIEW, {}, False),
        (ProposalState.WITHDRAWN, {}, False),
        (ProposalState.APPROVED, {"decision": Decision.ACCEPTED}, False),
        (ProposalState.APPROVED, {"decision": Decision.PENDING, "decided_at": None}, False),
    ],
)
def test_a_key_that_an_owner_rejected_is_none(
    state: ProposalState, decided: dict[str, Any], counts: bool, engine: Engine
) -> None:
    approve(engine, [contract("t", PLAIN)])
    reject(engine, "t", "a", state, **decided)
    assert labels(engine) == ({"t.a": False} if counts else {})
    assert collected(engine).rejected == int(counts)


def test_a_later_decision_replaces_an_earlier_one(engine: Engine) -> None:
    approve(engine, [contract("t", PLAIN)])
    reject(engine, "t", "a", ProposalState.APPROVED)
    later = {"decision": Decision.ACCEPTED, "decided_at": NOON + timedelta(days=1)}
    reject(engine, "t", "a", ProposalState.APPROVED, **later)
    assert labels(engine) == {}


@pytest.mark.parametrize("classified", [{"classification": "restricted"}, {"tags": ["pii"]}])
def test_classified_names_are_left_out_in_every_contract_about_the_table(
    classified: dict[str, Any], engine: Engine
) -> None:
    approve(engine, [contract("t", [{"name": "a", "unique": True}, {"name": "b", "unique": True, **classified}])])
    assert labels(engine) == {"t.a": True}
    (name,) = collected(engine).columns.names
    assert name.columns == ("a", "b")
    approve(engine, [contract("same", [{"name": "B", "unique": True}])], dataset="/lake/t/t")
    assert labels(engine) == {"t.a": True}


def test_types_are_those_of_spark_or_else_of_the_standard(engine: Engine) -> None:
    columns = [
        {"name": "a", "physicalType": "decimal(20,0)", "unique": True},
        {"name": "b", "physicalType": "NUMBER(9)"},
        {"name": "c", "physicalType": "STRING", "logicalType": "string"},
    ]
    approve(engine, [contract("t", columns)])
    assert [each.type for each in collected(engine).columns.names] == ["decimal", "integer", "string"]


def test_copies_are_one_family_and_the_order_is_fixed(engine: Engine) -> None:
    tables = unusual_tables(4)
    approve(engine, map(contract_of, reversed(tables)))
    copy = contract_of(tables[0]).replace(tables[0].name.encode(), b"dev_" + tables[0].name.encode() + b"_v2")
    approve(engine, [copy])
    approve(
        engine,
        [contract("other-view", [{"name": "x", "unique": True}])],
        dataset=f"/lake/{tables[1].name}/{tables[1].name}",
    )
    facts = collected(engine)
    family = {each.table: str(group) for each, group in zip(facts.columns.names, facts.columns.groups, strict=True)}
    assert len(set(family.values())) == 4
    assert family[f"dev_{tables[0].name}_v2"] == family[tables[0].name]
    assert family["other-view"] == family[tables[1].name]
    assert [each.table for each in facts.columns.names] == sorted(each.table for each in facts.columns.names)
    assert collected(engine).fingerprint == facts.fingerprint
    reject(engine, tables[0].name, KEY, ProposalState.APPROVED)
    assert collected(engine).fingerprint != facts.fingerprint


WIDE = ("a", "b", "c", "d", "e", "f")


@pytest.mark.parametrize(
    ("tables", "count"),
    [
        ([("x", "orders", WIDE), ("y", "dev_orders_2024", ("z",))], 1),
        ([("x", "orders", WIDE), ("y", "items", (*WIDE, "g"))], 1),
        ([("x", "orders", WIDE), ("y", "items", (*WIDE, "g", "h"))], 2),
        ([("x", "orders", WIDE[:4]), ("y", "items", WIDE[:4])], 2),
        ([("x", "orders", WIDE), ("x", "items", ("z",))], 1),
        ([("x", "orders", WIDE), ("y", "test", ("z",)), ("z", "prod", ("q",))], 3),
        ([("x", "orders", WIDE), ("y", "items", (*WIDE, "g")), ("z", "items_bak", ("q",))], 1),
        ([], 0),
    ],
)
def test_tables_are_of_one_family_if_one_is_a_copy(tables: list[tuple[str, str, tuple[str, ...]]], count: int) -> None:
    found = families([FamilyMember(*each) for each in tables])
    assert len(found) == len(tables)
    assert len(set(found)) == count


@pytest.mark.parametrize(("one", "other"), [("Orders", "stg_order_v3"), ("orders_20240101", "orders"), ("v2", "v2")])
def test_copies_share_a_name(one: str, other: str) -> None:
    assert name_of_copies(one) == name_of_copies(other)
    assert name_of_copies("orders") != name_of_copies("order_items")
