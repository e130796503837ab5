"""Define the demo's late and repeated deliveries."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LateDelivery:
    """A partition of day `day` that arrives on the later day `on`; 0 is the first day.

    `is_repeat`: the partition also arrived on its own day and is delivered again, without faults."""

    name: str
    table: str
    day: int
    on: int
    description: str
    is_repeat: bool = False


TURNS = (
    LateDelivery(
        name="late partition",
        table="orders",
        day=28,
        on=29,
        description="the orders of one day arrived with those of the next day",
    ),
    LateDelivery(
        name="re-delivery",
        table="order_items",
        day=30,
        on=31,
        description="the truncated load was delivered again, complete",
        is_repeat=True,
    ),
)
