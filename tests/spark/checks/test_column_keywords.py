"""The words of the standard on real Spark: each has one column, whose values partly break it; one verification."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from support.orders import contract

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.core.results import CheckResult
from treaty.engine.session.verify import verify

Words = dict[str, Any]
# By column: its Spark type, its logical type, its options, five values, and what its check finds of them.
COLUMNS: dict[str, tuple[str, str, Words, list[Any], str | None]] = {
    "long_enough": ("string", "string", {"minLength": 2}, ["ab", "é😀", "a", None, "abc"],
                    "minimum length of long_enough is 1 (required: at least 2)"),
    "short_enough": ("string", "string", {"maxLength": 2}, ["ab", "é😀", "", None, "abc"],
                     "maximum length of short_enough is 3 (required: at most 2)"),
    "shaped": ("string", "string", {"pattern": "^[A-Z]{2}$"}, ["AB", "AB\n", "ABC", None, ""],
               "25.0 % of 4 values of shaped match (required: 100 %); 3 rows do not match"),
    "holding": ("string", "string", {"pattern": "SG"}, ["SG", "a\nSGb", "sg", None, "xSG"],
                "75.0 % of 4 values of holding match (required: 100 %); 1 row does not match"),
    "mail": ("string", "string", {"format": "email"}, ["a@example.org", "x.y+z@example.com", "a@", None, ""],
             "50.0 % of 4 values of mail match (required: 100 %); 2 rows do not match"),
    "uid": ("string", "string", {"format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000", "12e", None, None, ""],
            "33.3 % of 3 values of uid match (required: 100 %); 2 rows do not match"),
    "password": ("string", "string", {"format": "password"}, ["hunter2", None, "", "a", "b"], None),
    "least": ("int", "integer", {"minimum": 0}, [0, 1, -1, None, 2], "75.0 % of 4 values of least"),
    "most": ("decimal(9,2)", "number", {"maximum": 9.95}, [Decimal("9.95"), Decimal("9.96"), None, None, Decimal(-1)],
             "66.7 % of 3 values of most"),
    "above": ("double", "number", {"exclusiveMinimum": 0}, [0.0, 1e-300, -1.0, None, 2.0],
              "50.0 % of 4 values of above"),
    "below": ("bigint", "integer", {"exclusiveMaximum": 2**53}, [2**53, 2**53 - 1, 2**53 + 1, None, 0],
              "50.0 % of 4 values of below"),
    "day": ("date", "date", {"minimum": "2026-01-02"}, [date(2026, 1, 1), date(2026, 1, 2), None, None, None],
            "50.0 % of 2 values of day"),
    "seen": ("timestamp", "timestamp", {"exclusiveMaximum": "2026-01-02T00:00:00Z"},
             [datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 1, 23, 59, tzinfo=UTC), None, None, None],
             "50.0 % of 2 values of seen"),
    "clock": ("string", "time", {"minimum": "08:00:00", "format": "HH:mm:ss"},
              ["07:59:59", "08:00:00", None, None, None], "50.0 % of 2 values of clock"),
    "fives": ("int", "integer", {"multipleOf": 5}, [-10, 0, 7, None, 5], "75.0 % of 4 rows satisfy"),
    "cents": ("double", "number", {"multipleOf": 0.01}, [0.07, 0.1, 1.1, None, 0.015], "75.0 % of 4 rows satisfy"),
    "tiny": ("int", "integer", {"format": "i8"}, [-128, 127, 128, None, 0], "75.0 % of 4 values of tiny"),
    "items": ("array<int>", "array", {"minItems": 1}, [[1], [], [1, 2], None, [None]], "75.0 % of 4 rows satisfy"),
    "few": ("array<int>", "array", {"maxItems": 1}, [[1], [], [1, 2], None, [None]], "75.0 % of 4 rows satisfy"),
    "once": ("array<string>", "array", {"uniqueItems": True}, [["a", "b"], ["a", "a"], [None, None], None, []],
             "50.0 % of 4 rows satisfy"),
    "entries": ("map<string,int>", "object", {"maxProperties": 1}, [{"a": 1}, {"a": 1, "b": 2}, {}, None, None],
                "66.7 % of 3 rows satisfy"),
    "place": ("struct<city:string>", "object", {"required": ["city"]}, [("a",), (None,), None, ("b",), ("c",)],
              "75.0 % of 4 rows have place.city where `place` IS NOT NULL"),
    "embedding": ("array<float>", "vector", {"dimensions": 2}, [[0.5, 1.0], [0.5], None, None, None],
                  "50.0 % of 2 rows satisfy"),
}  # fmt: skip
ENUM = [{"value": "new"}, {"value": "paid"}]
METRICS: dict[str, tuple[Words, str]] = {
    "rows": ({"metric": "rowCount", "mustBe": 5}, "5 rows (required: 5)"),
    "nulls": ({"metric": "nullValues", "mustBe": 0}, "1 of 5 rows has no status (required: 0)"),
    "missing": ({"metric": "missingValues", "arguments": {"missingValues": [None, "N/A"]}, "mustBeLessThan": 2},
                "2 of 5 rows are missing status (required: less than 2)"),
    "invalid": ({"metric": "invalidValues", "arguments": {"validValues": ["new", "paid"]}, "mustBe": 0},
                "1 of 5 rows has an invalid status (required: 0)"),
    "unlike": ({"metric": "invalidValues", "arguments": {"pattern": "^[a-z]"}, "unit": "percent", "mustBe": 0},
               "20 percent of 5 rows have an invalid status (required: 0)"),
    "without_a": ({"metric": "invalidValues", "arguments": {"pattern": "[Aa]"}, "mustBe": 0},
                  "2 of 5 rows have an invalid status (required: 0)"),
    "twice": ({"metric": "duplicateValues", "mustBe": 0}, ": 1 of 5 rows (required: 0)"),
    "twice_in_percent": ({"metric": "duplicateValues", "unit": "percent", "mustBe": 0},
                         ": 20 percent of 5 rows (required: 0)"),
}  # fmt: skip
STATUS = ["new", "new", "N/A", None, "paid"]


def promising() -> Contract:
    """The contract of a table that has one column for each option, and the metrics on the column `status`."""
    properties = [_property(name, *words[1:3]) for name, words in COLUMNS.items()]
    quality = [{"id": name, **given} for name, (given, _) in METRICS.items()]
    properties.append({"name": "status", "logicalType": "string", "enum": ENUM, "quality": quality})
    document = contract(properties=[{"name": "status", "logicalType": "string"}]).document
    table = {**document["schema"][0], "properties": properties}
    return read(write({**document, "apiVersion": "v3.2.0", "schema": [table]}))


def _property(name: str, logical: str, options: Words) -> Words:
    words: Words = {"name": name, "logicalType": logical, "logicalTypeOptions": options}
    items = {"items": {"logicalType": "integer" if name != "once" else "string"}} if logical == "array" else {}
    fields = {"properties": [{"name": "city", "logicalType": "string"}]} if name == "place" else {}
    return words | items | fields


@pytest.fixture(scope="module")
def found(spark: Any) -> dict[str, CheckResult]:
    types = {**{name: words[0] for name, words in COLUMNS.items()}, "status": "string"}
    values = [*(words[3] for words in COLUMNS.values()), STATUS]
    frame = spark.createDataFrame(list(zip(*values, strict=True)), ", ".join(f"{n} {t}" for n, t in types.items()))
    return {each.check_id: each for each in verify(frame, promising()).results}


@pytest.mark.parametrize("name", COLUMNS)
def test_an_option_finds_what_breaks_it(name: str, found: dict[str, CheckResult]) -> None:
    said = COLUMNS[name][-1]
    results = [each for check_id, each in found.items() if check_id.startswith(f"{name}-")]
    assert [each.outcome for each in results] == (["failed"] if said else []), [each.reason for each in results]
    if said:
        assert str(results[0].finding).startswith(said)
        assert results[0].unevaluated_rows == 0


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_of_the_standard_finds_what_it_counts(name: str, found: dict[str, CheckResult]) -> None:
    _, said = METRICS[name]
    assert said in str(found[name].finding), found[name].reason
    assert found[name].outcome == ("passed" if name == "rows" else "failed")


def test_an_enumeration_finds_another_value(found: dict[str, CheckResult]) -> None:
    assert found["status-enum"].finding == (
        "75.0 % of 4 values of status are among new, paid (required: 100 %); 1 row has another value"
    )


def test_the_structure_is_as_the_standard_says(found: dict[str, CheckResult]) -> None:
    amiss = {
        name: each.finding for name, each in found.items() if name.startswith("schema") and each.outcome != "passed"
    }
    assert amiss == {"schema-types": "clock is string, expected time"}
