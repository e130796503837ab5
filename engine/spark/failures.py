"""What Spark's errors may say to people: the error condition and SQLSTATE, never the message, which can hold data."""

from typing import Any


def told(error: BaseException) -> str:
    """The error's condition and SQLSTATE, or its class name: 'DIVIDE_BY_ZERO (SQLSTATE 22012)'."""
    condition, state = _ask(error, "getCondition"), _ask(error, "getSqlState")
    if condition is None:
        return type(error).__name__
    return f"{condition} (SQLSTATE {state})" if state else str(condition)


def _ask(error: Any, method: str) -> Any:
    try:
        return getattr(error, method)()
    except Exception:
        return None
