"""The clock, read at the edges only: commands, routes, worker steps. Everything beneath is handed `now`."""

from datetime import UTC, datetime


def now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place
