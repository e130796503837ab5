"""The time, asked for at the edges only (route, worker, command); everything beneath is handed it."""

from datetime import UTC, datetime


def now() -> datetime:
    """This moment, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251
