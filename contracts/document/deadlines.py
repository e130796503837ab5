"""When data must come, told by the clock alone: by a time of day, or at least so often.

A contract says it in the standard's service levels (timeOfAvailability, frequency, freshness, latency), or, where a
time zone and days of the week matter, in Treaty's own term `deadlines`."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Protocol
from zoneinfo import ZoneInfo, available_timezones

from treaty.contracts.document import durations
from treaty.contracts.document.columns import members
from treaty.contracts.document.model import Contract, DataObject, Deadline, Severity
from treaty.contracts.document.yaml_syntax import join
from treaty.contracts.errors import Fault, Faults, suggest_nearest

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SPOKEN = {"daily": DAYS, "weekdays": DAYS[:5]}
TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?")
AT = "timeofavailability"
EVERY = ("frequency", "freshness", "latency")
LONGEST = timedelta(days=3660)
ONE_DAY = timedelta(days=1)


class ArrivalSchedule(Protocol):
    """When data are due."""

    def following(self, moment: datetime, arrived: datetime | None) -> datetime:
        """The first time after `moment` by which data must have come, where they came last at `arrived`."""

    def begins(self, due: datetime) -> datetime:
        """Since when data must have come to be in time for `due`."""

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime | None:
        """What is to be judged now that `due` has passed: of several that passed meanwhile the last. None: data came,
        and it is not so late yet."""

    @property
    def goes_on(self) -> bool:
        """Whether there is a next time though data have not come."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class TimeOfDay:
    """By a time of day in a zone, on some days of the week. Of a time that clocks show twice it is the later one, and
    of one that they leave out what they show instead."""

    by: time
    zone: tzinfo
    days: tuple[str, ...] = DAYS

    def following(self, moment: datetime, arrived: datetime | None = None) -> datetime:
        """The first of its times after `moment`."""
        return next(each for each in self._from(moment.astimezone(self.zone).date() - ONE_DAY, 1) if each > moment)

    def begins(self, due: datetime) -> datetime:
        """The last of its times before `due`."""
        return next(each for each in self._from(due.astimezone(self.zone).date() + ONE_DAY, -1) if each < due)

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime:
        """The last of its times up to now."""
        return self.begins(self.following(now))

    @property
    def goes_on(self) -> bool:
        """Each day is a promise of its own."""
        return True

    def __str__(self) -> str:
        on = {days: word for word, days in SPOKEN.items()}.get(self.days) or ", ".join(self.days)
        return f"by {self.by:%H:%M} {_zone(self.zone)}" + (f" on {on}" if on != "daily" else " each day")

    def _from(self, day: date, step: int) -> Iterator[datetime]:
        while True:
            if DAYS[day.weekday()] in self.days:
                yield self._on(day)
            day += step * ONE_DAY

    def _on(self, day: date) -> datetime:
        read = (datetime.combine(day, self.by.replace(fold=fold), self.zone) for fold in (0, 1))
        return max(each.astimezone(UTC) for each in read)


@dataclass(frozen=True)
class AtLeastEvery:
    """So much time may pass until data come again."""

    span: timedelta

    def following(self, moment: datetime, arrived: datetime | None) -> datetime:
        """So long after data came last; where they never did, after `moment`."""
        return (arrived or moment) + self.span

    def begins(self, due: datetime) -> datetime:
        """So long before."""
        return due - self.span

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime | None:
        """So long after data came last, where that is over; they may have come since it was told to be `due`."""
        last = arrived + self.span if arrived else due
        return last if last <= now else None

    @property
    def goes_on(self) -> bool:
        """One silence is told once."""
        return False

    def __str__(self) -> str:
        return f"at least every {duration_text(self.span)}"


@dataclass(frozen=True)
class ParsedDeadline:
    """A promise of when data of an object come. `name` tells it from the others of the object."""

    object: str
    name: str
    rhythm: ArrivalSchedule
    severity: Severity = "error"

    @property
    def sentence(self) -> str:
        """The promise in words."""
        return f"data of {self.object} must come {self.rhythm}"


@dataclass(frozen=True)
class ParsedDeadlines:
    """All that a contract promises of when data come, and why some of it cannot be watched."""

    watched: tuple[ParsedDeadline, ...] = ()
    faults: tuple[Fault, ...] = ()

    def of(self, object_name: str, name: str) -> ParsedDeadline | None:
        """The object's promise of that name; None where there is none."""
        return next((each for each in self.watched if (each.object, each.name) == (object_name, name)), None)


def promises(contract: Contract) -> ParsedDeadlines:
    """What the contract promises of when data come, its own terms first; of two of one name the first. A service level
    whose words mean nothing by the clock is a fault, and keeps no other from being watched."""
    levels = _Levels(contract)
    found = [*map(_of_term, contract.terms.deadlines), *levels.read()]
    unique = {(each.object, each.name): each for each in reversed(found)}
    return ParsedDeadlines(tuple(reversed(unique.values())), tuple(levels.faults.items))


def inspect_deadlines(named: Sequence[Deadline], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Keeps a fault for objects that the contract does not have, times, zones and days that there are not, and for two
    deadlines of one name."""
    taken: set[tuple[str, str]] = set()
    for index, each in enumerate(named):
        where = join(path, index)
        _inspect_words(each, objects, where, faults)
        if (each.object, _name(each)) in taken:
            message = "has the name of another one of the object"
            faults.add("terms-deadline", where, message, "give it an `id` of its own")
        taken.add((each.object, _name(each)))


def duration_text(span: timedelta) -> str:
    """The time in its two largest units, as "1 h 12 min"; "0 min" for less than one."""
    minutes = int(span.total_seconds()) // 60
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2]) or "0 min"


def _inspect_words(deadline: Deadline, objects: Sequence[DataObject], where: str, faults: Faults) -> None:
    known = [each.name for each in objects]
    if deadline.object not in known:
        message = "names an object that the contract does not have"
        faults.add("terms-object", join(where, "object"), message, suggest_nearest(deadline.object, known))
    if not TIME.fullmatch(deadline.by):
        faults.add("terms-deadline", join(where, "by"), "is no time of day", "write it as 07:30")
    if deadline.zone not in available_timezones():
        remedy = suggest_nearest(deadline.zone, sorted(available_timezones())) or "write it as Europe/Warsaw, or UTC"
        faults.add("terms-deadline", join(where, "zone"), "is no time zone", remedy)
    if not deadline.days:
        faults.add("terms-deadline", join(where, "days"), "names no day", "leave it out for every day")


def _of_term(deadline: Deadline) -> ParsedDeadline:
    days = SPOKEN[deadline.days] if isinstance(deadline.days, str) else deadline.days
    ordered = tuple(each for each in DAYS if each in days)
    rhythm = TimeOfDay(time.fromisoformat(deadline.by), ZoneInfo(deadline.zone), ordered)
    return ParsedDeadline(deadline.object, _name(deadline), rhythm, deadline.severity)


def _name(deadline: Deadline) -> str:
    return deadline.id or f"by {deadline.by} {deadline.zone}"


def _zone(zone: tzinfo) -> str:
    return str(zone)


class _UnsupportedLevel(Exception):
    """Why a service level cannot be watched."""


@dataclass
class _Levels:
    """The standard's service levels of a contract, read one by one."""

    contract: Contract
    faults: Faults = field(default_factory=Faults)

    def read(self) -> Iterator[ParsedDeadline]:
        for path, content in members(self.contract.document, "slaProperties"):
            word = _word(content)
            if word == AT or word in EVERY:
                try:
                    yield from list(self._promised(word, content))
                except _UnsupportedLevel as error:
                    self.faults.add("service-level", path, str(error), "the clock does not watch it")

    def _promised(self, word: str, content: Mapping[str, Any]) -> Iterator[ParsedDeadline]:
        name = str(content.get("id") or content.get("property"))
        for described in self._objects(content):
            yield ParsedDeadline(
                described, name, _time(content) if word == AT else self._every(word, content, described)
            )

    def _objects(self, content: Mapping[str, Any]) -> Iterable[str]:
        known = [each.name for each in self.contract.objects]
        element = content.get("element")
        if element is None:
            return known
        named = dict.fromkeys(each.strip().split(".")[0] for each in str(element).split(","))
        if unknown := [each for each in named if each not in known]:
            raise _UnsupportedLevel(f"is of {unknown[0]}, which is no object of the contract")
        return named

    def _every(self, word: str, content: Mapping[str, Any], of: str) -> AtLeastEvery:
        """How old data may be. What comes once a day and four hours late is up to 28 hours old."""
        span = _span(content)
        if word == "latency":
            others = [each for _, each in members(self.contract.document, "slaProperties") if _word(each) == EVERY[0]]
            span += next((_span(each) for each in others if of in self._objects(each)), timedelta(0))
        return AtLeastEvery(span)


def _word(content: Mapping[str, Any]) -> str:
    return str(content.get("property")).replace("_", "").lower()


def _time(content: Mapping[str, Any]) -> TimeOfDay:
    try:
        by = time.fromisoformat(str(content.get("value")).strip())
    except ValueError:
        raise _UnsupportedLevel("has no time of day as its value, as 09:00+01:00") from None
    return TimeOfDay(by.replace(tzinfo=None), by.tzinfo or UTC)


def _span(content: Mapping[str, Any]) -> timedelta:
    unit, number = durations.unit(content), durations.number(content)
    if unit not in durations.SECONDS:
        raise _UnsupportedLevel("has no unit that the clock knows: write d, h or m")
    if number is None or number.is_snan():
        raise _UnsupportedLevel("has no number as its value")
    seconds = number * durations.SECONDS[unit]
    if not seconds.is_finite() or not 0 < seconds <= LONGEST.total_seconds():
        raise _UnsupportedLevel("has no time as its value that anybody could wait for")
    return timedelta(seconds=float(seconds))
