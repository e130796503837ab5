"""Wait for the gate's answer with growing pauses."""

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
    """Return the first answer other than unknown, or the last one before the timeout.

    The pauses between attempts double from 1 s to at most 30 s."""
    answer, pause = ask(), FIRST_PAUSE
    while answer.answer is GateAnswer.UNKNOWN and seconds > 0:
        rest(min(pause, seconds))
        seconds -= pause
        pause = min(pause * 2, LONGEST_PAUSE)
        answer = ask()
    return answer


def seconds_of(text: str) -> int:
    """Parse a duration into seconds. Raises ValueError if the text is not a duration."""
    match = re.fullmatch(r"([0-9]{1,6})([smh])", text.strip())
    if match is None:
        raise ValueError(f"{text} is not a duration: use a form like 30s, 10m or 2h")
    return int(match[1]) * UNITS[match[2]]
