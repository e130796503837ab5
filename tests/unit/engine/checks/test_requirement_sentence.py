"""What a check requires, in a sentence that needs no second reading."""

from typing import Any

import pytest
from support.orders import check, contract

from treaty.contracts.schema import Schema
from treaty.engine.checks.binding import bind

PROPERTIES = [{"name": name, "logicalType": "number", "physicalType": "double"} for name in "xy"]
SENTENCES = [
    (check("completeness", column="x", mustBe=1), "x is required"),
    (check("completeness", column="x", mustBeGreaterOrEqualTo=1.0), "x is required"),
    (check("completeness", column="x", mustBeGreaterOrEqualTo=0.95), "at least 95 % of rows have x"),
    (check("completeness", column="x", mustBe=0), "no rows have x"),
    (check("completeness", column="x", mustBe=1, where="y > 0"), "x is required where y > 0"),
    (check("uniqueness", columns=["x"], mustBe=1), "x is unique"),
    (
        check("unique_row_ratio", columns=["x"], mustBeGreaterThan=0.9),
        "more than 90 % of rows have a unique value of x",
    ),
    (check("primary_key", columns=["x", "y"], mustBe=1), "x, y is a key: required and unique"),
    (check("compliance", predicate="x > 0", mustBe=1), "all rows satisfy x > 0"),
    (check("compliance", predicate="x > 0", mustBeLessThan=0.015), "less than 1.5 % of rows satisfy x > 0"),
    (check("size", mustBeBetween=[897, 2187]), "there must be between 897 and 2,187 rows"),
    (check("size", mustBe=1), "there must be exactly 1 row"),
    (check("size", mustBeGreaterOrEqualTo=21), "there must be at least 21 rows"),
    (check("minimum", column="x", mustBeGreaterThan=0), "minimum of x must be greater than 0"),
    (check("mean", column="x", mustBeBetween=[14.123456, 25]), "mean of x must be between 14.12 and 25"),
    (
        check("approx_count_distinct", column="x", mustBeBetween=[203, 273]),
        "x must have between 203 and 273 distinct values",
    ),
    (
        check("approx_quantile", column="x", quantile=0.75, mustBeLessThan=31.1),
        "the 0.75-quantile of x must be less than 31.1",
    ),
    (check("size", mustHaveNoAnomalies="auto"), "size must have no anomalies according to auto"),
]


@pytest.mark.parametrize(("entry", "sentence"), SENTENCES, ids=[each[1] for each in SENTENCES])
def test_a_check_says_what_it_requires(entry: dict[str, Any], sentence: str) -> None:
    (bound,) = bind(contract(entry, properties=PROPERTIES).objects[0], Schema(())).checks
    assert bound.sentence == sentence
