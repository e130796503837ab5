"""Predicates for tests, from data files: benign ones that people write, and hostile ones that must never reach Spark.

`held_out` marks those that were written without a look at the grammar; `pieces` is a long text as parts that are
repeated."""

import json
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from treaty.contracts.schema import Column, Schema

DATA = Path(__file__).parents[1] / "data" / "predicates"
TYPES = {
    "id": "bigint", "amount": "decimal(12,2)", "price": "double", "quantity": "int", "level": "tinyint",
    "rate": "float", "country": "string", "status": "string", "email": "string", "phone": "string",
    "iban": "string", "code": "string", "note": "string", "created": "timestamp", "updated": "timestamp_ntz",
    "day": "date", "deleted": "boolean", "tags": "array<string>", "scores": "array<int>",
    "attributes": "map<string,string>", "ship.to": "string", "we`ird": "int", "größe": "int",
    "address": "struct<city:string,zip:string,geo:struct<lat:double,lon:double>>",
}  # fmt: skip
SCHEMA = Schema(tuple(Column(name, kind) for name, kind in TYPES.items()))
FIELDS = ("address.city", "address.zip", "address.geo", "address.geo.lat", "address.geo.lon")
COLUMNS = (*TYPES, *FIELDS)
BERLIN, WIEN = ("Berlin", "10115", (52.5, 13.4)), ("Wien", "1010", (-90.0, 180.0))
ROWS: list[tuple[Any, ...]] = [
    (
        1, Decimal("1.50"), 1.5, 2, 1, 0.5, "DE", "new", "ann@example.org", "+49 30 123456", "DE89370400440532013000",
        "A12-7", "a-b", datetime(2026, 1, 1), datetime(2026, 1, 1, 1), date(2026, 1, 1), False, ["a", "b"], [7, 1],
        {"color": "red"}, "DE", 1, 3, BERLIN,
    ),
    (
        2, Decimal("0.00"), float("nan"), 0, 5, 1.0, "FR", "paid", "x@y.fr", "0123 456", None, "7", "größer als 😀",
        datetime(2024, 2, 29, 23, 59, 59, 999999), datetime(2024, 2, 29), date(2024, 2, 29), True, [], [], {}, "FR", 0,
        -3, None,
    ),
    (
        3, Decimal("-7.25"), float("inf"), -4, -128, -1.0, "de", "it's", "", "", "x", "12", " 100% ",
        datetime(1999, 12, 31, 12), None, date(1582, 10, 10), None, ["", None], [None], {"color": None}, "", -5, 0,
        (None, "x", (None, None)),
    ),
    (4, *[None] * 23),
    (
        2**63 - 1, Decimal("9999999999.99"), 1e308, 2**31 - 1, 127, 3e38, "Österreich", "a\\b", "no at sign", "+1",
        "AT6119", "ZZ", "2026-01-01", datetime(9999, 12, 31), datetime(9999, 12, 31), date(9999, 12, 31), False,
        ["x"] * 3, [2**31 - 1, 0], {"a": "b"}, "AT", 2**31 - 1, 2**31 - 1, WIEN,
    ),
    (
        -(2**63), Decimal("-9999999999.99"), -0.0, -(2**31), 0, 0.0, "", "sent", "A@B.ORG", "49", "DE", "1", "",
        datetime(1, 1, 1, tzinfo=UTC), datetime(1, 1, 1), date(1, 1, 1), True, [None], [-1, -2, -3], {"color": "blue"},
        " ", -(2**31), 1, ("", "", (0.0, 0.0)),
    ),
]  # fmt: skip


def _read(name: str) -> list[dict[str, Any]]:
    return [_whole(json.loads(line)) for line in (DATA / name).read_text("utf-8").splitlines()]


def _whole(entry: dict[str, Any]) -> dict[str, Any]:
    pieces = entry.get("pieces", ())
    return {"text": "".join(text * times for text, times in pieces), **entry}


BENIGN = _read("benign.jsonl")
HOSTILE = _read("hostile.jsonl")


def ddl(types: dict[str, str]) -> str:
    """Columns of those types as Spark declares them."""
    return ", ".join(f"`{name.replace('`', '``')}` {kind}" for name, kind in types.items())
