"""Which rows break an assertion, in SQL: derived from its operator and its limit."""

from decimal import Decimal
from math import inf
from typing import Any

from support.analyzer_table import SCHEMA
from support.every import every

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.freshness import ArrivalDelay, Freshness
from treaty.engine.analyzers.nulls import Completeness, NullValues
from treaty.engine.analyzers.numbers import Maximum, Mean, Minimum, Sum, Zeros
from treaty.engine.analyzers.rows import Compliance, Implication, Size
from treaty.engine.analyzers.text import MaximumLength, MinimumLength, PatternMatch
from treaty.engine.analyzers.types import DataType
from treaty.engine.analyzers.values import ContainedIn, InRange

DELAY = "unix_micros(`arrived`) - unix_micros(`seen`)"
CASES: list[tuple[Analyzer, str, Any, str | None]] = [
    (Minimum(column="id"), "mustBeGreaterOrEqualTo", 0, "`id` < 0BD"),
    (Minimum(column="id"), "mustBeGreaterThan", 0.5, "`id` <= 0.5BD"),
    (Minimum(column="id"), "mustBe", 1, "`id` < 1BD"),
    (Minimum(column="id"), "mustBeBetween", [1, 9], "`id` < 1BD"),
    (Minimum(column="id"), "mustBeLessThan", 5, None),
    (Minimum(column="id"), "mustNotBe", 5, None),
    (Minimum(column="id"), "mustNotBeBetween", [1, 2], None),
    (Maximum(column="big"), "mustBeLessOrEqualTo", 2**53 + 1, "`big` > 9007199254740993BD"),
    (Maximum(column="big"), "mustBeLessThan", 1e3, "`big` >= 1000.0BD"),
    (Maximum(column="big"), "mustBe", Decimal("7.00"), "`big` > 7.00BD"),
    (Maximum(column="big"), "mustBeBetween", [1, 9], "`big` > 9BD"),
    (Maximum(column="big"), "mustBeGreaterThan", 9, None),
    (Maximum(column="ratio"), "mustBeLessThan", 1, "`ratio` >= 1.0D"),
    (Maximum(column="single"), "mustBeLessOrEqualTo", 0.1, "CAST(`single` AS DOUBLE) > 0.1D"),
    (Maximum(column="price"), "mustBeLessOrEqualTo", 0.1, "`price` > 0.1BD"),
    (Maximum(column="price"), "mustBeLessOrEqualTo", 10**40, "`price` > 1e+40D"),
    (Maximum(column="price"), "mustBeLessOrEqualTo", 10**400, None),
    (Maximum(column="price"), "mustBeLessOrEqualTo", inf, None),
    (Maximum(column="ratio"), "mustBeLessOrEqualTo", 10**400, None),
    (Maximum(column="status"), "mustBeLessOrEqualTo", "o'z", "`status` > 'o\\'z'"),
    (Maximum(column="status"), "mustBeLessOrEqualTo", 5, None),
    (Maximum(column="open"), "mustBe", True, "`open` > TRUE"),
    (Maximum(column="day"), "mustBeLessThan", "2026-01-31", "`day` >= DATE'2026-01-31'"),
    (Maximum(column="day"), "mustBeLessThan", "soon", None),
    (Maximum(column="seen"), "mustBeLessThan", "2026-01-01T01:00+01:00",
     "`seen` >= timestamp_micros(1767225600000000)"),
    (Maximum(column="seen"), "mustBeLessThan", "1969-12-31T23:59:59.5", "`seen` >= timestamp_micros(-500000)"),
    (Maximum(column="local"), "mustBeLessThan", "2026-01-01", "`local` >= TIMESTAMP_NTZ'2026-01-01 00:00:00'"),
    (MinimumLength(column="status"), "mustBeGreaterThan", 2, "char_length(`status`) <= 2BD"),
    (MaximumLength(column="status"), "mustBeLessOrEqualTo", 5, "char_length(`status`) > 5BD"),
    (ArrivalDelay(column="seen", arrived="arrived"), "mustBeLessOrEqualTo", 1.5, f"{DELAY} > 5400000000.0BD"),
    (ArrivalDelay(column="seen", arrived="arrived"), "mustBeLessOrEqualTo", "1", None),
    (ArrivalDelay(column="seen", arrived="arrived", quantile=0.9), "mustBeLessOrEqualTo", 1, None),
    (Freshness(column="seen"), "mustBeLessThan", 1, None),
    (Completeness(column="id"), "mustBe", 1, "NOT coalesce(`id` IS NOT NULL, false)"),
    (Completeness(column="id"), "mustBeGreaterThan", 0.9, "NOT coalesce(`id` IS NOT NULL, false)"),
    (Completeness(column="id"), "mustBeLessThan", 0.9, None),
    (Completeness(column="id"), "mustBe", 0, None),
    (Compliance(predicate="id > 1"), "mustBeBetween", [0.5, 1], "NOT coalesce(`id` > 1, false)"),
    (Implication(condition="id > 1", predicate="price > 0"), "mustBe", 1,
     "NOT coalesce(NOT coalesce(`id` > 1, false) OR (`price` > 0), false)"),
    (ContainedIn(column="id", values=(1,)), "mustBe", 1, "NOT coalesce(`id` IS NULL OR (`id` IN (1BD)), false)"),
    (ContainedIn(column="id", values=(1,), nulls="break"), "mustBe", 1, "NOT coalesce(`id` IN (1BD), false)"),
    (InRange(column="id", minimum=1), "mustBeGreaterThan", 0.5, "NOT coalesce(`id` IS NULL OR (`id` >= 1BD), false)"),
    (DataType(column="id", type="date"), "mustBe", 1, "NOT coalesce(`id` IS NULL OR 0 IN (4), false)"),
    (NullValues(column="id"), "mustBe", 0, "coalesce(`id` IS NULL, false)"),
    (NullValues(column="id"), "mustBeLessThan", 5, "coalesce(`id` IS NULL, false)"),
    (NullValues(column="id"), "mustBeGreaterThan", 5, None),
    (Zeros(column="id"), "mustBeLessOrEqualTo", 5, "coalesce(`id` = 0, false)"),
    (Size(), "mustBeGreaterThan", 5, None),
    (Sum(column="id"), "mustBeGreaterThan", 5, None),
    (Mean(column="id"), "mustBeGreaterThan", 5, None),
]  # fmt: skip


@every(("analyzer", "operator", "limit", "expected"), CASES, ids=lambda each: str(getattr(each, "phrase", each))[:40])
def test_rows_that_break_an_assertion(analyzer: Analyzer, operator: str, limit: Any, expected: str | None) -> None:
    found = analyzer.bind(SCHEMA).breaking(Assertion(operator, limit))
    assert (found.condition if found else None) == expected


def test_rows_that_the_filter_leaves_out_break_nothing() -> None:
    found = Minimum(column="id", where="open = true").bind(SCHEMA).breaking(Assertion("mustBe", 1))
    assert found is not None
    assert found.where == "`open` = TRUE"


def test_a_format_is_looked_for_in_texts_that_are_not_too_long() -> None:
    found = PatternMatch(column="status", pattern="a").bind(SCHEMA).breaking(Assertion("mustBe", 1))
    assert found is not None
    assert "char_length(`status`) <= 1024" in str(found.condition)
