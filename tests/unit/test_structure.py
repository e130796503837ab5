"""The schema as a promise."""

from typing import Any

import pytest
from support.orders import PROPERTIES, SCHEMA, contract, on

from contracts.logical_types import Column, Schema
from engine.structure import judge_structure

ID, AMOUNT, STATUS = SCHEMA.columns
CITY = {"name": "city", "logicalType": "string"}
ADDRESS = {"name": "address", "logicalType": "object", "properties": [CITY]}
PARTED = on("status", partitioned=True, partitionKeyPosition=1)


def amiss(schema: Schema, properties: list[dict[str, Any]] = PROPERTIES) -> dict[str, str | None]:
    found = judge_structure(contract(properties=properties).object("orders"), schema)
    return {each.check_id: each.reason for each in found if each.outcome == "failed"}


def nested(fields: str) -> Schema:
    return Schema((*SCHEMA.columns, Column("address", f"struct<{fields}>")))


CASES = {
    "as promised": (SCHEMA, PROPERTIES, {}),
    "another order": (Schema((STATUS, ID, AMOUNT)), PROPERTIES, {}),
    "a column is missing": (Schema((ID, STATUS)), PROPERTIES, {"schema-columns": "missing: amount"}),
    "all are missing": (Schema(()), PROPERTIES, {"schema-columns": "missing: id, amount, status"}),
    "a column is new": (Schema((*SCHEMA.columns, CITY_COLUMN := Column("city", "string"))), PROPERTIES,
                        {"schema-new-columns": "new: city"}),
    "another type": (Schema((ID, Column("amount", "string"), STATUS)), PROPERTIES,
                     {"schema-types": "amount is string, promised is number"}),
    "a narrower number": (Schema((ID, Column("amount", "int"), STATUS)), PROPERTIES, {}),
    "a wider number": (Schema((Column("id", "double"), AMOUNT, STATUS)), PROPERTIES,
                       {"schema-types": "id is double, promised is integer"}),
    "another case": (Schema((Column("ID", "bigint"), AMOUNT, STATUS)), PROPERTIES,
                     {"schema-columns": "missing: id", "schema-new-columns": "new: ID"}),
    "a field is there": (nested("city:string"), [*PROPERTIES, ADDRESS], {}),
    "a field is missing": (nested("town:string"), [*PROPERTIES, ADDRESS], {"schema-columns": "missing: address.city"}),
    "a field of another type": (nested("city:bigint"), [*PROPERTIES, ADDRESS],
                                {"schema-types": "address.city is bigint, promised is string"}),
    "a new field of a struct": (nested("city:string,zip:string"), [*PROPERTIES, ADDRESS], {}),
    "a partition column of another type": (Schema((ID, AMOUNT, Column("status", "int"))), PARTED, {}),
    "a partition column is missing": (Schema((ID, AMOUNT)), PARTED, {"schema-columns": "missing: status"}),
    "no type promised": (Schema((CITY_COLUMN,)), [{"name": "city"}], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_amiss_is_named(name: str) -> None:
    schema, properties, expected = CASES[name]
    assert amiss(schema, properties) == expected


def test_a_contract_without_columns_promises_none() -> None:
    assert list(judge_structure(contract(properties=[]).object("orders"), SCHEMA)) == []


def test_a_new_column_is_a_warning_and_the_others_are_errors() -> None:
    found = judge_structure(contract().object("orders"), SCHEMA)
    assert [each.severity for each in found] == ["error", "error", "warning"]
