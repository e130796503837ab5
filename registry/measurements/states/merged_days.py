"""Days whose states were merged, when one of them changes or goes: what is left of the others has to be read again.

A merged state holds rows of all its days and gives none of them back. A day that arrives late is no such change: it
stands beside the merged ones."""

from collections.abc import Callable, Container, Mapping

from treaty.engine.core.partitions.months import members

NOTHING: frozenset[str] = frozenset()


def stored_keys(
    lacking: Callable[[Mapping[str, bytes]], Mapping[str, frozenset[str]]],
    known: Mapping[str, str],
    stored: Mapping[str, bytes],
) -> dict[str, frozenset[str]]:
    """Of the known partitions that lack states, the keys of those they have: none of days whose states are merged.

    `stored` are the packed states by the names that they are stored under."""
    there = {day for name in stored for day in members(name)}
    found = lacking({**dict.fromkeys(known.keys() - there, b""), **stored})
    by_day = {day: keys if day == name else NOTHING for name, keys in found.items() for day in members(name)}
    return {day: keys for day, keys in by_day.items() if day in known}


def unmerged_states(
    stored: Mapping[str, bytes], read: Container[str], there: Container[str] | None = None
) -> dict[str, bytes]:  # fmt: skip
    """The stored states without the merged ones of a day that was read anew, or that is not `there` any more."""
    return {name: packed for name, packed in stored.items() if not _is_broken(name, read, there)}


def lost(stored: Mapping[str, bytes], read: Container[str], there: Container[str]) -> frozenset[str]:
    """The days that are there, not read, and whose merged states are of no use any more: to be read, too."""
    broken = (name for name in stored if _is_broken(name, read, there))
    return frozenset(day for name in broken for day in members(name) if day in there and day not in read)


def merged(stored: Mapping[str, bytes]) -> frozenset[str]:
    """The days whose states are merged."""
    return frozenset(day for name in stored for day in members(name) if day != name)


def _is_broken(name: str, read: Container[str], there: Container[str] | None) -> bool:
    days = members(name)
    return days != (name,) and any(day in read or (there is not None and day not in there) for day in days)
