"""Errors of the engine, and whether a retry can succeed."""

from typing import Any


class StateError(Exception):
    """A stored state cannot be used. The message gives the state and the reason; computing it again always helps."""


class EngineError(Exception):
    """The engine could not complete a request.

    `reason`: message for people, without data values or secrets. `retry`: whether a retry can succeed."""

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        self.reason = reason
        self.retry = retry
        super().__init__(reason)

    def __reduce__(self) -> tuple[Any, ...]:
        return _engine_error, (type(self), self.reason, self.retry)


def _engine_error(kind: type[EngineError], reason: str, retry: bool) -> EngineError:  # noqa: FBT001
    return kind(reason, retry=retry)


class UnreadableTable(EngineError):
    """The table does not exist or cannot be read."""


class RefusedTable(UnreadableTable):
    """The table lies where the service may not read."""

    def __init__(self, reason: str, *, retry: bool = False) -> None:
        super().__init__(reason, retry=retry)


class EngineKilled(EngineError):
    """The engine's process ended or exceeded its limit."""
