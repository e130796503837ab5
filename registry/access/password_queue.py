"""Hash passwords in a thread of their own, with a bounded queue.

Hashing is slow on purpose. In the threads of other requests, a few dozen attempts would stop the service."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Lock
from typing import TypeVar

from treaty.registry.core.errors import RateLimited, ServiceBusy

# Attempts that wait or run, in one process: of all addresses, and of one.
MOST, MOST_OF_ADDRESS = 16, 3
BUSY = "Many people are signing in. Try again in a few seconds."
TOO_MANY = "Too many sign-in attempts from your address at once. Try again in a second."
Result = TypeVar("Result")


class PasswordQueue:
    """A thread that hashes passwords, and the places in its queue.

    One hash takes 64 MiB and several cores, so there is only one thread."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "passwords")
        self._lock, self._places = Lock(), Counter[str]()

    @contextmanager
    def place(self, address: str) -> Iterator[None]:
        """Hold a place for an attempt from that address. Raises RateLimited or ServiceBusy if there is none."""
        with self._lock:
            if self._places[address] >= MOST_OF_ADDRESS:
                raise RateLimited(TOO_MANY, seconds=1)
            if self._places.total() >= MOST:
                raise ServiceBusy(BUSY)
            self._places[address] += 1
        try:
            yield
        finally:
            with self._lock:
                self._places -= Counter({address: 1})

    def run(self, work: Callable[[], Result]) -> Result:
        """Do the work in the thread and return its result."""
        return self._thread.submit(work).result()


QUEUE = PasswordQueue()
