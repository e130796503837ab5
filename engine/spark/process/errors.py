"""Describe Spark errors by error condition and SQLSTATE, never by message: messages can contain data."""

from collections.abc import Iterator
from typing import Any

# The file is missing, damaged or has another schema than the table: every component would fail on it.
DAMAGE = ("FAILED_READ_FILE", "CANNOT_MERGE_SCHEMAS", "ChecksumException", "FileNotFoundException", "EOFException")
# The condition in classic Spark and in Spark Connect.
CANCELLED = ("SPARK_JOB_CANCELLED", "OPERATION_CANCELED")
DEEPEST = 10


def safe_message(error: BaseException) -> str:
    """Return the error's condition and SQLSTATE, or its class name: 'DIVIDE_BY_ZERO (SQLSTATE 22012)'."""
    return next((f"{name} (SQLSTATE {state})" for name, state in _conditions(error) if state), None) or _kind(error)


def is_damage(error: BaseException) -> bool:
    """Return True if the files themselves cannot be read."""
    return any(name.startswith(DAMAGE) for name, _ in _conditions(error)) or _kind(error).startswith(DAMAGE)


def is_cancelled(error: BaseException) -> bool:
    """Return True if the job was canceled: nothing is wrong with its statement, and no further one may run."""
    return any(name in CANCELLED for name, _ in _conditions(error))


def of_spark(*additional: type[Exception]) -> tuple[type[Exception], ...]:
    """Return the exception types that Spark raises, classic or over Connect, and `additional`.

    These are Spark's own errors and errors of the JVM that Spark does not translate."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return PySparkException, Py4JError, *additional


def _conditions(error: BaseException) -> Iterator[tuple[str, str]]:
    """Yield (condition, SQLSTATE) of the error and its causes: outer ones may only say that a stage failed."""
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
