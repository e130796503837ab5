"""How far something is, in words: whoever works tells it, whoever waits hears it."""

from collections.abc import Callable
from dataclasses import dataclass

Tell = Callable[[str], None]


@dataclass(frozen=True)
class ProgressMessage:
    """Words on their way from one process to another, ahead of the answer."""

    words: str


def silent(_: str) -> None:
    """For whom nobody waits."""
