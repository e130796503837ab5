"""Defer Ctrl-C and SIGTERM during operations that must not be interrupted."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any

INTERRUPTS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Raise the first SIGINT or SIGTERM that arrives during the block only after it.

    Python runs signal handlers only in its main thread, between any two instructions; in other threads the block
    cannot be interrupted and nothing is done. Child processes started in the block have the system's default
    handling."""
    if current_thread() is not main_thread():
        yield
        return
    received: list[signal.Signals] = []
    handlers: dict[signal.Signals, Any] = {each: signal.getsignal(each) for each in INTERRUPTS}
    # A handler that was not installed by Python is None here and cannot be restored.
    before = {each: handler for each, handler in handlers.items() if handler is not None}
    try:
        for each in before:
            signal.signal(each, lambda number, _: received.append(signal.Signals(number)))
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
        for number in received[:1]:
            signal.raise_signal(number)
