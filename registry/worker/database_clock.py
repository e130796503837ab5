"""Database time, on which workers on several hosts agree."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine as Database
from sqlalchemy import text

from treaty.engine.core import clock


@dataclass
class DatabaseClock:
    """The local clock, corrected by the database's clock.

    `ahead`: how far the database's clock is ahead. SQLite uses the local clock unchanged."""

    database: Database
    local: Callable[[], datetime] = clock.now
    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        """Return the current time."""
        return self.local() + self.ahead

    def adjust(self) -> timedelta:
        """Measure how far the database's clock is ahead, assuming symmetric latency, and return it."""
        if self.database.dialect.name == "postgresql":
            with self.database.connect() as connection:
                before = self.local()
                database_time = connection.execute(text("select clock_timestamp()")).scalar_one()
            self.ahead = database_time - (before + (self.local() - before) / 2)
        return self.ahead
