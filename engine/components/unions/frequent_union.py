"""Add up frequent-items sketches: the answers do not depend on the order of merging.

A sketch lists values with minimum counts and an error: how much higher a count may be, also that of an unlisted value.
A union adds up counts and errors. Beyond MOST_LISTED entries it discards those with a count below 2^t in their sketch
and adds to the error what they may amount to. t is the smallest exponent that is sufficient for the union, so the
result is the same however it was merged."""

import json
import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import ceil

MAGIC = b"FREQ"
# Values of a union, each counted once for every order of magnitude of its counts.
MOST_LISTED = 2**15
LEVELS = 64
# A sketch of m counters overestimates a count by at most 3.5 / m of all rows (Anderson et al. 2017).
ERROR_OF_SIZE = 3.5
_COUNT = struct.Struct("<q")


@dataclass(frozen=True, eq=False, kw_only=True)
class FrequentUnion:
    """Minimum counts of values from one or several sketches.

    `levels`: counts by value, by the binary logarithm of the count in its sketch. `threshold`: smallest level that is
    listed. `rows`: number of all values. `sketch_error`: sum of the sketches' errors. `discarded`: by threshold, the
    sum over the sketches of the largest count below it."""

    levels: Mapping[int, Mapping[str, int]]
    threshold: int
    rows: int
    sketch_error: int
    discarded: tuple[int, ...]

    @property
    def error(self) -> int:
        """Return how much higher a count may be, also that of an unlisted value; 0 if all values are listed."""
        return self.sketch_error + self.discarded[self.threshold]

    @cached_property
    def counts(self) -> dict[str, int]:
        """Return the minimum counts by value, sorted by count and value."""
        counts: dict[str, int] = {}
        for listed in self.levels.values():
            for value, count in listed.items():
                counts[value] = counts.get(value, 0) + count
        return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))

    def dump(self) -> bytes:
        """Serialize the union."""
        levels = {str(level): listed for level, listed in self.levels.items()}
        head = [self.threshold, self.rows, self.sketch_error, self.discarded]
        return MAGIC + zlib.compress(json.dumps([head, levels], sort_keys=True).encode(), 1)


def packed_sketch(sketch: bytes, rows: int) -> bytes:
    """Return the bytes of a sketch with the number of its values.

    A sketch that has discarded all values is written like one that never had any."""
    return _COUNT.pack(rows) + sketch


def union(states: Iterable[bytes | FrequentUnion]) -> FrequentUnion:
    """Return the union of at least one sketch or union."""
    parts = [each if isinstance(each, FrequentUnion) else load(each) for each in states]
    threshold = max(each.threshold for each in parts)
    levels: dict[int, dict[str, int]] = {}
    for part in parts:
        for level, listed in part.levels.items():
            if level >= threshold:
                _add(levels.setdefault(level, {}), listed)
    while sum(map(len, levels.values())) > MOST_LISTED:
        levels.pop(threshold, None)
        threshold += 1
    return FrequentUnion(
        levels=levels,
        threshold=threshold,
        rows=sum(each.rows for each in parts),
        sketch_error=sum(each.sketch_error for each in parts),
        discarded=tuple(map(sum, zip(*(each.discarded for each in parts), strict=True))),
    )


def of_counts(counts: Mapping[str, int], rows: int, error: int) -> FrequentUnion:
    """Return the union of one list of counts. `error`: maximum count of an unlisted value; 0 if all are listed."""
    levels = _by_level(counts)
    return FrequentUnion(levels=levels, threshold=0, rows=rows, sketch_error=error, discarded=_discarded(levels))


def _by_level(counts: Mapping[str, int]) -> dict[int, dict[str, int]]:
    levels: dict[int, dict[str, int]] = {}
    for value, count in counts.items():
        levels.setdefault(count.bit_length() - 1, {})[value] = count
    return levels


def _add(total: dict[str, int], listed: Mapping[str, int]) -> None:
    if not total:
        total.update(listed)
        return
    for value, count in listed.items():
        total[value] = total.get(value, 0) + count


def load(state: bytes) -> FrequentUnion:
    """Read a packed sketch or a serialized union."""
    if state[:4] != MAGIC:
        return _of_sketch(state)
    (threshold, rows, sketch_error, discarded), levels = json.loads(zlib.decompress(state[4:]))
    return FrequentUnion(
        levels={int(level): listed for level, listed in levels.items()},
        threshold=threshold,
        rows=rows,
        sketch_error=sketch_error,
        discarded=tuple(discarded),
    )


def _of_sketch(state: bytes) -> FrequentUnion:
    import datasketches

    rows, content = *_COUNT.unpack_from(state), state[_COUNT.size :]
    sketch = datasketches.frequent_strings_sketch.deserialize(content)
    listed = sketch.get_frequent_items(datasketches.frequent_items_error_type.NO_FALSE_NEGATIVES)
    levels = _by_level({value: count for value, _, count, _ in listed})
    known_error = int(sketch.get_upper_bound("") - sketch.get_lower_bound(""))
    return FrequentUnion(
        levels=levels,
        threshold=0,
        rows=rows,
        sketch_error=known_error + _error_of_lost(rows - int(sketch.total_weight), 1 << content[3]),
        discarded=_discarded(levels),
    )


def _error_of_lost(rows: int, counters: int) -> int:
    """Return the maximum count of a value in sketches that discarded all values."""
    return ceil(ERROR_OF_SIZE * rows / counters)


def _discarded(levels: Mapping[int, Mapping[str, int]]) -> tuple[int, ...]:
    """Return by threshold the largest count below it."""
    largest, below = 0, [0]
    for level in range(LEVELS - 1):
        largest = max(levels[level].values()) if level in levels else largest
        below.append(largest)
    return tuple(below)
