"""Suggest checks on dates and timestamps."""

import re
from datetime import date, datetime, timedelta
from typing import Any

from treaty.contracts.assertions import Assertion
from treaty.contracts.editing.check_entry import check
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import TEMPORAL
from treaty.engine.core import clock
from treaty.engine.core.partitions.months import date_of_name
from treaty.engine.profile.facts import is_valid_predicate
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile
from treaty.engine.suggestions.candidates import SuggestionCandidate, SuggestionMetric, compliance, of_column

# A day's partition may contain timestamps up to the end of that day in any time zone.
DAY_OF_A_PARTITION = timedelta(days=1, hours=14)
LEAST_PARTITIONS = 3
# The column of a partition named by an ISO 8601 date, which Spark reads as that day.
NAMED_BY_DAY = re.compile(r"(?:^|/)([^=/]+)=\d{4}-\d\d-\d\d(?:/|$)")


@of_column(over_time=True)
def not_in_future(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that no timestamp is in the future: in no daily partition was one after that day."""
    ahead = [value for value in _ahead(column, part) if value is not None]
    if column.column.base_type not in TEMPORAL or len(ahead) < LEAST_PARTITIONS or max(ahead) > 0:
        return None
    name = column.column.name
    words = f"{name} is never in the future"
    implementation = {"analyzer": "freshness", "column": name, "measured_in": "hours", "mustBeGreaterOrEqualTo": 0}
    return SuggestionCandidate(
        kind="not_in_future",
        sentence=words,
        expression=f"the newest {name} is not in the future",
        patch={"quality": check(f"{name}-not-in-future", words, "timeliness", implementation)},
        measure=SuggestionMetric(lambda sample: _ahead(column, sample)),
        assertion=Assertion("mustBeLessOrEqualTo", 0),
    )


@of_column(over_time=True)
def goes_on(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest a maximum age of the newest timestamp, from its past distance to partition days."""
    return _since(column, part)


@of_column(over_time=True)
def on_its_day(column: ColumnProfile, part: HistorySlice, _margin: float) -> SuggestionCandidate | None:
    """Suggest that timestamps fall on the day that names their partition."""
    flags = [value for value in _on_day(column, part) if value is not None]
    key, name = _named_by_day(part), column.column.name
    if key in (None, name) or len(flags) < LEAST_PARTITIONS or set(flags) != {1.0}:
        return None
    predicate = f"{quote(name)} IS NULL OR to_date({quote(name)}) = to_date({quote(str(key))})"
    if not is_valid_predicate(predicate):
        return None
    words = f"{name} is on the day of its partition"
    return SuggestionCandidate(
        kind="on_its_day",
        sentence=words,
        expression=predicate,
        patch={"quality": check(f"{name}-on-its-day", words, "consistency", compliance(predicate, at_least=1))},
        measure=SuggestionMetric(lambda sample: _on_day(column, sample)),
        assertion=Assertion("mustBeGreaterOrEqualTo", 1),
        severity="warning",
        limits=(1, None),
    )


def _named_by_day(part: HistorySlice) -> str | None:
    """Return the column whose days name all partitions; None if there is none."""
    matches = [NAMED_BY_DAY.search(name) for name in part.names]
    keys = {match[1] if match else None for match in matches}
    return keys.pop() if len(keys) == 1 else None


def _on_day(column: ColumnProfile, part: HistorySlice) -> list[float | None]:
    """Return 1 per partition whose first and last timestamp fall on its day, else 0.

    None if unknown."""
    if column.column.base_type not in TEMPORAL:
        return [None] * len(part)
    ends = zip(part.names, part.each(column, "minimum"), part.each(column, "maximum"), strict=True)
    return [_of_day(_day(name), first, last) for name, first, last in ends]


def _of_day(day: datetime | None, first: Any, last: Any) -> float | None:
    moments = (_moment(first), _moment(last))
    if day is None or None in moments:
        return None
    return float(all(each is not None and each.date() == day.date() for each in moments))


def _since(column: ColumnProfile, part: HistorySlice) -> SuggestionCandidate | None:
    behind = [value for value in _behind(column, part) if value is not None]
    if column.column.base_type not in TEMPORAL or len(behind) < LEAST_PARTITIONS or not _is_steady(behind):
        return None
    name, most = column.column.name, 24 * (2 * round(max(behind)) + 1)
    words = f"the newest {name} is at most {most} hours old"
    implementation = {"analyzer": "freshness", "column": name, "measured_in": "hours", "mustBeLessOrEqualTo": most}
    return SuggestionCandidate(
        kind="goes_on",
        sentence=words,
        expression=f"freshness of {name} is at most {most} hours",
        patch={"quality": check(f"{name}-freshness", words, "timeliness", implementation)},
        measure=SuggestionMetric(
            lambda sample: [None if days is None else 24 * days for days in _behind(column, sample)]
        ),
        assertion=Assertion("mustBeLessOrEqualTo", most),
        severity="warning",
        limits=(None, most),
    )


def _is_steady(behind: list[float]) -> bool:
    """Return True if the newest timestamp follows the partitions' days without falling behind."""
    return max(behind) <= 7 and max(behind) - min(behind) <= 3


def _ahead(column: ColumnProfile, part: HistorySlice) -> list[float | None]:
    """Return by how many hours the newest timestamp exceeds the partition's day; None for other partitions."""
    pairs = zip(part.names, part.each(column, "maximum"), strict=True)
    return [_hours(_day(name), value) for name, value in pairs]


def _hours(day: datetime | None, value: Any) -> float | None:
    newest = _moment(value)
    if day is None or newest is None:
        return None
    return (newest - day - DAY_OF_A_PARTITION) / timedelta(hours=1)


def _behind(column: ColumnProfile, part: HistorySlice) -> list[float | None]:
    """Return by how many days the newest timestamp precedes the end of the partition's day."""
    ahead = _ahead(column, part)
    return [None if hours is None else max(0.0, -hours / 24) for hours in ahead]


def _day(name: str) -> datetime | None:
    day = date_of_name(name)
    return clock.aware(date.fromisoformat(day)) if day else None


def _moment(value: Any) -> datetime | None:
    if isinstance(value, str):
        value = datetime.fromisoformat(value)
    return clock.aware(value) if isinstance(value, date) else None
