"""What the demo's shop delivers out of turn: one partition late, one a second time."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class LateDelivery:
    """A partition (of day `day`, 0 the first) that arrives with those of the later day `on`.

    `is_repeat`: it came in its own turn too, and comes once more as the shop has it."""

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
        description="the orders of a day arrived with those of the next",
    ),
    LateDelivery(
        name="re-delivery",
        table="order_items",
        day=30,
        on=31,
        description="the load that broke off was delivered again, whole",
        is_repeat=True,
    ),
)
