"""The small table that every analyzer is measured on, and what a case is."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import Analyzer

NOW = datetime(2026, 1, 5, tzinfo=UTC)
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
COLUMNS |= {
    "small": ("tinyint", [1, 2, None, 0, -3, 0]),
    "single": ("float", [0.5, 0.1, 0.25, 0.0, None, 2.0]),
    "words": ("string", ["", "a", "ä€😀", " a ", "line\n", None]),
    "long": ("string", ["x" * 1024, "x" * 1025, "ü" * 1024, None, "y", ""]),
    "typed": ("string", ["1", "2.5", "TRUE", "2026-01-01", "x", None]),
    "local": (
        "timestamp_ntz",
        [datetime(2026, 1, 1, 12), datetime(2026, 1, 4), None, None, None, datetime(1960, 1, 1)],
    ),
    "arrived": (
        "timestamp",
        [
            datetime(2026, 1, 1, 13, tzinfo=UTC),
            datetime(2026, 1, 4, tzinfo=UTC),
            None,
            datetime(2026, 1, 4, tzinfo=UTC),
            datetime(2025, 12, 31, 23, 59, 59, 500000, tzinfo=UTC),
            None,
        ],
    ),
    "blob": ("binary", [b"a", b"", None, b"c", b"d", b"e"]),
    "wide": (
        "decimal(38,10)",
        [Decimal(10) ** 27, Decimal("0.0000000001"), None, None, -(Decimal(10) ** 27), Decimal(0)],
    ),
}
SCHEMA = Schema(tuple(Column(name, kind) for name, (kind, _) in COLUMNS.items()))
ROWS = [tuple(values[at] for _, values in COLUMNS.values()) for at in range(6)]


@dataclass(frozen=True)
class Case:
    """An analyzer and the value it must have; `within` is the allowed absolute error (0: exactly).

    `broken`, `counted` and `details` are compared where they are given."""

    analyzer: Analyzer
    expected: Any
    within: float = 0.0
    broken: int | None = None
    counted: int | None = None
    details: Any = None

    @property
    def id(self) -> str:
        return self.analyzer.phrase.replace("\\", "/")
