"""Retry policy and failure messages of tasks."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from treaty.contracts.errors import ContractError
from treaty.engine.core.errors import EngineError, EngineKilled, UnreadableTable
from treaty.registry.core.errors import InvalidRequest, RegistryError
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import LeaseLost
from treaty.registry.validation.plan import ImpossibleTask

log = logging.getLogger("treaty.worker")
TRIES: dict[type[Exception], int] = {
    UnreadableTable: 3,
    EngineKilled: 3,
    ContractError: 1,
    InvalidRequest: 1,
    ImpossibleTask: 1,
}
WORDS: dict[type[Exception], str] = {UnreadableTable: "unreachable", EngineKilled: "engine killed"}


@contextmanager
def survive_errors(blame: Callable[[Exception], None]) -> Iterator[None]:
    """Pass an error of the block to `blame`, so that the worker continues.

    A lost lease is only logged."""
    try:
        yield
    except LeaseLost:
        log.warning("the lease of this task was lost to another worker or a cancellation; its results are discarded")
    except Exception as error:
        log.warning("%s", reason(error), exc_info=not isinstance(error, EngineError | RegistryError))
        blame(error)


def tries(error: Exception) -> int:
    """Return how many attempts a task has that fails with the error."""
    if isinstance(error, EngineError) and not error.retry:
        return 1
    return TRIES.get(type(error), task_queue.ATTEMPTS)


def reason(error: Exception) -> str:
    """Return the error message for users.

    An unexpected error is reduced to its type, because its text could contain data."""
    if not isinstance(error, EngineError | RegistryError | ContractError):
        return f"unexpected {type(error).__name__}; see the worker log for details"
    prefix = WORDS.get(type(error), "")
    return str(error) if str(error).startswith(prefix) else f"{prefix}: {error}"
