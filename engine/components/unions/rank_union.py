"""Unite KLL sketches: the answers do not depend on the order of merging.

A KLL sketch retains values with weights that are powers of two. Merging two sketches discards values by random bits,
so here a union retains the values of all its sketches. Beyond MOST_VALUES it samples: each value of weight w is
retained with probability min(1, w / 2^t) and then has weight max(w, 2^t) (threshold sampling, `Duffield`, `Lund` and
`Thorup` 2007). Whether a value is retained follows from the bytes of its sketch, and t is the smallest exponent that is
sufficient for the union. The sample of a union is therefore the same however it was merged."""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

MAGIC = b"RANK"
# Size parameter of a union without an error.
LARGEST_K = 2**15
# Distinct entries of a union. Sampling then adds a rank error of at most about 0.4 % (99 % of the time).
MOST_VALUES = 2**17
# Bytes of sketches and unions that are collected before they are added up: about a thousand sketches.
MOST_COLLECTED = 2**23
_HEAD = struct.Struct("<4sBHqqddq")
_COLUMNS = (("values", "<f8"), ("levels", "u1"), ("survivals", "u1"), ("copies", "<i8"))
_ENTRY = 18

_PREAMBLE = struct.Struct("<BBBBH")
_REST = struct.Struct("<qHB")
_KLL, _EMPTY, _SINGLE = 15, 1, 4
_SHORT, _FULL = 8, 20
# Stafford's 13th mixer of 64 bits.
_MIXERS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
_GOLDEN = 0x9E3779B97F4A7C15


@dataclass(frozen=True, eq=False, kw_only=True)
class RankEntries:
    """Weighted values of one or several sketches.

    `values`: the values. `levels`: binary logarithms of their weights. `survivals`: largest threshold with which each
    is retained. `copies`: number of equal entries. `threshold`: binary logarithm of the smallest weight. `rows`: number
    of values. `estimated`: number of those in sketches that discarded values. `low`, `high`: extremes. `k`: smallest
    size parameter of the sketches."""

    values: Any
    levels: Any
    survivals: Any
    copies: Any
    threshold: int
    rows: int
    estimated: int
    low: float
    high: float
    k: int


@dataclass(frozen=True, eq=False)
class RankUnion:
    """The values of one or several sketches; they are added up once, when they are needed."""

    parts: tuple[bytes | RankEntries, ...]

    @cached_property
    def entries(self) -> RankEntries:
        """Return all values: sorted, each kind of entry once, sampled if there are too many.

        Raises ValueError for bytes that are no KLL sketch of doubles."""
        sketches = [each for each in self.parts if isinstance(each, bytes)]
        added = [each for each in self.parts if isinstance(each, RankEntries)]
        return _added_up([*added, *([sketch_entries(sketches)] if sketches else [])])

    @property
    def collected(self) -> int:
        """Return the number of bytes of the parts."""
        return sum(len(each) if isinstance(each, bytes) else _ENTRY * len(each.values) for each in self.parts)

    def dump(self) -> bytes:
        """Serialize the union."""
        union = self.entries
        head = _HEAD.pack(
            MAGIC, union.threshold, union.k, union.rows, union.estimated, union.low, union.high, len(union.values)
        )
        columns = b"".join(getattr(union, name).tobytes() for name, _ in _COLUMNS)
        return head + zlib.compress(columns, 1)


def union(states: Iterable[bytes | RankUnion]) -> RankUnion:
    """Return the union of sketches, serialized unions and unions; at least one."""
    parts = tuple(part for state in states for part in _parts(state))
    both = RankUnion(parts)
    return RankUnion((both.entries,)) if both.collected > MOST_COLLECTED else both


def of_running_counts(values: Sequence[float], running: Sequence[int]) -> RankUnion:
    """Return a union without an error.

    `values`: ascending, at least one. `running`: number of values up to each."""
    import numpy

    copies, levels = numpy.diff(numpy.array(running, dtype="i8"), prepend=0), numpy.zeros(len(values), dtype="u1")
    entries = RankEntries(
        values=numpy.array(values) + 0.0, levels=levels, survivals=levels, copies=copies, threshold=0,
        rows=int(running[-1]), estimated=0, low=values[0] + 0.0, high=values[-1] + 0.0, k=LARGEST_K,
    )  # fmt: skip
    return RankUnion((entries,))


def _parts(state: bytes | RankUnion) -> tuple[bytes | RankEntries, ...]:
    if isinstance(state, RankUnion):
        return state.parts
    return (_loaded(state),) if state[:4] == MAGIC else (state,)


def _loaded(state: bytes) -> RankEntries:
    import numpy

    _, threshold, k, rows, estimated, low, high, count = _HEAD.unpack_from(state)
    content, start, columns = zlib.decompress(state[_HEAD.size :]), 0, {}
    for name, kind in _COLUMNS:
        columns[name] = numpy.frombuffer(content, kind, count, start)
        start += columns[name].nbytes
    return RankEntries(**columns, threshold=threshold, rows=rows, estimated=estimated, low=low, high=high, k=k)


def _added_up(parts: Sequence[RankEntries]) -> RankEntries:
    filled = [each for each in parts if each.rows] or parts[:1]
    both = RankEntries(
        **_added(filled, max(each.threshold for each in filled)),
        threshold=max(each.threshold for each in filled),
        rows=sum(each.rows for each in filled),
        estimated=sum(each.estimated for each in filled),
        low=min(each.low for each in filled),
        high=max(each.high for each in filled),
        k=min(each.k for each in filled),
    )
    while len(both.values) > MOST_VALUES:
        both = replace(both, **_added([both], both.threshold + 1), threshold=both.threshold + 1)
    return both


def _added(parts: Sequence[RankEntries], threshold: int) -> dict[str, Any]:
    """Return the sorted retained entries of all parts; copies are added up."""
    import numpy

    retained = [part.survivals >= threshold for part in parts]
    values, levels, survivals, copies = (
        numpy.concatenate([getattr(part, name)[mask] for part, mask in zip(parts, retained, strict=True)])
        for name, _ in _COLUMNS
    )
    levels = numpy.maximum(levels, threshold).astype("u1")
    starts, order = _groups(values, (levels.astype("i8") << 8) | survivals)
    first = order[starts]
    sums = numpy.add.reduceat(copies[order], starts) if len(starts) else copies
    return {"values": values[first], "levels": levels[first], "survivals": survivals[first], "copies": sums}


def _groups(values: Any, kinds: Any) -> tuple[Any, Any]:
    """Return the starts of groups of equal entries, and the order that sorts them."""
    import numpy

    by_value = numpy.argsort(values)
    ordered = values[by_value]
    places = numpy.cumsum(numpy.concatenate([ordered[:1] != ordered[:1], ordered[1:] != ordered[:-1]]))
    keys = (places << 16) | kinds[by_value]
    by_key = numpy.argsort(keys)
    keys = keys[by_key]
    return numpy.flatnonzero(numpy.diff(keys, prepend=keys[:1] - 1)), by_value[by_key]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Sketch:
    values: Any
    sizes: Sequence[int]
    rows: int
    ends: tuple[float, float]
    k: int


def sketch_entries(states: Sequence[bytes]) -> RankEntries:
    """Return the entries of sketches, unsorted. Raises ValueError for bytes that are no KLL sketch of doubles."""
    import numpy

    try:
        sketches = [_read(state) for state in states]
    except (struct.error, IndexError) as error:
        raise ValueError("the bytes are no KLL sketch of doubles") from error
    filled = [each for each in sketches if each.rows]
    sizes = [len(each.values) for each in sketches]
    by_sketch = numpy.concatenate([numpy.arange(len(each.sizes), dtype="u1") for each in sketches])
    levels = numpy.repeat(by_sketch, [size for each in sketches for size in each.sizes])
    return RankEntries(
        # Adding 0.0 makes -0.0 equal to 0.0 also by its bits.
        values=numpy.concatenate([each.values for each in sketches]) + 0.0,
        levels=levels,
        survivals=levels + _trailing_zeros(states, sizes),
        copies=numpy.ones(len(levels), dtype="i8"),
        threshold=0,
        rows=sum(each.rows for each in sketches),
        estimated=sum(each.rows for each in sketches if len(each.sizes) > 1),
        low=min((each.ends[0] for each in filled), default=0.0) + 0.0,
        high=max((each.ends[1] for each in filled), default=0.0) + 0.0,
        k=min(each.k for each in filled or sketches),
    )


def _read(state: bytes) -> _Sketch:
    import numpy

    _, _, family, flags, k = _PREAMBLE.unpack_from(state)
    if family != _KLL:
        raise ValueError("the bytes are no KLL sketch of doubles")
    if flags & _EMPTY:
        return _Sketch(values=numpy.empty(0), sizes=(0,), rows=0, ends=(0.0, 0.0), k=k)
    if flags & _SINGLE:
        value = struct.unpack_from("<d", state, _SHORT)[0]
        return _Sketch(values=numpy.array([value]), sizes=(1,), rows=1, ends=(value, value), k=k)
    rows, least_k, count = _REST.unpack_from(state, _SHORT)
    starts = struct.unpack_from(f"<{count}I", state, _FULL)
    low, high = struct.unpack_from("<dd", state, _FULL + 4 * count)
    values = numpy.frombuffer(state, "<f8", -1, _FULL + 4 * count + 16)
    ends = (*starts[1:], starts[0] + len(values))
    sizes = [end - start for start, end in zip(starts, ends, strict=True)]
    return _Sketch(values=values, sizes=sizes, rows=rows, ends=(low, high), k=least_k)


def _trailing_zeros(states: Sequence[bytes], sizes: Sequence[int]) -> Any:
    """Return for each value the trailing zeros of a hash of its sketch and position: j or more in 1 of 2^j."""
    import numpy

    seeds = [int.from_bytes(hashlib.blake2b(state, digest_size=8).digest(), "little") for state in states]
    firsts = numpy.cumsum([0, *sizes[:-1]])
    positions = numpy.arange(sum(sizes)) - numpy.repeat(firsts, sizes)
    mixed = (positions.astype("u8") + numpy.uint64(1)) * numpy.uint64(_GOLDEN)
    mixed += numpy.repeat(numpy.array(seeds, dtype="u8"), sizes)
    for shift, factor in _MIXERS:
        mixed = (mixed ^ (mixed >> numpy.uint64(shift))) * numpy.uint64(factor)
    return numpy.bitwise_count((mixed & (~mixed + numpy.uint64(1))) - numpy.uint64(1)).astype("u1")
