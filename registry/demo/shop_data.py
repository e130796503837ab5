"""Generate a web shop: three tables of daily partitions with weekly seasonality, growth and noise.

Equal seeds give equal data."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

DAYS = 40
HISTORY = 25
FIRST_DAY = date(2026, 9, 1)
STATUSES = ("paid", "shipped", "delivered", "cancelled", "returned")
PAYMENTS = ("card", "invoice", "wallet")
COUNTRIES = ("DE", "FR", "NL", "PL", "SE")
SKUS = tuple(f"SKU-{number:04d}" for number in range(1, 241))
Row = dict[str, Any]


@dataclass(frozen=True)
class ShopTable:
    """A table of the shop.

    `columns`: Spark DDL of its columns.
    `rows`: generates the rows of a day; 0 is the first."""

    name: str
    columns: str
    rows: Callable[[Random, int], Iterator[Row]]

    @property
    def kinds(self) -> dict[str, str]:
        """Return the columns' types by name."""
        return {name: kind for name, _, kind in (each.partition(" ") for each in self.columns.split(", "))}


def day_name(day: int) -> str:
    """Return the partition name of a day: its date."""
    return (FIRST_DAY + timedelta(days=day)).isoformat()


def rows_of(table: ShopTable, day: int, *, seed: int) -> list[Row]:
    """Return the rows of a day; equal for equal seeds."""
    return list(table.rows(Random(f"{seed}/{table.name}/{day}"), day))


def _volume(rng: Random, day: int, base: int) -> int:
    weekend = 0.8 if (FIRST_DAY + timedelta(days=day)).weekday() >= 5 else 1.0
    return round(base * weekend * (1 + 0.002 * day) * rng.gauss(1, 0.03))


def _money(rng: Random, centre: float, spread: float) -> Decimal:
    return Decimal(str(round(rng.lognormvariate(centre, spread), 2)))


def _customers(rng: Random, day: int) -> Iterator[Row]:
    for number in range(_volume(rng, day, 150)):
        yield {
            "customer_id": day * 1000 + number,
            "email": f"c{day * 1000 + number}@shop.example",
            "country": rng.choices(COUNTRIES, (40, 20, 15, 15, 10))[0],
            "newsletter": rng.random() < 0.3,
            "birth_year": rng.randint(1940, 2008) if rng.random() < 0.7 else None,
        }


def _orders(rng: Random, day: int) -> Iterator[Row]:
    for number in range(_volume(rng, day, 600)):
        yield {
            "order_id": day * 10_000 + number,
            "customer_id": rng.randrange(day + 1) * 1000 + rng.randrange(110),
            "status": rng.choices(STATUSES, (30, 25, 35, 7, 3))[0],
            "payment": rng.choices(PAYMENTS, (70, 20, 10))[0],
            "amount": _money(rng, 3.6, 0.7),
            "coupon": f"C{rng.randrange(10_000, 99_999)}" if rng.random() < 0.12 else None,
        }


def _order_items(rng: Random, day: int) -> Iterator[Row]:
    for number in range(_volume(rng, day, 1500)):
        yield {
            "item_id": day * 100_000 + number,
            "order_id": day * 10_000 + number * 2 // 5,
            "sku": rng.choice(SKUS),
            "quantity": rng.choices((1, 2, 3, 4, 5), (60, 20, 10, 6, 4))[0],
            "price": _money(rng, 2.8, 0.6),
        }


TABLES = (
    ShopTable(
        "orders",
        "order_id bigint, customer_id bigint, status string, payment string, amount decimal(10,2), coupon string",
        _orders,
    ),
    ShopTable(
        "order_items", "item_id bigint, order_id bigint, sku string, quantity int, price decimal(10,2)", _order_items
    ),
    ShopTable(
        "customers", "customer_id bigint, email string, country string, newsletter boolean, birth_year int", _customers
    ),
)
