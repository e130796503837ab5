"""Partitions of days whose states were merged by month, told by their names alone.

'land=DE/day=2026-09-[01-12,14]' stands for thirteen partitions. No folder is named so: brackets are escaped there."""

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple

_DATED = re.compile(r"(?<==)(\d{4}-\d{2})-(?:(\d{2})|\[([\d,-]+)\])(?=/|$)", re.ASCII)


class MonthDays(NamedTuple):
    """Days of one month, of partitions whose names are alike `before` and `after` the date."""

    before: str
    month: str
    after: str
    days: tuple[int, ...]

    @property
    def among(self) -> tuple[str, str, str]:
        """What days have in common that may be merged."""
        return self[:3]

    @property
    def members(self) -> tuple[str, ...]:
        """The names of the partitions."""
        return tuple(f"{self.before}{self.month}-{day:02d}{self.after}" for day in self.days)

    @property
    def name(self) -> str:
        """The name that stands for all of them."""
        if len(self.days) == 1:
            return self.members[0]
        return f"{self.before}{self.month}-[{','.join(_runs(self.days))}]{self.after}"

    @property
    def end(self) -> date:
        """The day after the month."""
        first = date.fromisoformat(f"{self.month}-01")
        return (first + timedelta(days=31)).replace(day=1)


def days(name: str) -> MonthDays | None:
    """The days that the name stands for, one or many; None where it says not exactly one date."""
    found = list(_DATED.finditer(name))
    if len(found) != 1:
        return None
    (dated,) = found
    told = MonthDays(name[: dated.start()], dated[1], name[dated.end() :], tuple(_day_numbers(dated[2] or dated[3])))
    return told if told.days and _are_dates(told) else None


def members(name: str) -> tuple[str, ...]:
    """The partitions that the name stands for: itself alone where nothing was merged."""
    if "[" not in name:
        return (name,)
    found = days(name)
    return found.members if found else (name,)


def merge_days(given: Iterable[MonthDays]) -> MonthDays:
    """The days of all of them, which are at least one and have all else in common."""
    parts = list(given)
    return parts[0]._replace(days=tuple(sorted(day for part in parts for day in part.days)))


def _are_dates(told: MonthDays) -> bool:
    try:
        return all(date.fromisoformat(f"{told.month}-{day:02d}") for day in told.days)
    except ValueError:
        return False


def _day_numbers(written: str) -> Iterator[int]:
    for part in written.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first or 0), int(last or first or 0) + 1)


def _runs(given: Iterable[int]) -> Iterator[str]:
    """Days that follow each other as first-last."""
    for _, run in groupby(enumerate(given), lambda each: each[1] - each[0]):
        found = [day for _, day in run]
        yield f"{found[0]:02d}" if len(found) == 1 else f"{found[0]:02d}-{found[-1]:02d}"


def date_of_name(name: str) -> str | None:
    """The date in the name of a partition or arrival; None where there is not exactly one."""
    told = days(name) or days(f"={name}")
    return f"{told.month}-{told.days[0]:02d}" if told and len(told.days) == 1 else None
