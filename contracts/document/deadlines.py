"""Deadlines for the arrival of data: by a time of day, or at least every so often.

A contract declares them as service levels of the standard (timeOfAvailability, frequency, freshness, latency) or, if a
time zone or days of the week matter, in Treaty's own term `deadlines`."""

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
    """A schedule of due times."""

    def following(self, moment: datetime, arrived: datetime | None) -> datetime:
        """Return the first due time after `moment`. `arrived`: time of the last arrival; None means never."""

    def begins(self, due: datetime) -> datetime:
        """Return the time from which an arrival counts for `due`."""

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime | None:
        """Return the due time to validate now that `due` has passed.

        If several due times have passed, it is the last one. None if data has arrived and the next due time is still
        ahead."""

    @property
    def goes_on(self) -> bool:
        """Return whether another due time follows while data is still missing."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class TimeOfDay:
    """A due time of day in a time zone, on selected days of the week.

    If clocks show the time twice, the later one counts; if they skip it, the time that they show instead."""

    by: time
    zone: tzinfo
    days: tuple[str, ...] = DAYS

    def following(self, moment: datetime, arrived: datetime | None = None) -> datetime:
        """Return the first due time after `moment`."""
        return next(each for each in self._from(moment.astimezone(self.zone).date() - ONE_DAY, 1) if each > moment)

    def begins(self, due: datetime) -> datetime:
        """Return the last due time before `due`."""
        return next(each for each in self._from(due.astimezone(self.zone).date() + ONE_DAY, -1) if each < due)

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime:
        """Return the last due time up to now."""
        return self.begins(self.following(now))

    @property
    def goes_on(self) -> bool:
        """Return True: each day has its own deadline."""
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
    """A maximum time between arrivals."""

    span: timedelta

    def following(self, moment: datetime, arrived: datetime | None) -> datetime:
        """Return the time one span after the last arrival; without an arrival, after `moment`."""
        return (arrived or moment) + self.span

    def begins(self, due: datetime) -> datetime:
        """Return the time one span before `due`."""
        return due - self.span

    def passed(self, now: datetime, arrived: datetime | None, due: datetime) -> datetime | None:
        """Return the time one span after the last arrival if it has passed; None otherwise.

        Data may have arrived since `due` was computed; without any arrival, `due` itself counts."""
        last = arrived + self.span if arrived else due
        return last if last <= now else None

    @property
    def goes_on(self) -> bool:
        """Return False: each gap is reported once."""
        return False

    def __str__(self) -> str:
        return f"at least every {duration_text(self.span)}"


@dataclass(frozen=True)
class ParsedDeadline:
    """A deadline for the arrival of an object's data. `name` is unique within the object."""

    object: str
    name: str
    rhythm: ArrivalSchedule
    severity: Severity = "error"

    @property
    def sentence(self) -> str:
        """Return the deadline as a sentence."""
        return f"data of {self.object} must arrive {self.rhythm}"


@dataclass(frozen=True)
class ParsedDeadlines:
    """All deadlines of a contract, and the faults of those that cannot be monitored."""

    watched: tuple[ParsedDeadline, ...] = ()
    faults: tuple[Fault, ...] = ()

    def of(self, object_name: str, name: str) -> ParsedDeadline | None:
        """Return the object's deadline with this name; None if there is none."""
        return next((each for each in self.watched if (each.object, each.name) == (object_name, name)), None)


def promises(contract: Contract) -> ParsedDeadlines:
    """Return the deadlines of the contract: its own terms first, then its service levels.

    If two of an object have the same name, the first one counts. A service level that cannot be monitored becomes a
    fault and does not affect the others."""
    levels = _Levels(contract)
    deadlines = [*map(_of_term, contract.terms.deadlines), *levels.read()]
    unique = {(each.object, each.name): each for each in reversed(deadlines)}
    return ParsedDeadlines(tuple(reversed(unique.values())), tuple(levels.faults.items))


def inspect_deadlines(named: Sequence[Deadline], objects: Sequence[DataObject], path: str, faults: Faults) -> None:
    """Add a fault for each invalid deadline.

    Invalid are unknown objects, times, time zones and days, and a second deadline of an object with the same name."""
    used_names: set[tuple[str, str]] = set()
    for index, each in enumerate(named):
        location = join(path, index)
        _inspect_words(each, objects, location, faults)
        if (each.object, _name(each)) in used_names:
            message = "has the same name as another deadline of the object"
            faults.add("terms-deadline", location, message, "set a unique `id`")
        used_names.add((each.object, _name(each)))


def duration_text(span: timedelta) -> str:
    """Format a duration in its two largest units, as "1 h 12 min"; "0 min" for less than one."""
    minutes = int(span.total_seconds()) // 60
    parts = ((minutes // 1440, "d"), (minutes // 60 % 24, "h"), (minutes % 60, "min"))
    return " ".join([f"{count} {unit}" for count, unit in parts if count][:2]) or "0 min"


def _inspect_words(deadline: Deadline, objects: Sequence[DataObject], where: str, faults: Faults) -> None:
    object_names = [each.name for each in objects]
    if deadline.object not in object_names:
        message = "refers to an object that the contract does not define"
        faults.add("terms-object", join(where, "object"), message, suggest_nearest(deadline.object, object_names))
    if not TIME.fullmatch(deadline.by):
        faults.add("terms-deadline", join(where, "by"), "is not a time of day", "use the form 07:30")
    if deadline.zone not in available_timezones():
        remedy = (
            suggest_nearest(deadline.zone, sorted(available_timezones())) or "use a name such as Europe/Warsaw or UTC"
        )
        faults.add("terms-deadline", join(where, "zone"), "is not a known time zone", remedy)
    if not deadline.days:
        faults.add("terms-deadline", join(where, "days"), "is empty", "omit it to include every day")


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
    """A service level that cannot be monitored; the text is the reason."""


@dataclass
class _Levels:
    """Read the standard's service levels of a contract one by one."""

    contract: Contract
    faults: Faults = field(default_factory=Faults)

    def read(self) -> Iterator[ParsedDeadline]:
        for path, content in members(self.contract.document, "slaProperties"):
            word = _word(content)
            if word == AT or word in EVERY:
                try:
                    yield from list(self._promised(word, content))
                except _UnsupportedLevel as error:
                    self.faults.add("service-level", path, str(error), "it is not monitored")

    def _promised(self, word: str, content: Mapping[str, Any]) -> Iterator[ParsedDeadline]:
        name = str(content.get("id") or content.get("property"))
        for described in self._objects(content):
            yield ParsedDeadline(
                described, name, _time(content) if word == AT else self._every(word, content, described)
            )

    def _objects(self, content: Mapping[str, Any]) -> Iterable[str]:
        object_names = [each.name for each in self.contract.objects]
        element = content.get("element")
        if element is None:
            return object_names
        names = dict.fromkeys(each.strip().split(".")[0] for each in str(element).split(","))
        if unknown := [each for each in names if each not in object_names]:
            raise _UnsupportedLevel(f"applies to {unknown[0]}, which is not an object of the contract")
        return names

    def _every(self, word: str, content: Mapping[str, Any], of: str) -> AtLeastEvery:
        """Return the maximum age of the data: daily data that is four hours late is up to 28 hours old."""
        span = _span(content)
        if word == "latency":
            frequencies = [
                each for _, each in members(self.contract.document, "slaProperties") if _word(each) == EVERY[0]
            ]
            span += next((_span(each) for each in frequencies if of in self._objects(each)), timedelta(0))
        return AtLeastEvery(span)


def _word(content: Mapping[str, Any]) -> str:
    return str(content.get("property")).replace("_", "").lower()


def _time(content: Mapping[str, Any]) -> TimeOfDay:
    try:
        by = time.fromisoformat(str(content.get("value")).strip())
    except ValueError:
        raise _UnsupportedLevel("has a value that is not a time of day, such as 09:00+01:00") from None
    return TimeOfDay(by.replace(tzinfo=None), by.tzinfo or UTC)


def _span(content: Mapping[str, Any]) -> timedelta:
    unit, number = durations.unit(content), durations.number(content)
    if unit not in durations.SECONDS:
        raise _UnsupportedLevel("has an unsupported unit: use d, h or m")
    if number is None or number.is_snan():
        raise _UnsupportedLevel("has a value that is not a number")
    seconds = number * durations.SECONDS[unit]
    if not seconds.is_finite() or not 0 < seconds <= LONGEST.total_seconds():
        raise _UnsupportedLevel(f"has a value that is not positive or exceeds {LONGEST.days:,} days")
    return timedelta(seconds=float(seconds))
