"""Values at the borders of their types: integers, numbers, times, texts, ids, and values of other types."""

from random import Random
from typing import Any

INTEGERS = (0, -1, 1, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, -(2**63), -(2**63) - 1, 10**30, -(10**30))
NUMBERS = (*INTEGERS, 0.5, -0.0, 1e-320, 1e308, -1e308, float("inf"), float("nan"))
TIMES = (
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+23:59",
    "0001-01-01T00:00:00-23:59",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59.999999-23:59",
    "9999-12-31T23:59:59.999999+23:59",
    "9999-12-31T00:00:00Z",
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "+010000-01-01T00:00:00Z",
    "2016-12-31T23:59:60Z",
    "2026-02-29T00:00:00Z",
    "2026-03-01T24:00:00Z",
    "2026-03-01T12:00:00",
    "2026-03-01",
    "2026-03-29T02:30:00+02:00",
    "1583-01-01T00:00:00-00:00",
    "2026-03-01T12:00:00.123456789Z",
    "2026-03-01T12:00:00+99:99",
    "now",
    "infinity",
    "-infinity",
    "0",
    "253402300800",
    "-62135596801",
    "9223372036854775808",
)
LONG = "x" * 100_000
TEXTS = (
    "",
    " ",
    LONG,
    "é" * 50_000,
    "a\x00b",
    "\x00",
    "\ud800",
    "a\udfffb",
    "\ud83d",
    "\U0001f4a9" * 20,
    "\u202eabc\u202c",
    "a" + "\u0301" * 2_000,
    "\u2028\u2029\x85",
    "\x1b[31m\x07\x7f",
    "\ufeff\ufffe\uffff",
    "{rows}",
    "{0.__class__}",
    "{",
    "%s%n%d",
    "%",
    "%00%ff",
    "../../../etc/passwd",
    "..\\..\\",
    "/",
    "//",
    "${env:HOME}",
    "'; drop table audit_entry; --",
    '"*"',
    "*",
    "a:b:c:d",
    "a\r\nSet-Cookie: x=y",
    "null",
    "NaN",
    "1e999",
    "decimal(99,99)",
    "<script>alert(1)</script>",
    "\u0131 \u0130 \u00df \u01c5",
    "2026-02-30",
)
IDS = (
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    "00000000-0000-7000-8000-000000000000",
    "{00000000-0000-7000-8000-000000000000}",
    "urn:uuid:00000000-0000-7000-8000-000000000000",
    "00000000000070008000000000000000",
    "not-an-id",
    "0",
)
OTHERS: tuple[Any, ...] = (None, True, False, 0, -1, 0.5, "", "x", [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}})
BODIES = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b'"x"',
    b"1e999",
    b"-0",
    b"9" * 5_000,
    b"\xff\xfe",
    b"\xef\xbb\xbf{}",
    b'{"a": 1, "a": 2}',
    b'{"\\ud800": "\\udfff"}',
    b'{"a": NaN}',
    b"[" * 5_000 + b"]" * 5_000,
    b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    b"[" + b"1," * 20_000 + b"1]",
)


def value(random: Random, kind: str) -> Any:
    """Return a value at a border of the type, seldom one of another type."""
    if random.random() < 0.1:
        return random.choice(OTHERS)
    return random.choice(VALUES[kind])


VALUES: dict[str, tuple[Any, ...]] = {
    "integer": INTEGERS,
    "number": NUMBERS,
    "date-time": (*TIMES, *INTEGERS),
    "string": TEXTS,
    "uuid": IDS,
    "boolean": (True, False, "true", "2", 2**63),
    "null": (None,),
    "any": (*TEXTS, *INTEGERS, *OTHERS),
}
