"""Define the demo's documented incidents.

To add one, write a damage function and a row of INCIDENTS."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

from treaty.registry.demo.shop_data import Row

Damage = Callable[[list[Row], Random], list[Row]]


@dataclass(frozen=True, kw_only=True)
class DemoIncident:
    """A documented fault of one delivery.

    `day`: 0 is the first day.
    `damage`: changes the delivery's rows.
    `types`: columns that arrive with another type, and that type."""

    name: str
    table: str
    day: int
    description: str
    damage: Damage = lambda rows, _: rows
    types: Mapping[str, str] = field(default_factory=dict, hash=False)


def _nulls(rows: list[Row], rng: Random) -> list[Row]:
    return [{**row, "customer_id": None} if rng.random() < 0.3 else row for row in rows]


def _truncated(rows: list[Row], _: Random) -> list[Row]:
    return rows[: len(rows) * 35 // 100]


def _new_category(rows: list[Row], rng: Random) -> list[Row]:
    return [{**row, "payment": "voucher"} if rng.random() < 0.05 else row for row in rows]


def _negative(rows: list[Row], rng: Random) -> list[Row]:
    return [{**row, "amount": -Decimal(row["amount"])} if rng.random() < 0.02 else row for row in rows]


def _lower_case(rows: list[Row], rng: Random) -> list[Row]:
    return [{**row, "country": row["country"].lower()} if rng.random() < 0.5 else row for row in rows]


INCIDENTS = (
    DemoIncident(
        name="nulls", table="orders", day=27, description="30 % of the orders without a customer_id", damage=_nulls
    ),
    DemoIncident(
        name="truncated load",
        table="order_items",
        day=30,
        description="the load stopped after 35 % of the rows",
        damage=_truncated,
    ),
    DemoIncident(
        name="new category",
        table="orders",
        day=33,
        description="an unannounced payment method in 5 % of the orders",
        damage=_new_category,
    ),
    DemoIncident(
        name="schema change",
        table="order_items",
        day=35,
        description="the quantity arrived as text",
        types={"quantity": "string"},
    ),
    DemoIncident(
        name="negative amounts",
        table="orders",
        day=37,
        description="wrong sign in 2 % of the amounts",
        damage=_negative,
    ),
    DemoIncident(
        name="casing change",
        table="customers",
        day=39,
        description="50 % of the countries in lower case",
        damage=_lower_case,
    ),
)


def befallen(incidents: Iterable[DemoIncident], rows: list[Row], *, seed: int) -> list[Row]:
    """Return the rows after applying the damage of these incidents."""
    for incident in incidents:
        rows = incident.damage(rows, Random(f"{seed}/{incident.name}"))
    return rows


def of(table: str, day: int) -> tuple[DemoIncident, ...]:
    """Return the incidents of a delivery."""
    return tuple(each for each in INCIDENTS if (each.table, each.day) == (table, day))
