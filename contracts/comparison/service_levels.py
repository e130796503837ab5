"""Compare the service levels of two documents.

For each property, either a smaller or a larger value is the tighter guarantee."""

import re
from collections.abc import Hashable, Iterator, Mapping
from datetime import datetime
from typing import Any

from treaty.contracts.comparison.differences import Difference, DifferenceLocation, DifferenceSection, other_words
from treaty.contracts.comparison.directions import Direction, inclusion, of_presence
from treaty.contracts.comparison.matching import match_elements
from treaty.contracts.document import durations
from treaty.contracts.document.columns import members
from treaty.contracts.document.model import Contract

# The standard's properties in lower case with their two-letter forms, and `freshness`, which tools use for latency.
LESS_IS_MORE = frozenset({
    "freshness", "latency", "ly", "errorrate", "er", "frequency", "fy", "timetodetect", "td", "timetonotify", "tn",
    "timetorepair", "tr",
})  # fmt: skip
MORE_IS_MORE = frozenset({
    "availability", "av", "throughput", "th", "retention", "re", "endofsupport", "es", "endoflife", "el",
})  # fmt: skip
WORDS = frozenset({"id", "property", "value", "valueExt", "unit", "element"})
Level = tuple[str, Mapping[str, Any]]


def service_levels(old: Contract, new: Contract) -> Iterator[Difference]:
    """Yield the differences of slaProperties, matched by id, then by property and element."""
    for was, now in match_elements(_levels(old), _levels(new), _id, _subject, _property):
        path, content = now or was or ("", {})
        name = str(content.get("property"))
        place = DifferenceLocation(section=DifferenceSection.GUARANTEES, path=path)
        before, after = (each and _level_text(each[1]) for each in (was, now))
        if before != after:
            sentence = f"service level {name} changed from {before or 'none'} to {after or 'none'}"
            yield place.difference(f"service level {name}", before, after, _direction(was, now), sentence)
        if was and now:
            yield from other_words(place, was[1], now[1], WORDS)


def _levels(contract: Contract) -> list[Level]:
    return list(members(contract.document, "slaProperties"))


def _id(level: Level) -> Hashable:
    return level[1].get("id") or None


def _property(level: Level) -> str:
    return str(level[1].get("property")).lower()


def _subject(level: Level) -> Hashable:
    return _property(level), level[1].get("element")


def _level_text(content: Mapping[str, Any]) -> str:
    words = (content.get("value"), content.get("valueExt"), content.get("unit"))
    of = content.get("element")
    return " ".join(str(each) for each in words if each is not None) + (f" of {of}" if of else "")


def _direction(old: Level | None, new: Level | None) -> Direction:
    if old is None or new is None:
        return of_presence(old, new)
    same = all(old[1].get(word) == new[1].get(word) for word in ("element", "valueExt"))
    before, after = _amount(old[1]), _amount(new[1])
    if not same or _property(old) != _property(new) or before is None or after is None or before[0] != after[0]:
        return Direction.UNDETERMINED
    return _compared(_property(new), before[1], after[1])


def _compared(name: str, old: Any, new: Any) -> Direction:
    if name in LESS_IS_MORE:
        return inclusion(new_within_old=new <= old, old_within_new=old <= new)
    if name in MORE_IS_MORE:
        return inclusion(new_within_old=new >= old, old_within_new=old >= new)
    return Direction.UNTESTED if old == new else Direction.UNDETERMINED


def _amount(content: Mapping[str, Any]) -> tuple[str, Any] | None:
    """Return the value with its unit, durations in seconds; None if it is neither a number nor a date."""
    unit, number = durations.unit(content), durations.number(content)
    if number is None:
        return _moment(str(content.get("value")).strip())
    if not number.is_finite():
        return None
    return ("s", number * durations.SECONDS[unit]) if unit in durations.SECONDS else (unit, number)


def _moment(text: str) -> tuple[str, Any] | None:
    try:
        moment = datetime.fromisoformat(re.sub("Z$", "+00:00", text))
    except ValueError:
        return None
    return ("moment" if moment.tzinfo else "local moment"), moment
