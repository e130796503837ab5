"""Waiting for the gate's answer: how long, and how often it is asked."""

import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from treaty.registry.core.enums import GateAnswer

if TYPE_CHECKING:
    from treaty.registry.schemas import GateOut

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
UNITS = {"s": 1, "m": 60, "h": 3600}


def wait_for_answer(
    ask: "Callable[[], GateOut]", seconds: float, *, rest: Callable[[float], None] = time.sleep
) -> "GateOut":
    """The first answer that is not unknown, else the last one before the time is over. Pauses grow while it waits."""
    found, pause = ask(), FIRST_PAUSE
    while found.answer is GateAnswer.UNKNOWN and seconds > 0:
        rest(min(pause, seconds))
        seconds -= pause
        pause = min(pause * 2, LONGEST_PAUSE)
        found = ask()
    return found


def seconds_of(text: str) -> int:
    """The seconds of a duration. Raises ValueError for what is none."""
    told = re.fullmatch(r"([0-9]{1,6})([smh])", text.strip())
    if told is None:
        raise ValueError(f"{text} is no duration: write 30s, 10m or 2h")
    return int(told[1]) * UNITS[told[2]]
