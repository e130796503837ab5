"""The standard's library metrics: which analyzer each is, in which units, on which columns."""

from typing import Any

import pytest
from support.orders import PROPERTIES, ROWS, SCHEMA, contract, judged, on

from treaty.contracts.assertions import ANOMALIES, OPERATORS, PAIRED
from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundCheck
from treaty.engine.checks.odcs_metrics import METRICS

COLUMN: dict[str, Any] = {"column": "status"}


def entry(metric: str, **words: Any) -> dict[str, Any]:
    return {"id": "c", "metric": metric, "mustBe": 0, **words}


def bound(given: dict[str, Any], column: str | None = None, schema: Schema = SCHEMA) -> BoundCheck:
    """The check of the entry, on that property or on the table."""
    of = contract(properties=on(column, quality=[given])) if column else contract(given)
    (check,) = bind(of.object("orders"), schema).checks
    return check


MEANT = {
    "rowCount": (entry("rowCount"), None, "size", {}),
    "rowCount in rows": (entry("rowCount", unit="rows"), None, "size", {}),
    "rowCount on a property": (entry("rowCount"), "status", "size", {}),
    "nullValues": (entry("nullValues"), "status", "null_values", COLUMN),
    "nullValues in rows": (entry("nullValues", unit="rows"), "status", "null_values", COLUMN),
    "nullValues in percent": (entry("nullValues", unit="percent"), "status", "null_values",
                              {**COLUMN, "count_in": "percent"}),
    "a percentage by another word": (entry("nullValues", unit="Percentage"), "status", "null_values",
                                     {**COLUMN, "count_in": "percent"}),
    "nullValues on the table": (entry("nullValues", arguments={"properties": ["status"]}), None, "null_values", COLUMN),
    "missingValues": (entry("missingValues", arguments={"missingValues": [None, "", "N/A"]}), "status",
                      "missing_values", {**COLUMN, "missing": (None, "", "N/A")}),
    "missingValues without a list": (entry("missingValues"), "status", "missing_values", COLUMN),
    "invalidValues": (entry("invalidValues", arguments={"validValues": ["new", None, "paid"]}), "status",
                      "invalid_values", {**COLUMN, "valid_values": ("new", "paid")}),
    "invalidValues by pattern": (entry("invalidValues", arguments={"pattern": "^[a-z]+$"}, unit="percent"), "status",
                                 "invalid_values", {**COLUMN, "pattern": "^[a-z]+$", "count_in": "percent"}),
    "a pattern within": (entry("invalidValues", arguments={"pattern": "[a-z]$"}), "status",
                         "invalid_values", {**COLUMN, "pattern": "[a-z]$", "within": True}),
    "duplicateValues": (entry("duplicateValues"), "status", "duplicate_rows",
                        {"columns": ("status",), "copies": "extra"}),
    "duplicateValues on the table": (
        entry("duplicateValues", arguments={"properties": ["status", "id"]}, unit="percent"), None, "duplicate_rows",
        {"columns": ("status", "id"), "copies": "extra", "count_in": "percent"},
    ),
    "the old word": ({"id": "c", "rule": "nullValues", "mustBe": 0}, "status", "null_values", COLUMN),
}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_a_metric_is_an_analyzer(name: str) -> None:
    given, column, analyzer, arguments = MEANT[name]
    check = bound(given, column)
    assert check.reason is None
    assert check.analyzer is not None
    said = {word: value for word in arguments if (value := getattr(check.analyzer, word)) is not None}
    assert (check.analyzer.name, said) == (analyzer, arguments)
    assert check.analyzer.arguments().keys() <= arguments.keys()


REFUSED = {
    "nullValues of no column": (entry("nullValues"), None, "has no column"),
    "duplicates of no column": (entry("duplicateValues"), None, "has no column"),
    "nullValues of two": (
        entry("nullValues", arguments={"properties": ["id", "status"]}),
        None,
        "applies to a single column",
    ),
    "a unit that is none": (entry("nullValues", unit="EUR"), "status", "nullValues does not support this unit"),
    "a percentage of rows": (entry("rowCount", unit="percent"), None, "rowCount does not support this unit"),
    "an unknown argument": (entry("nullValues", arguments={"nulls": ["-"]}), "status", "the standard does not define"),
    "invalid by nothing": (entry("invalidValues"), "status", "give exactly one of"),
    "a pattern outside the subset": (entry("invalidValues", arguments={"pattern": "(a+)+$"}), "status", "regular"),
    "valid values that are no list": (entry("invalidValues", arguments={"validValues": {"a": 1}}), "status", "valid"),
    "a column that the table lost": (entry("duplicateValues", arguments={"properties": ["gone"]}), None, "no column"),
    "elements of an array": (entry("nullValues"), "tags[]", "array elements"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_judged_has_its_reason_and_the_document_opens(name: str) -> None:
    given, column, reason = REFUSED[name]
    if column == "tags[]":
        tags = {"name": "tags", "logicalType": "array", "items": {"logicalType": "string", "quality": [given]}}
        (check,) = bind(contract(properties=[*PROPERTIES, tags]).object("orders"), SCHEMA).checks
    else:
        check = bound(given, column)
    assert check.bound is None
    assert reason in str(check.reason)


def test_every_metric_of_the_standard_is_known() -> None:
    assert set(METRICS) == {"rowCount", "nullValues", "missingValues", "invalidValues", "duplicateValues"}


@pytest.mark.parametrize("operator", sorted(OPERATORS.keys() - {ANOMALIES}))
def test_every_operator_bounds_a_metric(operator: str) -> None:
    given = {"id": "c", "metric": "rowCount", operator: [1, 2] if operator in PAIRED else 3}
    (check,) = bind(contract(given).object("orders"), SCHEMA).checks
    assert check.check.assertion is not None
    assert (check.check.assertion.operator, check.reason) == (operator, None)


JUDGED = [
    (entry("rowCount", mustBe=4), None, 4, "passed"),
    (entry("nullValues", mustBe=1), "amount", 1, "passed"),
    (entry("nullValues", unit="percent", mustBe=25), "amount", 25.0, "passed"),
    (entry("duplicateValues", mustBe=2), "status", 2, "passed"),
    (entry("duplicateValues", unit="percent", mustBe=50), "status", 50.0, "passed"),
    (entry("duplicateValues"), "id", 0, "passed"),
]


@pytest.mark.parametrize(("given", "column", "value", "outcome"), JUDGED)
def test_a_metric_is_judged(given: dict[str, Any], column: str | None, value: object, outcome: str) -> None:
    found = judged(contract(properties=on(column, quality=[given])) if column else contract(given), ROWS)
    assert (found.value, found.outcome) == (value, outcome), found.reason
    assert found.column == column


def test_a_percentage_says_so() -> None:
    given = contract(properties=on("amount", quality=[entry("nullValues", unit="percent")]))
    assert judged(given).finding == "25 percent of 4 rows have no amount (required: 0); 1 row has no value"
