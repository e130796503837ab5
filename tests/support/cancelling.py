"""Jobs of Spark that someone cancels, without a Spark."""

from typing import Any, NoReturn


class Cancelled(Exception):
    """What classic Spark raises then, as far as it is asked."""

    def getCondition(self) -> str:  # noqa: N802 - Spark's own name
        return "SPARK_JOB_CANCELLED"


def cancelled(*_: Any, **__: Any) -> NoReturn:
    """Whatever is asked for is cancelled."""
    raise Cancelled
