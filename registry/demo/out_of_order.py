"""What the demo's shop delivers out of turn: one partition late, one a second time."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    """A partition (of day `day`, 0 the first) that arrives with those of the later day `on`.

    `again`: it came in its own turn too, and comes once more as the shop has it."""

    name: str
    table: str
    day: int
    on: int
    what: str
    again: bool = False


TURNS = (
    Turn("late partition", "orders", 28, 29, "the orders of a day arrived with those of the next"),
    Turn("re-delivery", "order_items", 30, 31, "the load that broke off was delivered again, whole", again=True),
)
