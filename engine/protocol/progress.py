"""How far something is, in words: whoever works tells it, whoever waits hears it."""

from collections.abc import Callable
from dataclasses import dataclass

ReportProgress = Callable[[str], None]


@dataclass(frozen=True)
class ProgressMessage:
    """Words on their way from one process to another, ahead of the answer."""

    words: str


def no_progress(_: str) -> None:
    """For whom nobody waits."""
