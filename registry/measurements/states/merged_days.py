"""Handle changed or deleted days whose states were merged: the other days must be read again.

A merged state cannot be split by day. A day that arrives late does not break it: it is stored separately."""

from collections.abc import Callable, Container, Mapping

from treaty.engine.core.partitions.months import members

NOTHING: frozenset[str] = frozenset()


def stored_keys(
    lacking: Callable[[Mapping[str, bytes]], Mapping[str, frozenset[str]]],
    fingerprints: Mapping[str, str],
    stored: Mapping[str, bytes],
) -> dict[str, frozenset[str]]:
    """Return the stored keys of each known partition that lacks states; none for merged days.

    `stored`: packed states by the name under which they are stored."""
    stored_days = {day for name in stored for day in members(name)}
    missing = lacking({**dict.fromkeys(fingerprints.keys() - stored_days, b""), **stored})
    by_day = {day: keys if day == name else NOTHING for name, keys in missing.items() for day in members(name)}
    return {day: keys for day, keys in by_day.items() if day in fingerprints}


def unmerged_states(
    stored: Mapping[str, bytes], read: Container[str], there: Container[str] | None = None
) -> dict[str, bytes]:  # fmt: skip
    """Return the stored states that remain valid.

    Merged states are omitted if one of their days was read again or no longer exists. `there`: existing partitions;
    None means all exist."""
    return {name: packed for name, packed in stored.items() if not _is_broken(name, read, there)}


def lost(stored: Mapping[str, bytes], read: Container[str], there: Container[str]) -> frozenset[str]:
    """Return existing days to read as well because their merged states are no longer valid."""
    broken = (name for name in stored if _is_broken(name, read, there))
    return frozenset(day for name in broken for day in members(name) if day in there and day not in read)


def merged(stored: Mapping[str, bytes]) -> frozenset[str]:
    """Return the days whose states are merged."""
    return frozenset(day for name in stored for day in members(name) if day != name)


def _is_broken(name: str, read: Container[str], there: Container[str] | None) -> bool:
    days = members(name)
    return days != (name,) and any(day in read or (there is not None and day not in there) for day in days)
