"""Names of daily partitions whose states were merged by month.

'land=DE/day=2026-09-[01-12,14]' represents thirteen partitions. It cannot be the name of a folder: brackets are
escaped there."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

_DATED = re.compile(r"(?<==)(\d{4}-\d{2})-(?:(\d{2})|\[([\d,-]+)\])(?=/|$)", re.ASCII)


class MonthDays(NamedTuple):
    """Days of one month in partition names that are equal `before` and `after` the date."""

    before: str
    month: str
    after: str
    days: tuple[int, ...]

    @property
    def among(self) -> tuple[str, str, str]:
        """Return the part of the names that days must share to be merged."""
        return self[:3]

    @property
    def members(self) -> tuple[str, ...]:
        """Return the names of the partitions."""
        return tuple(f"{self.before}{self.month}-{day:02d}{self.after}" for day in self.days)

    @property
    def name(self) -> str:
        """Return the name that represents all of these partitions."""
        if len(self.days) == 1:
            return self.members[0]
        return f"{self.before}{self.month}-[{','.join(_runs(self.days))}]{self.after}"

    @property
    def end(self) -> date:
        """Return the first day of the next month."""
        first = date.fromisoformat(f"{self.month}-01")
        return (first + timedelta(days=31)).replace(day=1)


def days(name: str) -> MonthDays | None:
    """Parse the days that the name represents; None unless it has exactly one date."""
    matches = list(_DATED.finditer(name))
    if len(matches) != 1:
        return None
    (dated,) = matches
    month_days = MonthDays(
        name[: dated.start()], dated[1], name[dated.end() :], tuple(_day_numbers(dated[2] or dated[3]))
    )
    return month_days if month_days.days and _are_dates(month_days) else None


def members(name: str) -> tuple[str, ...]:
    """Return the partitions that the name represents: only itself if nothing was merged."""
    if "[" not in name:
        return (name,)
    month_days = days(name)
    return month_days.members if month_days else (name,)


def merge_days(days: Iterable[MonthDays]) -> MonthDays:
    """Merge days of the same month and partition names (at least one)."""
    parts = list(days)
    return parts[0]._replace(days=tuple(sorted(day for part in parts for day in part.days)))


def _are_dates(days: MonthDays) -> bool:
    try:
        return all(date.fromisoformat(f"{days.month}-{day:02d}") for day in days.days)
    except ValueError:
        return False


def _day_numbers(written: str) -> Iterator[int]:
    for part in written.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first or 0), int(last or first or 0) + 1)


def _runs(days: Iterable[int]) -> Iterator[str]:
    """Yield consecutive days as first-last."""
    for _, run in groupby(enumerate(days), lambda each: each[1] - each[0]):
        consecutive = [day for _, day in run]
        yield f"{consecutive[0]:02d}" if len(consecutive) == 1 else f"{consecutive[0]:02d}-{consecutive[-1]:02d}"


def date_of_name(name: str) -> str | None:
    """Return the date in the name of a partition or arrival; None unless it has exactly one."""
    month_days = days(name) or days(f"={name}")
    return f"{month_days.month}-{month_days.days[0]:02d}" if month_days and len(month_days.days) == 1 else None
