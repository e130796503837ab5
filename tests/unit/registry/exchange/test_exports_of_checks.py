"""Contracts as checks of other tools: what they say is the same promise, and what they cannot say is told."""

import json
from typing import Any

import pytest
import yaml
from support.exchanged import HOSTILE, hostile
from support.orders import PROPERTIES, check

from treaty.contracts.document.writer import write
from treaty.registry.exchange.common_checks import TEMPLATE
from treaty.registry.exchange.export_source import ExportSource
from treaty.registry.exchange.exports import FORMS

STATES = ["new", "paid"]
ID = {"column": "id"}
# What is promised; the functions of DQX, the expectations of Great Expectations, the checks of Soda that say it.
SAID: list[tuple[dict[str, Any], list[Any], list[Any], list[Any]]] = [
    (
        check("completeness", column="id", mustBe=1),
        [("is_not_null", ID)],
        [("expect_column_values_to_not_be_null", ID)],
        [("missing_count(id) = 0", {})],
    ),
    (
        check("uniqueness", columns=["id"], scope="dataset", mustBe=1),
        [("is_unique", {"columns": ["id"]})],
        [("expect_column_values_to_be_unique", ID)],
        [("duplicate_count(id) = 0", {})],
    ),
    (
        check("duplicate_rows", columns=["id", "status"], scope="dataset", mustBe=0),
        [("is_unique", {"columns": ["id", "status"]})],
        [("expect_compound_columns_to_be_unique", {"column_list": ["id", "status"]})],
        [("duplicate_count(id, status) = 0", {})],
    ),
    (
        check("primary_key", columns=["id"], scope="dataset", mustBe=1),
        [("is_not_null", ID), ("is_unique", {"columns": ["id"]})],
        [("expect_column_values_to_not_be_null", ID), ("expect_column_values_to_be_unique", ID)],
        [("missing_count(id) = 0", {}), ("duplicate_count(id) = 0", {})],
    ),
    (
        check("contained_in", column="status", values=STATES, mustBe=1),
        [("is_in_list", {"column": "status", "allowed": STATES})],
        [("expect_column_values_to_be_in_set", {"column": "status", "value_set": STATES})],
        [("invalid_count(status) = 0", {"valid values": STATES})],
    ),
    (
        check("in_range", column="amount", minimum=0, maximum=9, mustBe=1),
        [
            ("is_not_less_than", {"column": "amount", "limit": 0}),
            ("is_not_greater_than", {"column": "amount", "limit": 9}),
        ],
        [("expect_column_values_to_be_between", {"column": "amount", "min_value": 0, "max_value": 9})],
        [("invalid_count(amount) = 0", {"valid min": 0, "valid max": 9})],
    ),
    (
        check("pattern_match", column="status", pattern="[a-z]+", mustBe=1),
        [("regex_match", {"column": "status", "regex": "^(?:[a-z]+)$"})],
        [("expect_column_values_to_match_regex", {"column": "status", "regex": "^(?:[a-z]+)$"})],
        [("invalid_count(status) = 0", {"valid regex": "^(?:[a-z]+)$"})],
    ),
    (
        check("compliance", predicate="amount > 0", mustBe=1),
        [("sql_expression", {"expression": "coalesce((amount > 0), false)", "msg": "c"})],
        [],
        [("failed rows", {"fail condition": "NOT coalesce((amount > 0), false)"})],
    ),
    (
        check("compliance", predicate="amount > 0", where="id > 1", mustBe=1),
        [("sql_expression", {"expression": "coalesce((amount > 0), false)", "msg": "c"})],
        [],
        [("failed rows", {"fail condition": "(id > 1) AND NOT coalesce((amount > 0), false)"})],
    ),
    (
        check("size", scope="dataset", mustBeGreaterThan=0),
        [("is_aggr_not_less_than", {"column": "*", "aggr_type": "count", "limit": 1})],
        [("expect_table_row_count_to_be_between", {"min_value": 1})],
        [("row_count >= 1", {})],
    ),
    (
        check("mean", column="amount", scope="dataset", mustBeBetween=[1.5, 9]),
        [
            ("is_aggr_not_less_than", {"column": "amount", "aggr_type": "avg", "limit": 1.5}),
            ("is_aggr_not_greater_than", {"column": "amount", "aggr_type": "avg", "limit": 9}),
        ],
        [("expect_column_mean_to_be_between", {"column": "amount", "min_value": 1.5, "max_value": 9})],
        [("avg(amount) between 1.5 and 9", {})],
    ),
    (
        check("maximum", column="amount", scope="dataset", severity="warning", mustBeLessOrEqualTo=9),
        [("is_aggr_not_greater_than", {"column": "amount", "aggr_type": "max", "limit": 9})],
        [("expect_column_max_to_be_between", {"column": "amount", "max_value": 9})],
        [("max(amount)", {"warn": "when > 9"})],
    ),
]
# What none of the three says.
NOWHERE = [
    check("completeness", column="id", mustBeGreaterOrEqualTo=0.9),
    check("in_range", column="amount", minimum=0, nulls="break", mustBe=1),
    check("in_range", column="amount", exclusive_minimum=0, mustBe=1),
    check("in_range", column="status", minimum="2020-01-01", mustBe=1),
    check("pattern_match", column="status", format="email", mustBe=1),
    check("contained_in", column="status", values=["{{ env_var('SECRET') }}"], mustBe=1),
    check("contained_in", column="status", values=["${SECRET}"], mustBe=1),
    check("mean", column="amount", mustBeGreaterThan=0),
    check("mean", column="amount", mustNotBe=0),
    check("entropy", column="status", mustBeGreaterThan=0),
]


def source(*checks: Any, name: str = "orders", **more: Any) -> bytes:
    properties = [
        {**each, **({"partitioned": True} if each["name"] == more.get("parted") else {})} for each in PROPERTIES
    ]
    table = {"name": name, "logicalType": "object", "properties": properties, "quality": list(checks)}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "orders", "name": "orders", "version": "1.0.0"}
    return write({**head, "status": "active", "schema": [table]})


def exported(form: str, content: bytes) -> Any:
    text = FORMS[form].write(ExportSource(content)).decode()
    return json.loads(text) if form == "gx" else yaml.safe_load(text)


def dqx(content: bytes) -> list[tuple[str, Any]]:
    return [(each["check"]["function"], each["check"]["arguments"]) for each in exported("dqx", content)]


def gx(content: bytes) -> list[tuple[str, Any]]:
    return [(each["type"], each["kwargs"]) for each in exported("gx", content)["expectations"]]


def soda(content: bytes, table: str = "orders") -> list[tuple[str, Any]]:
    found = (exported("soda", content) or {}).get(f"checks for {table}", [])
    return [
        (name, {word: told for word, told in body.items() if word != "name"})
        for each in found
        for name, body in each.items()
    ]


@pytest.mark.parametrize(("promise", "in_dqx", "in_gx", "in_soda"), SAID, ids=lambda each: None)
def test_what_is_promised_is_said_in_their_words(promise: Any, in_dqx: Any, in_gx: Any, in_soda: Any) -> None:
    content = source(promise)
    assert (dqx(content), gx(content), soda(content)) == (in_dqx, in_gx, in_soda)


@pytest.mark.parametrize("promise", NOWHERE, ids=lambda each: each["implementation"]["analyzer"])
def test_what_they_cannot_say_is_told_and_not_said(promise: Any) -> None:
    content = source(promise)
    assert (dqx(content), gx(content), soda(content)) == ([], [], [])
    words = {"dqx": "# Not supported by DQX: ", "gx": "not_supported", "soda": "# Not supported by Soda: "}
    for form, word in words.items():
        text = FORMS[form].write(ExportSource(content)).decode()
        assert (form, text.count(word), TEMPLATE.search(text)) == (form, 1, None)


def test_conditions_severities_and_names_are_kept() -> None:
    promise = check("completeness", "filled", column="id", severity="warning", where="amount > 0", mustBe=1)
    (entry,) = exported("dqx", source(promise))
    assert (entry["name"], entry["criticality"], entry["filter"]) == ("filled_is_not_null_id", "warn", "amount > 0")
    assert entry["user_metadata"] == {"table": "orders", "check": "filled", "scope": "delta"}
    assert soda(source(promise)) == [("missing_count(id)", {"filter": "amount > 0", "warn": "when != 0"})]
    (reason,) = exported("gx", source(promise))["meta"]["treaty"]["not_supported"]
    assert reason.endswith("depends on the execution engine)")


def test_soda_is_not_told_what_is_promised_of_a_part_of_the_rows() -> None:
    content = source(check("size", mustBeGreaterThan=0), parted="status")
    assert (soda(content), len(dqx(content)), len(gx(content))) == ([], 1, 1)
    assert len(soda(source(check("size", mustBeGreaterThan=0)))) == 1


OWN = {
    "dqx": {"criticality": "warn", "check": {"function": "is_not_null", "arguments": ID}},
    "greatExpectations": {"type": "expect_column_to_exist", "kwargs": ID},
    "soda": {"row_count > 0": {"name": "some"}},
}


@pytest.mark.parametrize("engine", OWN)
def test_a_check_of_their_own_goes_back_as_it_came(engine: str) -> None:
    content = source({"id": "own", "type": "custom", "engine": engine, "implementation": OWN[engine]})
    given = exported("dqx", content), exported("gx", content)["expectations"], exported("soda", content)
    said = {"dqx": given[0], "greatExpectations": given[1], "soda": (given[2] or {}).get("checks for orders", [])}
    assert said == {name: [OWN[name]] if name == engine else [] for name in OWN}


@pytest.mark.parametrize("word", HOSTILE)
@pytest.mark.parametrize("form", ["dqx", "gx", "soda"])
def test_nothing_of_a_document_is_a_template_or_more_than_a_word(form: str, word: str) -> None:
    text = FORMS[form].write(ExportSource(hostile(word))).decode()
    assert TEMPLATE.search(text) is None
    found = {"dqx": dqx, "gx": gx, "soda": soda}[form](hostile(word))
    assert [words for name, words in found if "row_count" in name or "aggr" in name] == [words for _, words in found]
    assert len(found) == 1


def test_several_tables_are_told_apart() -> None:
    both = yaml.safe_load(source(check("completeness", column="id", mustBe=1)))
    both["schema"].append({**both["schema"][0], "name": "returns"})
    content = write(both)
    assert [each["user_metadata"]["table"] for each in exported("dqx", content)] == ["orders", "returns"]
    assert [each["name"] for each in exported("gx", content)] == ["orders.orders", "orders.returns"]
    assert soda(content) == soda(content, "returns") == [("missing_count(id) = 0", {})]
