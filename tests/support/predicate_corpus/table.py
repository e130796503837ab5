"""The table of the corpus of predicates: orders of a web shop, good rows, bad ones and a row of nulls."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from treaty.contracts.schema import Column, Schema

TYPES = {
    "order_id": "bigint", "order_number": "string", "customer": "string", "email": "string", "phone": "string",
    "website": "string", "country": "string", "currency": "string", "postal_code": "string", "iban": "string",
    "uuid": "string", "ip": "string", "status": "string", "comment": "string", "payload": "string",
    "priority": "int", "quantity": "int", "unit_price": "decimal(10,2)", "discount": "double",
    "net": "decimal(12,2)", "gross": "decimal(12,2)", "order_date": "date", "ship_date": "date",
    "created_at": "timestamp", "updated_at": "timestamp", "local_time": "timestamp_ntz", "day_text": "string",
    "us_date": "string", "stamp_text": "string", "amount_text": "string", "epoch": "bigint", "is_gift": "boolean",
    "flags": "int", "latitude": "double", "longitude": "double", "checksum": "string", "card": "string",
    "tags": "array<string>", "scores": "array<int>", "items": "array<struct<sku:string,qty:int,price:double>>",
    "attributes": "map<string,string>", "limits": "map<string,int>",
    "address": "struct<street:string,city:string,zip:string,geo:struct<lat:double,lon:double>>",
}  # fmt: skip
SCHEMA = Schema(tuple(Column(name, kind) for name, kind in TYPES.items()))


def _row(**other: Any) -> tuple[Any, ...]:
    """A good row but for the values that are named."""
    return tuple({**GOOD, **other}[name] for name in TYPES)


GOOD: dict[str, Any] = {
    "order_id": 1001, "order_number": "SO-000123", "customer": "Ann Example", "email": "ann.example@shop.example.org",
    "phone": "+49 30 1234567", "website": "https://shop.example.org/a?b=c", "country": "DE", "currency": "EUR",
    "postal_code": "10115", "iban": "DE89370400440532013000", "uuid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "ip": "192.168.10.254", "status": "paid", "comment": "thank you", "payload": '{"id": 7, "source": "web"}',
    "priority": 2, "quantity": 3, "unit_price": Decimal("19.90"), "discount": 0.1, "net": Decimal("53.73"),
    "gross": Decimal("63.94"), "order_date": date(2026, 3, 2), "ship_date": date(2026, 3, 4),
    "created_at": datetime(2026, 3, 2, 9, 30, tzinfo=UTC), "updated_at": datetime(2026, 3, 4, 18, tzinfo=UTC),
    "local_time": datetime(2026, 3, 2, 10, 30), "day_text": "2026-03-02", "us_date": "03/02/2026",
    "stamp_text": "2026-03-02 09:30:00", "amount_text": "1,234.50", "epoch": 1772443800, "is_gift": False, "flags": 5,
    "latitude": 52.53, "longitude": 13.38, "checksum": "900150983cd24fb0d6963f7d28e17f72", "card": "4111111111111111",
    "tags": ["new", "web"], "scores": [7, 9, 10], "items": [("A-1", 2, 19.9), ("B-22", 1, 13.93)],
    "attributes": {"color": "red", "size": "M"}, "limits": {"low": 1, "high": 10},
    "address": ("Main Street 5", "Berlin", "10115", (52.53, 13.38)),
}  # fmt: skip
ROWS = [
    _row(),
    _row(
        order_id=1002, order_number="SO-000124", customer="Zoë Müller", email="zoe+shop@mail.example.com",
        status="shipped", priority=1, quantity=1, discount=0.0, net=Decimal("19.90"), gross=Decimal("23.68"),
        is_gift=True, country="FR", postal_code="75001", tags=["gift"], items=[("C-3", 1, 19.9)], flags=3,
        ship_date=date(2026, 3, 3), attributes={"color": "blue"}, comment=None, card="4012888888881881",
    ),
    _row(
        order_id=1003, order_number="so-125", customer=" bob ", email="bob at example.org", phone="12",
        website="not a url", country="de", currency="eur", postal_code="1011", iban="XX12", uuid="not-a-uuid",
        ip="999.1.2", status="PAID", comment="", payload="{broken", priority=9, quantity=0, net=Decimal("-1.00"),
        unit_price=Decimal("0.00"), discount=1.5, gross=Decimal("-1.19"), ship_date=date(2026, 3, 1), flags=0,
        day_text="2026-02-30", us_date="13/45/2026", stamp_text="yesterday", amount_text="n/a", epoch=-1,
        latitude=91.0, longitude=-200.0, checksum="xyz", card="1234", tags=[], scores=[], items=[],
        attributes={}, limits={}, address=("", None, "x", None), updated_at=datetime(2026, 3, 1, tzinfo=UTC),
    ),
    _row(
        order_id=1004, quantity=2**31 - 1, net=Decimal("9999999999.99"), gross=Decimal("9999999999.99"),
        discount=float("nan"), order_date=date(9999, 12, 31), ship_date=date(9999, 12, 31), epoch=253402300799,
        created_at=datetime(9999, 12, 31, tzinfo=UTC), scores=[None, -5, 2**31 - 1], tags=[None, ""],
        items=[(None, None, None), ("", -1, float("inf"))], attributes={"color": None}, limits={"low": 11, "high": 10},
        comment="x" * 1500, flags=-1,
    ),
    _row(
        order_id=1005, order_number="SO-000126", status="cancelled", ship_date=None, comment="  call\tback ",
        payload='{"id": null}', amount_text="12.5", day_text="2025-12-31", us_date="12/31/2025", country="AT",
        postal_code="1010", quantity=12, priority=3, scores=[1, 1], tags=["web", "web"],
        order_date=date(2024, 2, 29), created_at=datetime(2024, 2, 29, 23, 59, 59, 999999, tzinfo=UTC),
    ),
    (1006, *[None] * (len(TYPES) - 1)),
]  # fmt: skip
