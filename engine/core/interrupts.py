"""Ctrl-C and SIGTERM, kept away from what must not be cut in two."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """SIGINT and SIGTERM that come during the block are raised after it, the first of them only.

    Python runs the handlers of signals in its main thread alone, between any two instructions: in other threads nothing
    is cut in two, and nothing is done here. What the block starts has the signals as the system gives them."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[signal.Signals] = []
    told: dict[signal.Signals, Any] = {each: signal.getsignal(each) for each in INTERRUPTS}
    # What was not told by Python is None here, and could not be put back.
    before = {each: handler for each, handler in told.items() if handler is not None}
    try:
        for each in before:
            signal.signal(each, lambda number, _: came.append(signal.Signals(number)))
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in came[:1]:
            signal.raise_signal(number)
