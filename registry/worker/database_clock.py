"""The time by the database's clock: what workers on several hosts agree on."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine as Database
from sqlalchemy import text

from treaty.engine.core import clock


@dataclass
class DatabaseClock:
    """The local clock, set right by the database's: `ahead` is how far that one is ahead. A SQLite file lies on this
    host, whose clock is its own."""

    database: Database
    local: Callable[[], datetime] = clock.now
    ahead: timedelta = timedelta(0)

    def __call__(self) -> datetime:
        """The time."""
        return self.local() + self.ahead

    def adjust(self) -> timedelta:
        """Asks the database for the time; how far its clock is ahead."""
        if self.database.dialect.name == "postgresql":
            with self.database.connect() as connection:
                before = self.local()
                there = connection.execute(text("select clock_timestamp()")).scalar_one()
            self.ahead = there - (before + (self.local() - before) / 2)
        return self.ahead
