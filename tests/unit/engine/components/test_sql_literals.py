"""Values of contracts as SQL literals, and limits in the form in which values are shown."""

from decimal import Decimal
from math import inf, nan
from typing import Any

import pytest
from support.every import every

from treaty.contracts.assertions import Assertion
from treaty.engine.analyzers.violation_bounds import displayed_assertion
from treaty.engine.components.operands import Operand
from treaty.engine.components.sql_literals import equal_of, literal_of

LITERALS: list[tuple[Any, str, str | None]] = [
    (5, "bigint", "5BD"),
    (-5, "tinyint", "-5BD"),
    (0.1, "decimal(12,2)", "0.1BD"),
    (1e-7, "decimal(38,10)", "0.0000001BD"),
    (1e300, "bigint", "1e+300D"),
    (Decimal("1.50"), "int", "1.50BD"),
    (True, "int", None),
    ("5", "int", None),
    (nan, "double", None),
    (inf, "bigint", None),
    (10**400, "double", None),
    (5, "double", "5.0D"),
    (0.1, "float", "0.1F"),
    (1e300, "float", "1e+300D"),
    ("o'neil", "string", "'o\\'neil'"),
    ("${x}", "varchar(9)", "'$\\{x}'"),
    (5, "string", None),
    (True, "boolean", "TRUE"),
    (1, "boolean", None),
    ("2026-02-28", "date", "DATE'2026-02-28'"),
    ("2026-02-30", "date", None),
    ("2026-02-28T00:00", "date", None),
    (20260228, "date", None),
    ("1970-01-01T00:00:01Z", "timestamp", "timestamp_micros(1000000)"),
    ("1970-01-01 01:00+01:00", "timestamp", "timestamp_micros(0)"),
    ("1970-01-01", "timestamp", "timestamp_micros(0)"),
    ("0001-01-01T00:00+01:00", "timestamp", None),
    ("1970-01-01T01:00+01:00", "timestamp_ntz", "TIMESTAMP_NTZ'1970-01-01 00:00:00'"),
    ("x", "binary", None),
    ("x", "array<int>", None),
]


@every(("value", "kind", "expected"), LITERALS)
def test_a_value_is_written_as_the_columns_type(value: Any, kind: str, expected: str | None) -> None:
    assert literal_of(value, Operand(sql="x", type=kind)) == expected


def test_a_number_that_no_exact_column_holds_equals_nothing() -> None:
    assert equal_of(1e300, Operand(sql="x", type="bigint")) == "NULL"
    assert equal_of(5, Operand(sql="x", type="bigint")) == "5BD"
    assert equal_of(1e300, Operand(sql="x", type="double")) == "1e+300D"
    assert equal_of("x", Operand(sql="x", type="bigint")) is None


SHOWN = [
    ("2026-01-02", "date", "2026-01-02"),
    ("2026-01-02", "timestamp", "2026-01-02T00:00:00+00:00"),
    ("2026-01-02 12:00:00", "timestamp", "2026-01-02T12:00:00+00:00"),
    ("2026-01-02T12:00:00.5Z", "timestamp", "2026-01-02T12:00:00.500000+00:00"),
    ("2026-01-02T01:00:00+02:00", "timestamp", "2026-01-01T23:00:00+00:00"),
    ("2026-01-02 12:00", "timestamp_ntz", "2026-01-02T12:00:00"),
    ("2026-01-02 12:00", "string", "2026-01-02 12:00"),
    (5, "date", 5),
]


@pytest.mark.parametrize(("limit", "kind", "expected"), SHOWN)
def test_a_limit_takes_the_form_of_the_values_shown(limit: Any, kind: str, expected: Any) -> None:
    assert displayed_assertion(Operand(sql="x", type=kind), Assertion("mustBe", limit)).limit == expected
    assert displayed_assertion(Operand(sql="x", type=kind), Assertion("mustBeBetween", (limit, limit))).limit == (
        expected,
        expected,
    )


@pytest.mark.parametrize("limit", ["soon", "", "2026-02-30", "0001-01-01T00:00+01:00"])
def test_a_limit_that_is_no_time_is_no_limit_of_times(limit: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - it says nothing more
        displayed_assertion(Operand(sql="x", type="timestamp"), Assertion("mustBe", limit))
