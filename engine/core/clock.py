"""The clock, which only entry points read: commands, routes, worker steps. All other code receives `now` as an
argument.

A time without a zone is in UTC, in documents, partition names and parameters alike."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """Return the current time with its zone, UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the only permitted use


def aware(moment: date) -> datetime:
    """Return the time with a zone, UTC if it has none. A date becomes 00:00 UTC."""
    if not isinstance(moment, datetime):
        return datetime(moment.year, moment.month, moment.day, tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
