"""Whose columns a change of a document touches."""

from copy import deepcopy
from typing import Any

import pytest

from treaty.contracts.document.ownership import affected_owners


def owned(name: str, owner: str | None = None, **words: Any) -> dict[str, Any]:
    custom = {"customProperties": [{"property": "owner", "value": owner}]} if owner else {}
    return {"name": name, **custom, **words}


def document(*columns: dict[str, Any], **words: Any) -> dict[str, Any]:
    return {"schema": [{"name": "orders", "properties": list(columns), **words}]}


BEFORE = document(
    owned("id"),
    owned("amount", "ada", logicalType="number"),
    owned("address", "bob", properties=[owned("street"), owned("zip", "eve")]),
    owned("tags", "tom", items={"logicalType": "string"}),
)


def after(place: int, **words: Any) -> dict[str, Any]:
    new = deepcopy(BEFORE)
    new["schema"][0]["properties"][place].update(words)
    return new


@pytest.mark.parametrize(
    ("new", "owners"),
    [
        (BEFORE, {}),
        (after(0, required=True), {}),
        (after(1, required=True), {"orders.amount": "ada"}),
        (after(1, customProperties=[{"property": "owner", "value": "eve"}]), {"orders.amount": "ada"}),
        (after(1, name="sum"), {"orders.amount": "ada", "orders.sum": "ada"}),
        (after(2, required=True), {"orders.address": "bob"}),
        (after(2, properties=[owned("street", required=True), owned("zip", "eve")]), {"orders.address.street": "bob"}),
        (after(2, properties=[owned("street")]), {"orders.address.zip": "eve"}),
        (after(3, items={"logicalType": "integer"}), {"orders.tags[]": "tom"}),
        (document(*BEFORE["schema"][0]["properties"], owned("new", "may")), {"orders.new": "may"}),
        (document(owned("id")), {
            "orders.amount": "ada", "orders.address": "bob", "orders.address.street": "bob",
            "orders.address.zip": "eve", "orders.tags": "tom", "orders.tags[]": "tom",
        }),
        ({**BEFORE, "status": "active"}, {}),
    ],
)  # fmt: skip
def test_the_owner_of_each_touched_column_is_named(new: dict[str, Any], owners: dict[str, str]) -> None:
    assert affected_owners(BEFORE, new) == owners


def test_all_columns_of_a_first_version_are_new() -> None:
    assert set(affected_owners(None, BEFORE)) == {
        "orders.amount", "orders.address", "orders.address.street", "orders.address.zip", "orders.tags", "orders.tags[]"
    }  # fmt: skip


def test_a_column_of_an_owned_table_has_the_tables_owner() -> None:
    old = document(owned("id"), owned("day", "ada"), customProperties=[{"property": "owner", "value": "bob"}])
    new = deepcopy(old)
    for column in new["schema"][0]["properties"]:
        column["required"] = True
    assert affected_owners(old, new) == {"orders.day": "ada", "orders.id": "bob"}
