"""Partitions of many kinds and conditions on them: which are chosen is asked of Spark and of the engine alike."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

from support.orders import PROPERTIES

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Column, Schema

TYPES = {
    "day": "date", "country": "string", "hour": "int", "big": "bigint", "ratio": "double", "single": "float",
    "price": "decimal(10,2)", "seen": "timestamp", "open": "boolean", "a.b": "string",
}  # fmt: skip
SCHEMA = Schema(tuple(Column(name, kind) for name, kind in TYPES.items()))


def seen(hour: int, *rest: int) -> datetime:
    return datetime(2026, 1, 1, hour, *rest, tzinfo=UTC)


# fmt: off
ROWS: list[tuple[Any, ...]] = [
    (date(2026, 1, 1), "DE", 0, 2**53, 0.1, 0.1, Decimal("0.10"), seen(0), True, "x"),
    (date(2026, 1, 2), "de", 7, 2**53 + 1, -0.0, 0.5, Decimal("-1.50"), seen(12, 30), False, "y"),
    (date(2026, 2, 1), "50%_off", 10, -1, nan, nan, Decimal("99999999.99"), seen(23, 59, 59, 5000), True, "x/y=z"),
    (date(1999, 12, 31), "o'neil", -3, -(2**63), inf, 0.25, Decimal("7.00"), seen(0, 0, 1), None, "%41"),
    (date(2026, 1, 31), "Größe\N{SNOWMAN}", 23, 2**63 - 1, 1e20, 2.0, Decimal("0.00"), None, False, "a b"),
    (None, None, None, None, None, None, None, None, None, None),
    (date(2026, 1, 1), "back\\slash", 7, 7, 7.0, 7.0, Decimal("7.00"), seen(0), True, None),
    (date(2026, 12, 1), "\U0001f600", 9, 9, 2.5, 2.5, Decimal("2.50"), seen(1), True, "\uffee"),
]
# fmt: on

CONDITIONS = [
    "day = DATE '2026-01-01'",
    "day = '2026-01-01'",
    "day >= '2026-01-02' AND day < DATE '2026-02-01'",
    "'2026-01-31' <= day",
    "day <> '2026-01-01'",
    "NOT (day > '2026-01-01')",
    "day BETWEEN '2026-01-01' AND '2026-01-31'",
    "day NOT BETWEEN '2026-01-01' AND '2026-01-31'",
    "day BETWEEN DATE '2026-01-02' AND seen",
    "day IN ('2026-01-01', DATE '1999-12-31')",
    "day NOT IN ('2026-01-01')",
    "day IN ('2026-01-01', NULL)",
    "day NOT IN ('2026-01-01', NULL)",
    "day IS NULL",
    "day IS NOT NULL",
    "day LIKE '2026-01%'",
    "day NOT LIKE '%-01'",
    "day = NULL",
    "day <=> NULL",
    "day <=> '2026-01-01'",
    "NOT (day <=> '2026-01-01')",
    "day IS DISTINCT FROM DATE '2026-01-01'",
    "day <= TIMESTAMP '2026-01-01 00:00:00'",
    "day < TIMESTAMP '2026-01-01 00:00:01'",
    "day = seen",
    "day < seen OR seen IS NULL",
    "country = 'DE'",
    "country <> 'DE'",
    "country > 'DE'",
    "country <= 'o\\'neil'",
    "country >= '\uffee'",
    "country IN ('DE', 'FR', 'back\\\\slash')",
    "country LIKE 'd%'",
    "country LIKE '_e'",
    "country LIKE '50\\\\%\\\\_off'",
    "country LIKE '%\\\\\\\\%'",
    "country LIKE '%o%f%'",
    "country LIKE 'Gr__e%'",
    "country LIKE ''",
    "country IS NULL OR country = 'DE'",
    "country = `a.b` OR `a.b` = 'x'",
    "`a.b` IN ('x/y=z', '%41', 'a b')",
    "`a.b` > 'x'",
    "hour = 7",
    "hour = 7.0",
    "hour >= 7.5",
    "hour < 1e1",
    "hour = '7'",
    "hour > -3",
    "hour <> -3",
    "hour BETWEEN 0 AND 9",
    "hour BETWEEN 9 AND 0",
    "hour IN (0, 10, 23.0)",
    "hour LIKE '2%'",
    "hour = big",
    "hour < ratio",
    "hour = price",
    "big = 9007199254740993",
    "big > 9007199254740992",
    "big = 9007199254740993.0",
    "big < 9.3e18 AND big > 9.1e18",
    "big = 7 OR big < -5",
    "ratio = 0.1",
    "ratio = 0",
    "ratio = -0.0",
    "ratio > 1e300",
    "ratio >= 2.5",
    "ratio = ratio",
    "ratio <> 7",
    "ratio = '2.5'",
    "ratio = 'NaN'",
    "ratio > 'Infinity'",
    "single = 0.1",
    "single = 0.5",
    "single > 0.1",
    "single = ratio",
    "price = 7",
    "price = 0.1",
    "price = '0.1'",
    "price = 0.1e0",
    "price < 0",
    "price > hour",
    "price IN (2.50, -1.5)",
    "seen = TIMESTAMP '2026-01-01 12:30:00'",
    "seen > '2026-01-01 00:00:00'",
    "seen >= '2026-01-01'",
    "seen = '2026-01-01T00:00:01'",
    "seen > '2026-01-01 23:59:59' AND seen < '2026-01-01 23:59:59.9'",
    "open",
    "NOT open",
    "open = TRUE",
    "open = 'true'",
    "open <> FALSE OR hour = -3",
    "open IS TRUE",
    "open IS NOT TRUE",
    "open IS FALSE",
    "open AND day = '2026-01-01'",
    "open OR hour = -3",
    "open > FALSE",
    "(open OR day IS NULL) AND NOT (hour = 7 OR hour IS NULL)",
    "NOT (open AND hour = 7)",
    "TRUE AND hour = 7",
    "hour = 7 OR NULL",
    "NOT (hour = 7 AND NULL)",
    "NULL IN (hour, 7)",
    "hour IN (NULL)",
]

REFUSED = [
    ("amount > 1", "reads 'amount', which is not a partition column (the partition columns are day, country"),
    ("upper(country) = 'DE'", "upper()"),
    ("year(day) = 2026", "year()"),
    ("hour + 1 = 8", "add"),
    ("cast(hour as string) = '7'", "try cast"),
    ("country ILIKE 'de'", "ilike"),
    ("country RLIKE 'de'", "regexp like"),
    ("CASE WHEN hour = 1 THEN TRUE END", "case"),
    ("day = to_date('2026-01-01')", "to_date()"),
    ("country = 7", "compares a text with a value of type bigint"),
    ("country = DATE '2026-01-01'", "compares a text with a value of type date"),
    ("country = hour", "compares a text with a value of type int"),
    ("hour = 'seven'", "has a constant that is not of type int"),
    ("hour = '1.5'", "has a constant that is not of type int"),
    ("day > '1 January'", "has a constant that is not of type date"),
    ("day > '2026-01-01 10:00:00'", "has a constant that is not of type date"),
    ("day > '2026-02-30'", "has a constant that is not of type date"),
    ("seen > '2026-01-01T00:00:00Z'", "has a constant that is not of type timestamp"),
    ("seen LIKE '2026%'", "uses LIKE with a value of type timestamp"),
    ("hour = -country", "minus"),
    ("hour", "has a value instead of a condition"),
    ("country IS TRUE", "uses IS TRUE or IS FALSE with a value of type string"),
    ("hour = day", "compares a number with a date or timestamp"),
    ("hour = (select 1)", "construct"),
    ("1 = 1", "reads no column"),
    ("hour = 1; drop table x", "semicolon"),
    ("", "is empty"),
]

KEYED = [
    {"name": "day", "logicalType": "date", "partitioned": True, "partitionKeyPosition": 1},
    {"name": "country", "logicalType": "string", "partitioned": True, "partitionKeyPosition": 2},
]


def viewed(
    *checks: Mapping[str, Any], properties: Sequence[Mapping[str, Any]] = (*PROPERTIES, *KEYED), **named: str
) -> Contract:
    """The contract of the orders with these views, by name."""
    listed = [{"name": name, "where": where} for name, where in named.items()]
    table = {"name": "orders", "logicalType": "object", "properties": list(properties), "quality": list(checks)}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "orders", "name": "orders", "version": "1.0.0"}
    terms = [{"property": "treaty", "value": {"views": listed}}]
    return read(write({**head, "status": "active", "schema": [table], "customProperties": terms}))
