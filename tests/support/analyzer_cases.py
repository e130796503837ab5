"""The table of cases: every analyzer with its expected value on one small table, in whatever partitions it is cut."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan, sqrt
from typing import Any

from contracts.logical_types import Column, Schema
from engine.analyzers.base import Analyzer
from engine.analyzers.distinct import ApproxCountDistinct, Uniqueness
from engine.analyzers.nulls import Completeness
from engine.analyzers.numbers import Maximum, Mean, Minimum, StandardDeviation
from engine.analyzers.quantiles import ApproxQuantile
from engine.analyzers.rows import Compliance, Size

BIG = 9007199254740993  # 2^53 + 1: a double cannot hold it

COLUMNS: dict[str, tuple[str, list[Any]]] = {
    "part": ("string", ["a", "a", "b", "b", "c", None]),
    "id": ("bigint", [1, 2, 3, 4, 5, 6]),
    "big": ("bigint", [BIG, BIG - 1, -BIG, None, 7, 7]),
    "huge": ("bigint", [2**63 - 1, 2**63 - 1, 2**63 - 1, None, None, None]),
    "price": (
        "decimal(12,2)",
        [Decimal("10.10"), Decimal("0.20"), None, Decimal("-5.00"), Decimal("3.30"), Decimal("0.20")],
    ),
    "ratio": ("double", [0.5, -0.0, 0.0, None, 2.5, 1.0]),
    "wild": ("double", [nan, nan, inf, None, 1.0, -1.0]),
    "status": ("string", ["new", "new", "paid", None, "o'neil", "back\\slash"]),
    "none": ("string", [None] * 6),
    "none_number": ("int", [None] * 6),
    "constant": ("int", [3, 3, 3, 3, 3, 3]),
    "open": ("boolean", [True, False, True, None, True, True]),
    "day": ("date", [date(2026, 1, 1), date(2026, 1, 3), date(2026, 1, 2), None, date(2026, 1, 1), date(1969, 12, 31)]),
    "seen": (
        "timestamp",
        [
            datetime(2026, 1, 1, 12, tzinfo=UTC),
            datetime(2026, 1, 2, tzinfo=UTC),
            None,
            None,
            datetime(2026, 1, 1, tzinfo=UTC),
            None,
        ],
    ),
    "a.b": ("int", [1, None, 3, 4, 5, 6]),
    "Größe `x`": ("int", [1, 2, 3, 4, 5, None]),
    "nested": ("struct<inner:int,name:string>", [(1, "x"), (2, "y"), (None, None), (4, "x"), None, (6, "z")]),
}
SCHEMA = Schema(tuple(Column(name, kind) for name, (kind, _) in COLUMNS.items()))
ROWS = [tuple(values[at] for _, values in COLUMNS.values()) for at in range(6)]


@dataclass(frozen=True)
class Case:
    """An analyzer and the value it must have; `within` is the allowed absolute error (0: exactly)."""

    analyzer: Analyzer
    expected: Any
    within: float = 0.0

    @property
    def id(self) -> str:
        return self.analyzer.phrase.replace("\\", "/")


CASES = [
    Case(Size(), 6),
    Case(Size(where="status = 'new'"), 2),
    Case(Size(where="status = 'nowhere'"), 0),
    Case(Size(where="status = 'o\\'neil'"), 1),
    Case(Completeness(column="status"), 5 / 6),
    Case(Completeness(column="none"), 0.0),
    Case(Completeness(column="nested"), 5 / 6),
    Case(Completeness(column="nested.inner"), 4 / 6),
    Case(Completeness(column="`a.b`"), 5 / 6),
    Case(Completeness(column="Größe `x`"), 5 / 6),
    Case(Completeness(column="status", where="id > 3"), 2 / 3),
    Case(Completeness(column="status", where="id > 99"), None),
    Case(Compliance(predicate="id > 3"), 3 / 6),
    Case(Compliance(predicate="price > 0"), 4 / 6),
    Case(Compliance(predicate="price > 0", where="price IS NOT NULL"), 4 / 5),
    Case(Compliance(predicate="status IN ('new', 'paid', 'back\\\\slash')"), 4 / 6),
    Case(Compliance(predicate="none = 'x'"), 0.0),
    Case(Compliance(predicate="id / (id - 1) > 0"), 5 / 6),
    Case(Compliance(predicate="cast(status AS INT) > 0"), 0.0),
    Case(Minimum(column="big"), -BIG),
    Case(Minimum(column="price"), Decimal("-5.00")),
    Case(Minimum(column="ratio"), 0.0),
    Case(Minimum(column="wild"), -1.0),
    Case(Minimum(column="status"), "back\\slash"),
    Case(Minimum(column="day"), "1969-12-31"),
    Case(Minimum(column="seen"), "2026-01-01T00:00:00+00:00"),
    Case(Minimum(column="none_number"), None),
    Case(Minimum(column="big", where="id <> 3"), 7),
    Case(Maximum(column="big"), BIG),
    Case(Maximum(column="price"), Decimal("10.10")),
    Case(Maximum(column="wild"), nan),
    Case(Maximum(column="day"), "2026-01-03"),
    Case(Maximum(column="seen"), "2026-01-02T00:00:00+00:00"),
    Case(Maximum(column="status"), "paid"),
    Case(Maximum(column="none"), None),
    Case(Maximum(column="nested.inner"), 6),
    Case(Mean(column="id"), 3.5),
    Case(Mean(column="huge"), float(2**63 - 1)),
    Case(Mean(column="price"), 1.76),
    Case(Mean(column="ratio"), 0.8, 1e-12),
    Case(Mean(column="wild"), nan),
    Case(Mean(column="none_number"), None),
    Case(StandardDeviation(column="id"), sqrt(17.5 / 6), 1e-12),
    Case(StandardDeviation(column="constant"), 0.0),
    Case(StandardDeviation(column="none_number"), None),
    Case(StandardDeviation(column="id", where="id > 99"), None),
    Case(ApproxCountDistinct(column="id"), 6),
    Case(ApproxCountDistinct(column="status"), 4),
    Case(ApproxCountDistinct(column="ratio"), 4),
    Case(ApproxCountDistinct(column="wild"), 4),
    Case(ApproxCountDistinct(column="day"), 4),
    Case(ApproxCountDistinct(column="seen"), 3),
    Case(ApproxCountDistinct(column="open"), 2),
    Case(ApproxCountDistinct(column="price"), 4),
    Case(ApproxCountDistinct(column="none"), 0),
    Case(ApproxCountDistinct(column="status", where="id > 99"), 0),
    Case(ApproxQuantile(column="id", quantile=0.5), 3.0),
    Case(ApproxQuantile(column="id", quantile=1), 6.0),
    Case(ApproxQuantile(column="price", quantile=0), -5.0),
    Case(ApproxQuantile(column="none_number", quantile=0.5), None),
    Case(ApproxQuantile(column="id", quantile=0.5, where="id > 99"), None),
    Case(Uniqueness(columns=("id",)), 1.0),
    Case(Uniqueness(columns=("status",)), 3 / 4),
    Case(Uniqueness(columns=("price",)), 3 / 4),
    Case(Uniqueness(columns=("status", "open")), 1.0),
    Case(Uniqueness(columns=("constant",)), 0.0),
    Case(Uniqueness(columns=("constant", "status")), 4 / 5),
    Case(Uniqueness(columns=("none",)), None),
    Case(Uniqueness(columns=("status",), where="id > 1"), 1.0),
]
