"""The schema as a promise."""

from typing import Any

import pytest
from support.every import every
from support.orders import PROPERTIES, SCHEMA, contract, on

from treaty.contracts.document.model import DataObject, Property, Terms
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.physical_types import differs
from treaty.engine.checks.schema_checks import check_structure
from treaty.engine.core.results import CheckResult

ID, AMOUNT, STATUS = SCHEMA.columns
CITY = {"name": "city", "logicalType": "string"}
ADDRESS = {"name": "address", "logicalType": "object", "properties": [CITY]}
PARTED = on("status", partitioned=True, partitionKeyPosition=1)


def judged(schema: Schema, properties: list[dict[str, Any]], **terms: Any) -> dict[str, CheckResult]:
    # The documents say only what the structure is judged by; those that the standard refuses are read elsewhere.
    table = DataObject(name="orders", properties=tuple(map(_property, properties)))
    return {each.check_id: each for each in check_structure(table, schema, terms=Terms(**terms))}


def _property(words: dict[str, Any]) -> Property:
    return Property(
        name=words["name"],
        logical_type=words.get("logicalType"),
        physical_type=words.get("physicalType"),
        required=words.get("required", False),
        partitioned=words.get("partitioned", False),
        properties=tuple(map(_property, words.get("properties", []))),
    )


def amiss(schema: Schema, properties: list[dict[str, Any]] = PROPERTIES, **terms: Any) -> dict[str, str | None]:
    found = judged(schema, properties, **terms)
    return {name: each.reason for name, each in found.items() if each.outcome == "failed"}


def nested(fields: str) -> Schema:
    return Schema((*SCHEMA.columns, Column("address", f"struct<{fields}>")))


def of(kind: str) -> Schema:
    return Schema((Column("it", kind),))


def promising(**words: Any) -> list[dict[str, Any]]:
    return [{"name": "it", **words}]


CASES = {
    "as promised": (SCHEMA, PROPERTIES, {}),
    "another order": (Schema((STATUS, ID, AMOUNT)), PROPERTIES, {}),
    "a column is missing": (Schema((ID, STATUS)), PROPERTIES, {"schema-columns": "missing: amount"}),
    "all are missing": (Schema(()), PROPERTIES, {"schema-columns": "missing: id, amount, status"}),
    "a column is new": (Schema((*SCHEMA.columns, CITY_COLUMN := Column("city", "string"))), PROPERTIES,
                        {"schema-new-columns": "new: city"}),
    "another type": (Schema((ID, Column("amount", "string"), STATUS)), PROPERTIES,
                     {"schema-types": "amount is string, expected number"}),
    "a narrower number": (Schema((ID, Column("amount", "int"), STATUS)), PROPERTIES, {}),
    "a wider number": (Schema((Column("id", "double"), AMOUNT, STATUS)), PROPERTIES,
                       {"schema-types": "id is double, expected integer"}),
    "another case": (Schema((Column("ID", "bigint"), AMOUNT, STATUS)), PROPERTIES,
                     {"schema-columns": "ID instead of id"}),
    "another case and a column missing": (Schema((Column("ID", "bigint"), STATUS)), PROPERTIES,
                                          {"schema-columns": "missing: amount; ID instead of id"}),
    "two in another case": (Schema((Column("ID", "bigint"), AMOUNT, Column("Status", "string"))), PROPERTIES,
                            {"schema-columns": "ID instead of id, Status instead of status"}),
    "another case beside the promised one": (Schema((*SCHEMA.columns, Column("ID", "bigint"))), PROPERTIES,
                                             {"schema-new-columns": "new: ID"}),
    "another case of a field": (nested("City:string"), [*PROPERTIES, ADDRESS],
                                {"schema-columns": "address.City instead of address.city"}),
    "a field is there": (nested("city:string"), [*PROPERTIES, ADDRESS], {}),
    "a field is missing": (nested("town:string"), [*PROPERTIES, ADDRESS], {"schema-columns": "missing: address.city"}),
    "a field of another type": (nested("city:bigint"), [*PROPERTIES, ADDRESS],
                                {"schema-types": "address.city is bigint, expected string"}),
    "a new field of a struct": (nested("city:string,zip:string"), [*PROPERTIES, ADDRESS], {}),
    "a partition column of another type": (Schema((ID, AMOUNT, Column("status", "int"))), PARTED, {}),
    "a partition column is missing": (Schema((ID, AMOUNT)), PARTED, {"schema-columns": "missing: status"}),
    "a map": (of("map<string,int>"), promising(logicalType="map"), {}),
    "a struct in place of a map": (of("struct<a:int>"), promising(logicalType="map"),
                                   {"schema-types": "it is struct<a:int>, expected map"}),
    "a map for an object": (of("map<string,int>"), promising(logicalType="object"), {}),
    "a vector": (of("array<float>"), promising(logicalType="vector"), {}),
    "texts in place of a vector": (of("array<string>"), promising(logicalType="vector"),
                                   {"schema-types": "it is array<string>, expected vector"}),
    "the physical type": (of("decimal(10,2)"), promising(logicalType="number", physicalType="NUMERIC(10, 2)"), {}),
    "another physical type": (of("decimal(12,2)"), promising(logicalType="number", physicalType="decimal(10,2)"),
                              {"schema-physical-types": "it is decimal(12,2), expected decimal(10,2)"}),
    "another type in all respects": (of("string"), promising(logicalType="number", physicalType="int"),
                                     {"schema-types": "it is string, expected number"}),
    "a physical type alone": (of("string"), promising(physicalType="int"),
                              {"schema-physical-types": "it is string, expected int"}),
    "a partition column of another physical type": (of("int"), promising(physicalType="string", partitioned=True), {}),
    "no type promised": (Schema((CITY_COLUMN,)), [{"name": "city"}], {}),
}  # fmt: skip


@every("name", CASES)
def test_what_is_amiss_is_named(name: str) -> None:
    schema, properties, expected = CASES[name]
    assert amiss(schema, properties) == expected


def test_a_contract_without_columns_promises_none() -> None:
    assert list(check_structure(contract(properties=[]).object("orders"), SCHEMA)) == []


def test_a_new_column_is_a_warning_and_the_others_are_errors() -> None:
    found = check_structure(contract().object("orders"), SCHEMA)
    assert [each.severity for each in found] == ["error", "error", "warning"]


CITY_IS_NEW = Schema((*SCHEMA.columns, CITY_COLUMN))
NEW = [("open", "passed", "warning"), ("watched", "failed", "warning"), ("closed", "failed", "error")]


@pytest.mark.parametrize(("columns", "outcome", "severity"), NEW)
def test_the_terms_say_how_new_columns_are_taken(columns: str, outcome: str, severity: str) -> None:
    found = judged(CITY_IS_NEW, PROPERTIES, columns=columns)["schema-new-columns"]
    assert (found.outcome, found.severity, found.finding) == (outcome, severity, "new: city")


ORDERS = [
    ((ID, AMOUNT, STATUS), None),
    ((ID, CITY_COLUMN, AMOUNT, STATUS), None),
    ((ID, STATUS), None),
    ((STATUS, ID, AMOUNT), "expected id, found status"),
    ((ID, STATUS, AMOUNT), "expected amount, found status"),
]


@pytest.mark.parametrize(("columns", "reason"), ORDERS)
def test_order_is_judged_where_it_is_promised(columns: tuple[Column, ...], reason: str | None) -> None:
    assert amiss(Schema(columns), order=True).get("schema-order") == reason
    assert "schema-order" not in judged(Schema(columns), PROPERTIES)


def test_partition_columns_have_no_place_in_the_order() -> None:
    parted = [each | {"partitioned": True} if each["name"] == "id" else each for each in PROPERTIES]
    assert "schema-order" not in amiss(Schema((AMOUNT, STATUS, ID)), parted, order=True)


def test_physical_types_are_judged_where_some_are_stated() -> None:
    assert "schema-physical-types" not in judged(SCHEMA, PROPERTIES)
    found = judged(SCHEMA, [each | {"physicalType": "VARCHAR2(9)"} for each in PROPERTIES])["schema-physical-types"]
    assert (found.outcome, found.severity) == ("passed", "warning")


def test_a_required_column_that_may_be_null_by_its_schema_is_told_and_not_held_against_it() -> None:
    required = [each | {"required": True} for each in PROPERTIES]
    strict = Schema((Column("id", "bigint", nullable=False), AMOUNT, STATUS))
    found = judged(strict, required)["schema-types"]
    assert found.outcome == "passed"
    assert found.finding == "all 3 types match; required, but nullable in the schema: amount, status"


@every("name", CASES)
def test_every_question_says_what_was_found(name: str) -> None:
    schema, properties, _ = CASES[name]
    assert all(each.finding for each in judged(schema, properties).values())


PHYSICAL = [
    ("int", "int", False),
    ("INTEGER", "int", False),
    ("bigint", "int", True),
    ("long", "bigint", False),
    ("decimal", "decimal(10,2)", False),
    ("decimal(10,2)", "decimal(10,2)", False),
    ("DECIMAL( 10 , 2 )", "decimal(10,2)", False),
    ("decimal(10,2)", "decimal(10,3)", True),
    ("numeric(10,2)", "double", True),
    ("double precision", "double", False),
    ("varchar(18)", "string", False),
    ("string", "varchar(18)", False),
    ("timestamp", "timestamp_ntz", True),
    ("timestamp_ltz", "timestamp", False),
    ("array<int>", "array<int>", False),
    ("array<int>", "array<string>", True),
    ("array<array<long>>", "array<array<bigint>>", False),
    ("array", "array<string>", False),
    ("struct<a:int>", "struct<a:int,b:int>", False),
    ("map<string,int>", "struct<a:int>", True),
    ("int", "interval day to second", True),
    ("VARCHAR2(18)", "string", False),
    ("uniqueidentifier", "int", False),
    ("", "int", False),
    ("int not null", "string", False),
]


@pytest.mark.parametrize(("promised", "found", "unlike"), PHYSICAL)
def test_physical_types_bind_as_far_as_spark_has_words_for_them(promised: str, found: str, unlike: bool) -> None:
    assert differs(promised, found) is unlike


def test_of_many_names_the_first_are_told() -> None:
    wide = Schema((*SCHEMA.columns, *(Column(f"c{number:04}", "int") for number in range(2000))))
    reason = amiss(wide)["schema-new-columns"]
    assert reason == f"new: {', '.join(f'c{number:04}' for number in range(20))}, and 1,980 more"
    assert judged(wide, PROPERTIES)["schema-new-columns"].value == 2000
