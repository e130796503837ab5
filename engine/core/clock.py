"""The clock, read at the edges only: commands, routes, worker steps. Everything beneath is handed `now`.

A moment that names no zone is one of UTC, wherever it comes from: a document, a partition's name, a parameter."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """The time now, aware, in UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place


def aware(moment: date) -> datetime:
    """Return the moment with a zone: UTC where it names none. A date is its beginning."""
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
