"""The checks that the words of a column stand for."""

from typing import Any

import pytest
from support.contract_texts import COLUMNS
from support.every import every
from support.orders import contract

from treaty.contracts.document.model import ContractCheck, DataObject, Property
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.column_keywords import derived_checks

IS_THERE = "`it` IS NOT NULL"
AT_LEAST, AT_MOST, BE = "mustBeGreaterOrEqualTo", "mustBeLessOrEqualTo", "mustBe"


def of(logical: str, options: dict[str, Any], kind: str, **words: Any) -> tuple[Schema, DataObject]:
    """A table of one column `it` with the options, as its contract says it."""
    version = {"apiVersion": "v3.2.0"} if logical in {"map", "vector"} else {}
    document = contract(properties=[{"name": "it", "logicalType": "string"}]).document
    column = {"name": "it", "logicalType": logical, "logicalTypeOptions": options, **words}
    table = {**document["schema"][0], "properties": [column]}
    return Schema((Column("it", kind),)), read(write({**document, **version, "schema": [table]})).object("orders")


def told(check: ContractCheck) -> tuple[str, dict[str, Any], str | None, str, Any]:
    assert check.assertion is not None
    given = dict(check.arguments)
    assert given.pop("column", "it") == "it"
    return check.analyzer, given, check.where, check.assertion.operator, check.assertion.limit


MEANT: dict[str, tuple[str, dict[str, Any], str, list[tuple[str, dict[str, Any], str | None, str, Any]]]] = {
    "minLength": ("string", {"minLength": 3}, "string", [("minimum_length", {}, None, AT_LEAST, 3)]),
    "maxLength": ("string", {"maxLength": 3}, "string", [("maximum_length", {}, None, AT_MOST, 3)]),
    "pattern": ("string", {"pattern": "^[A-Z]+$"}, "string", [("pattern_match", {"pattern": "^[A-Z]+$"}, None, BE, 1)]),
    "a pattern within": ("string", {"pattern": "^SG"}, "string",
                         [("pattern_match", {"pattern": "^SG", "within": True}, None, BE, 1)]),
    "minimum": ("integer", {"minimum": 0}, "int", [("in_range", {"minimum": 0}, None, BE, 1)]),
    "maximum": ("number", {"maximum": 9.5}, "double", [("in_range", {"maximum": 9.5}, None, BE, 1)]),
    "exclusiveMinimum": ("number", {"exclusiveMinimum": 0}, "decimal(9,2)",
                         [("in_range", {"exclusive_minimum": 0}, None, BE, 1)]),
    "exclusiveMaximum": ("integer", {"exclusiveMaximum": 9}, "bigint",
                         [("in_range", {"exclusive_maximum": 9}, None, BE, 1)]),
    "a date from": ("date", {"minimum": "2026-01-01"}, "date", [("in_range", {"minimum": "2026-01-01"}, None, BE, 1)]),
    "a time before": ("timestamp", {"exclusiveMaximum": "2026-01-01T00:00:00Z"}, "timestamp",
                      [("in_range", {"exclusive_maximum": "2026-01-01T00:00:00Z"}, None, BE, 1)]),
    "multipleOf": ("integer", {"multipleOf": 5}, "int",
                   [("compliance", {"predicate": "`it` % 5 = 0"}, IS_THERE, BE, 1)]),
    "multipleOf a part": ("number", {"multipleOf": 0.01}, "double",
                          [("compliance", {"predicate": "CAST(`it` AS DECIMAL(38, 18)) % 0.01 = 0"}, IS_THERE, BE, 1)]),
    "multipleOf a small part": ("number", {"multipleOf": 1e-7}, "double", [
        ("compliance", {"predicate": "CAST(`it` AS DECIMAL(38, 18)) % 0.0000001 = 0"}, IS_THERE, BE, 1)]),
    "i8": ("integer", {"format": "i8"}, "int", [("in_range", {"minimum": -128, "maximum": 127}, None, BE, 1)]),
    "u16": ("integer", {"format": "u16"}, "int", [("in_range", {"minimum": 0, "maximum": 65535}, None, BE, 1)]),
    "u128": ("integer", {"format": "u128"}, "decimal(38,0)", [("in_range", {"minimum": 0}, None, BE, 1)]),
    "i128": ("integer", {"format": "i128"}, "decimal(38,0)", []),
    "f64": ("number", {"format": "f64"}, "double", []),
    "f32": ("number", {"format": "f32"}, "double", [
        ("in_range", {"minimum": -3.4028234663852886e38, "maximum": 3.4028234663852886e38}, None, BE, 1)]),
    "minItems": ("array", {"minItems": 1}, "array<int>",
                 [("compliance", {"predicate": "size(`it`) >= 1"}, IS_THERE, BE, 1)]),
    "maxItems": ("array", {"maxItems": 9}, "array<struct<a:int>>",
                 [("compliance", {"predicate": "size(`it`) <= 9"}, IS_THERE, BE, 1)]),
    "uniqueItems": ("array", {"uniqueItems": True}, "array<string>",
                    [("compliance", {"predicate": "size(`it`) = size(array_distinct(`it`))"}, IS_THERE, BE, 1)]),
    "items that may be twice": ("array", {"uniqueItems": False}, "array<string>", []),
    "minProperties": ("object", {"minProperties": 1}, "map<string,int>",
                      [("compliance", {"predicate": "size(`it`) >= 1"}, IS_THERE, BE, 1)]),
    "maxProperties": ("object", {"maxProperties": 2}, "map<string,int>",
                      [("compliance", {"predicate": "size(`it`) <= 2"}, IS_THERE, BE, 1)]),
    "a vector": ("vector", {"dimensions": 3, "elementType": "float32"}, "array<float>",
                 [("compliance", {"predicate": "size(`it`) = 3"}, IS_THERE, BE, 1)]),
    **{f"the format {name}": ("string", {"format": name}, "string", [("pattern_match", {"format": name}, None, BE, 1)])
       for name in ("email", "uuid", "uri", "hostname", "ipv4", "ipv6", "iban")},
    **{f"the format {name} of texts": ("string", {"format": name}, "string", [])
       for name in ("password", "byte", "binary", "house-style")},
    "the format of a date": ("date", {"format": "yyyy-MM-dd"}, "date", []),
    "time zones": ("timestamp", {"timezone": True, "defaultTimezone": "Etc/UTC", "format": "HH:mm"}, "timestamp", []),
    "several": ("string", {"maxLength": 3, "minLength": 1}, "string", [
        ("maximum_length", {}, None, AT_MOST, 3), ("minimum_length", {}, None, AT_LEAST, 1)]),
}  # fmt: skip


@every("name", MEANT)
def test_an_option_is_a_check(name: str) -> None:
    logical, options, kind, expected = MEANT[name]
    words = {"items": {"logicalType": "string"}} if logical == "array" else {}
    _, table = of(logical, options, kind, **words)
    assert [told(each) for each in derived_checks(table)] == expected


@every("name", MEANT)
def test_an_option_is_bound_to_a_column_of_its_type(name: str) -> None:
    logical, options, kind, expected = MEANT[name]
    words = {"items": {"logicalType": "string"}} if logical == "array" else {}
    schema, table = of(logical, options, kind, **words)
    assert [each.reason for each in bind(table, schema).checks] == [None] * len(expected)


def test_a_check_of_an_option_says_where_it_comes_from() -> None:
    _, table = of("string", {"minLength": 3}, "string")
    (check,) = derived_checks(table)
    assert (check.id, check.name, check.kind) == ("it-minLength", "it has at least 3 characters", "schema")
    assert (check.severity, check.dimension) == ("error", "conformity")
    assert (check.path, check.line) == ("schema[0].properties[0]", table.properties[0].line)


def test_an_enumeration_is_a_check() -> None:
    text = (
        COLUMNS.replace("v3.1.0", "v3.2.0")
        + "      - {name: it, logicalType: string, enum: [{value: a}, {value: b}]}\n"
    )
    (check,) = derived_checks(read(text.encode()).objects[0])
    assert (check.id, *told(check)) == ("it-enum", "contained_in", {"values": ["a", "b"]}, None, BE, 1)


def test_the_fields_that_an_object_requires_are_checks() -> None:
    _, table = of("object", {"required": ["city", "zip.code"]}, "struct<city:string>")
    assert [(each.id, each.analyzer, each.arguments, each.where) for each in derived_checks(table)] == [
        ("it-required-city", "completeness", {"column": "it.city"}, IS_THERE),
        ("it-required-zip.code", "completeness", {"column": "it.`zip.code`"}, IS_THERE),
    ]


def test_an_object_with_named_fields_has_no_entries_to_count() -> None:
    fields = [{"name": "city", "logicalType": "string"}]
    _, table = of("object", {"minProperties": 1, "required": ["city"]}, "struct<city:string>", properties=fields)
    assert [each.id for each in derived_checks(table)] == ["it-required-city"]


NAMES = ["plain", "a.b", "x`y", "Größe", "select"]


@pytest.mark.parametrize("name", NAMES)
def test_options_of_columns_and_fields_whatever_their_names_are_bound(name: str) -> None:
    each = Property(name=name, logical_type="integer", options={"multipleOf": 2, "minimum": 0}, required=True)
    outer = Property(name="outer", logical_type="object", properties=(each,), options={"required": [name]})
    schema = Schema((Column(name, "int"), Column("outer", f"struct<{name}:int>")))
    checks = bind(DataObject(name="t", properties=(each, outer)), schema).checks
    assert [check.reason for check in checks] == [None] * 7


FOREIGN: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "a pattern outside the subset": (
        "string",
        {"pattern": "^(?=a)b$"},
        "string",
        "regular expression has an unsupported construct",
    ),
    "a pattern within that is outside it": ("string", {"pattern": "(?=a)b"}, "string", "regular expression"),
    "a bound that is no date": ("date", {"minimum": "long ago"}, "date", "has type date"),
    "items of a number": ("array", {"minItems": 1}, "int", "to a function that does not accept it"),
    "lengths of numbers": ("string", {"minLength": 1}, "int", "its type is int"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_cannot_be_judged_has_its_reason_and_the_document_opens(name: str) -> None:
    logical, options, kind, reason = FOREIGN[name]
    words = {"items": {"logicalType": "string"}} if logical == "array" else {}
    schema, table = of(logical, options, kind, **words)
    (check,) = bind(table, schema).checks
    assert check.bound is None
    assert check.reason
    assert reason in check.reason


def test_the_elements_of_an_array_are_not_judged() -> None:
    items = {"logicalType": "string", "logicalTypeOptions": {"maxLength": 1}}
    _, table = of("array", {}, "array<string>", items=items)
    assert list(derived_checks(table)) == []
