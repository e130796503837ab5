"""Schema drift: which columns came, went and changed, and the document that follows from it."""

from typing import Any

import pytest

from treaty.contracts.comparison.compatibility import Bump, compare
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.editing.patches import skeleton
from treaty.contracts.editing.schema_drift import Drift, apply_drift
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.argument_order import order

BEFORE = {"id": "bigint", "amount": "decimal(10,2)", "status": "string"}


def columns(types: dict[str, str], **words: Any) -> list[dict[str, Any]]:
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    made = skeleton(contract_id="t", name="t", object_name="t", physical_name="t", schema=schema, **words)
    return list(made["schema"][0]["properties"])


def contract(properties: list[dict[str, Any]]) -> dict[str, Any]:
    table = {"name": "t", "logicalType": "object", "properties": properties}
    return {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "t", "version": "1.0.0", "status": "active",
            "schema": [table]}  # fmt: skip


SAME = [
    ("nothing", BEFORE, BEFORE),
    ("another case", {"ID": "bigint"}, {"id": "bigint"}),
    ("another text type", {"a": "varchar(20)"}, {"a": "string"}),
    ("another order", {"a": "int", "b": "int"}, {"b": "int", "a": "int"}),
    ("a decimal of no stated size", {"a": "decimal"}, {"a": "decimal(10,2)"}),
]
CHANGED = [
    ("added", BEFORE, {**BEFORE, "city": "string"}, Drift(added=("city",)), Bump.MINOR),
    ("removed", BEFORE, {"id": "bigint", "amount": "decimal(10,2)"}, Drift(removed=("status",)), Bump.MAJOR),
    ("text", BEFORE, {**BEFORE, "id": "string"}, Drift(changed=(("id", "bigint", "string"),)), Bump.MAJOR),
    ("wider", {"a": "int"}, {"a": "bigint"}, Drift(changed=(("a", "int", "bigint"),)), Bump.MAJOR),
    (
        "scale",
        {"a": "decimal(10,2)"},
        {"a": "decimal(12,4)"},
        Drift(changed=(("a", "decimal(10,2)", "decimal(12,4)"),)),
        Bump.MAJOR,
    ),
    (
        "field",
        {"a": "struct<b:int>"},
        {"a": "struct<b:int,c:int>"},
        Drift(changed=(("a", "struct<b:int>", "struct<b:int,c:int>"),)),
        None,
    ),
]


@pytest.mark.parametrize(("before", "now"), [case[1:] for case in SAME], ids=[case[0] for case in SAME])
def test_what_is_the_same_is_no_drift(before: dict[str, str], now: dict[str, str]) -> None:
    document = contract(columns(before))
    assert apply_drift(document, "t", columns(now)) == (document, Drift())


@pytest.mark.parametrize(
    ("before", "now", "drift", "bump"), [case[1:] for case in CHANGED], ids=[case[0] for case in CHANGED]
)
def test_columns_that_came_went_or_changed_are_told_and_moved(
    before: dict[str, str], now: dict[str, str], drift: Drift, bump: Bump | None
) -> None:
    old = contract(columns(before))
    moved, found = apply_drift(old, "t", columns(now))
    assert found == drift
    assert {each["name"]: each["physicalType"] for each in moved["schema"][0]["properties"]} == now
    assert apply_drift(moved, "t", columns(now))[1] == Drift()
    assert bump in (None, compare(read(write(old)), read(write(moved)), order).bump)


def test_what_is_said_of_columns_that_stay_stays() -> None:
    named = columns(BEFORE)
    named[0] |= {"description": "the key", "required": True}
    moved, _ = apply_drift(contract(named), "t", columns({**BEFORE, "id": "string"}))
    assert moved["schema"][0]["properties"][0] == {**named[0], "physicalType": "string", "logicalType": "string"}


def test_of_a_struct_that_grows_the_fields_keep_what_is_said_of_them() -> None:
    named = columns({"a": "struct<b:int>"})
    named[0]["properties"][0]["description"] = "b"
    moved, _ = apply_drift(contract(named), "t", columns({"a": "struct<b:int,c:int>"}))
    assert [each.get("description") for each in moved["schema"][0]["properties"][0]["properties"]] == ["b", None]


def test_partition_columns_and_tables_without_columns_do_not_drift() -> None:
    parted = contract(columns({"id": "int", "day": "date"}, partition_by=["day"]))
    assert apply_drift(parted, "t", columns({"id": "int", "day": "string"}))[1] == Drift()
    assert apply_drift(parted, "t", columns({"id": "int"})) == (parted, Drift())
    assert apply_drift(contract([]), "t", columns(BEFORE))[1] == Drift()
    assert apply_drift(contract(columns(BEFORE)), "other", columns({}))[1] == Drift()


def test_types_in_the_words_of_another_system_do_not_drift() -> None:
    named = [{"name": "id", "logicalType": "integer", "physicalType": "NUMBER(38)"}, {"name": "note"}]
    assert apply_drift(contract(named), "t", columns({"id": "bigint", "note": "string"}))[1] == Drift()


def test_sentences_name_what_readers_may_miss_first() -> None:
    drift = Drift(("new",), ("old",), (("id", "int", "string"),))
    assert drift.sentences == (
        "column old was removed", "column id changed from int to string", "column new was added",
    )  # fmt: skip
