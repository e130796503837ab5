"""Errors of the engine, and whether another try can help."""

from typing import Any


class StateError(Exception):
    """A stored state cannot be used. The message names it and says why; the remedy is always to compute it again."""


class EngineError(Exception):
    """The engine could not answer. `reason` is fit for people: no data values, no secrets."""

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        self.reason = reason
        self.retry = retry
        super().__init__(reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return _engine_error, (type(self), self.reason, self.retry)


def _engine_error(kind: type[EngineError], reason: str, retry: bool) -> EngineError:  # noqa: FBT001
    return kind(reason, retry=retry)


class UnreadableTable(EngineError):
    """The table is not there or cannot be read."""


class EngineKilled(EngineError):
    """The engine's process ended or overran its limit."""
