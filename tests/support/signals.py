"""What this process does when it is interrupted, for the time of a test."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

from treaty.engine.core.interrupts import INTERRUPTS


@contextmanager
def interruptible() -> Iterator[None]:
    """SIGINT and SIGTERM raise KeyboardInterrupt, whatever they did before: a shell that starts something beside itself
    has it ignore SIGINT, and Spark has a handler of its own. Afterwards they do that again."""
    before = {each: signal.signal(each, signal.default_int_handler) for each in INTERRUPTS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
