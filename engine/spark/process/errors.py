"""What Spark's errors may say to people: the error condition and SQLSTATE, never the message, which can hold data."""

from collections.abc import Iterator
from typing import Any

# A file is gone, damaged, or not of the schema that was found: no other component would fare better on it.
DAMAGE = ("FAILED_READ_FILE", "CANNOT_MERGE_SCHEMAS", "ChecksumException", "FileNotFoundException", "EOFException")
# Classic Spark's word and that of Spark Connect.
CANCELLED = ("SPARK_JOB_CANCELLED", "OPERATION_CANCELED")
DEEPEST = 10


def safe_message(error: BaseException) -> str:
    """The error's condition and SQLSTATE, or its class name: 'DIVIDE_BY_ZERO (SQLSTATE 22012)'."""
    return next((f"{name} (SQLSTATE {state})" for name, state in _conditions(error) if state), None) or _kind(error)


def is_damage(error: BaseException) -> bool:
    """Whether the files themselves cannot be read."""
    return any(name.startswith(DAMAGE) for name, _ in _conditions(error)) or _kind(error).startswith(DAMAGE)


def is_cancelled(error: BaseException) -> bool:
    """Whether someone cancelled the job: nothing is wrong with what it computed, and no other is to follow it."""
    return any(name in CANCELLED for name, _ in _conditions(error))


def of_spark(*others: type[Exception]) -> tuple[type[Exception], ...]:
    """What Spark raises, classic or over Connect: its own errors, and those of the JVM that it has no words for.
    `others` are put beside these."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, *others


def _conditions(error: BaseException) -> Iterator[tuple[str, str]]:
    """(condition, SQLSTATE) of the error and of what caused it: the outer ones may say only that a stage failed."""
    thrown: Any = error
    for _ in range(DEEPEST):
        name = _java_call(thrown, "getCondition")
        if name:
            yield str(name), str(_java_call(thrown, "getSqlState") or "")
        thrown = getattr(error, "java_exception", None) if thrown is error else _java_call(thrown, "getCause")
        if thrown is None:
            return


def _kind(error: BaseException) -> str:
    thrown = getattr(error, "java_exception", None)
    return str(_java_call(thrown.getClass(), "getSimpleName")) if thrown is not None else type(error).__name__


def _java_call(error: Any, method: str) -> Any:
    try:
        return getattr(error, method)()
    except Exception:
        return None
