"""Operands: how a column of each Spark type is summed, counted, ranked and compared."""

import pytest

from treaty.engine.components.operands import Operand

MICROS = "timestampdiff(MICROSECOND, timestamp_ntz'1970-01-01 00:00:00', `x`)"
CASES = [
    ("exact", "int", "cast(`x` as decimal(38,0))"),
    ("exact", "decimal(10,2)", "cast(`x` as decimal(38,2))"),
    ("exact", "decimal(38, 18)", "cast(`x` as decimal(38,18))"),
    ("exact", "float", "cast(`x` as double)"),
    ("canonical", "tinyint", "cast(`x` as bigint)"),
    ("canonical", "double", "cast(`x` + cast(0 as double) as string)"),
    ("canonical", "boolean", "cast(`x` as string)"),
    ("canonical", "timestamp", "unix_micros(`x`)"),
    ("canonical", "binary", "base64(`x`)"),
    ("real", "decimal(3,1)", "cast(`x` as double)"),
    ("real", "date", "cast(unix_date(`x`) as double) * 86400000000"),
    ("real", "timestamp", "cast(unix_micros(`x`) as double)"),
    ("real", "timestamp_ntz", f"cast({MICROS} as double)"),
    ("sortable", "string", "`x`"),
    ("sortable", "timestamp", "unix_micros(`x`)"),
    ("sortable", "timestamp_ntz", MICROS),
]


@pytest.mark.parametrize(("form", "kind", "expected"), CASES)
def test_a_type_has_its_form(form: str, kind: str, expected: str) -> None:
    assert getattr(Operand(sql="`x`", type=kind), form)() == expected


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        ("decimal(10,2)", "decimal"),
        ("struct<a:int>", "struct"),
        ("BIGINT", "bigint"),
        ("interval day to second", "interval"),
    ],
)
def test_the_base_type_is_the_first_word(kind: str, base: str) -> None:
    assert Operand(sql="x", type=kind).base_type == base
