"""Frequencies of values or combinations of values, as Arrow tables: the only state that can become large."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import fsum, log
from typing import Any

from treaty.engine.components.base import Component, Retention
from treaty.engine.components.dictionary_encoding import (
    concatenated,
    encode_texts,
    ordered,
    plain,
    row_numbers,
    sort_codes,
    starts_of,
)
from treaty.engine.components.operands import Operand


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Distinct combinations with their counts, in one or several pieces.

    The count of a combination is the sum over the pieces that contain it. Texts are dictionary codes. Merging only
    collects the pieces; they are added up once, when the counts are needed, on integer codes, so each text is
    processed once however many combinations contain it."""

    pieces: tuple[Any, ...]

    @cached_property
    def coded(self) -> Any:
        """Return one Arrow table with each combination once: keys k0, k1, ... and int64 `n`, unordered."""
        if len(self.pieces) == 1:
            return self.pieces[0]
        both, rows, sums = self._summed
        return both.drop_columns(["n"]).take(rows).append_column("n", sums)

    @property
    def counts(self) -> Any:
        """Return the count of each combination as an Arrow array, in the order of `coded`."""
        return self.pieces[0]["n"] if len(self.pieces) == 1 else self._summed[2]

    @cached_property
    def table(self) -> Any:
        """Return the table of `coded` with plain texts."""
        return plain(self.coded)

    @property
    def rows(self) -> int:
        """Return the number of rows in all combinations."""
        from pyarrow import compute

        return sum(int(compute.sum(piece["n"]).as_py() or 0) for piece in self.pieces)

    @cached_property
    def times(self) -> Mapping[int, int]:
        """Return the number of combinations by count."""
        return _times(self.counts)

    def complete(self) -> "FrequencyTable | None":
        """Return the combinations without a null key; None if there are none."""
        whole = _with_keys(self.coded, "and_kleene")
        return FrequencyTable((whole,)) if whole.num_rows else None

    @cached_property
    def _summed(self) -> tuple[Any, Any, Any]:
        """Return all pieces as one table, one row position per combination, and the summed counts."""
        import numpy
        import pyarrow

        both = sort_codes(concatenated(self.pieces))
        numbers = row_numbers(both.drop_columns(["n"]))
        # Stored pieces are sorted, so this merges them much faster than hashing would.
        order = numbers.argsort(kind="stable")
        sorted_numbers = numbers[order]
        starts = starts_of(sorted_numbers)
        sums = numpy.add.reduceat(both["n"].to_numpy()[order], starts) if len(starts) else sorted_numbers
        return both, order[starts], pyarrow.array(sums)


@dataclass(frozen=True)
class FrequencySpectrum:
    """Number of combinations by count: a substitute for frequencies too large for this process.

    `times`: of all combinations; `whole`: of those without a null key; `key`: component key of the state that it
    replaces."""

    times: Mapping[int, int]
    whole: Mapping[int, int]
    key: str

    @property
    def rows(self) -> int:
        """Return the number of rows in all combinations."""
        return sum(count * many for count, many in self.times.items())

    def complete(self) -> "FrequencySpectrum | None":
        """Return the spectrum of the combinations without a null key; None if there are none."""
        return FrequencySpectrum(self.whole, self.whole, self.key) if self.whole else None

    @property
    def table(self) -> Any:
        """Raise KeyError with the component key: a spectrum has no table."""
        raise KeyError(self.key)

    coded = table


@dataclass(frozen=True, init=False)
class Frequencies(Component):
    """Distinct combinations of the columns with their counts; rows in which all columns are null are excluded.

    The keys are canonical (text, or int64 for integers and timestamps), may be null, and are sorted by their SQL:
    the same columns in another order, or one of them twice, are the same grouping. The state is a FrequencyTable;
    None for no rows. `by_value`: the metric needs the values themselves, not only how often distinct values occur."""

    kind = "frequencies"
    version = 2
    grouping = True
    by_value: bool

    def __init__(self, *templates: str, takes: frozenset[str] | None = None, by_value: bool = False) -> None:
        super().__init__(*templates, takes=takes)
        object.__setattr__(self, "by_value", by_value)

    def keeps_of(self, operands: tuple[Operand, ...]) -> Retention:
        return Retention.VALUES if self.by_value else Retention.HASHES

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Return the grouping keys instead of aggregates; the scan counts the rows of each group."""
        return tuple(sorted({operand.canonical() for operand in operands}))

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        return FrequencyTable((encode_texts(row[0]),))

    def merge(self, left: Any, right: Any) -> Any:
        return self.merge_all((left, right))

    def merge_all(self, states: Sequence[Any]) -> Any:
        present = [each for each in states if each is not None]
        return FrequencyTable(tuple(piece for each in present for piece in each.pieces)) if present else None

    def compacted(self, state: Any) -> Any:
        return FrequencyTable((state.coded,)) if state else None

    def dump(self, state: Any) -> bytes:
        if state is None:
            return b""
        import pyarrow
        import pyarrow.parquet

        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(ordered(state.coded), sink, compression="zstd")
        return bytes(sink.getvalue())

    def load(self, data: bytes) -> Any:
        if not data:
            return None
        import pyarrow
        import pyarrow.parquet

        names = [name for name in pyarrow.parquet.read_schema(pyarrow.BufferReader(data)).names if name != "n"]
        file = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(data), read_dictionary=names)
        return FrequencyTable((file.read(),))


def coarser(state: FrequencyTable | FrequencySpectrum | None, positions: Sequence[int]) -> FrequencyTable | None:
    """Return the frequencies of some of the key columns, by position; None if none are left.

    Combinations in which all of these columns are null are excluded."""
    if state is None:
        return None
    keys = [f"k{at}" for at in range(len(positions))]
    chosen = state.coded.select([*(f"k{at}" for at in positions), "n"]).rename_columns([*keys, "n"])
    # A single piece is assumed to contain each combination once. The empty second piece makes `coded` add up.
    present = _with_keys(FrequencyTable((chosen, chosen.slice(0, 0))).coded, "or_kleene")
    return FrequencyTable((present,)) if present.num_rows else None


def most_frequent(state: FrequencyTable | FrequencySpectrum, key: int) -> int:
    """Return the rows that have the most frequent combination for their value of one key.

    `key`: position of that key column."""
    from pyarrow import compute

    most = state.coded.group_by(f"k{key}").aggregate([("n", "max")])
    return int(compute.sum(most["n_max"]).as_py() or 0)


def complete(state: FrequencyTable | FrequencySpectrum | None) -> FrequencyTable | FrequencySpectrum | None:
    """Return the frequencies of the combinations without a null key; None if there are none."""
    return None if state is None else state.complete()


def _with_keys(table: Any, joined: str) -> Any:
    """Return the combinations in which all (`and_kleene`) or any (`or_kleene`) keys are not null."""
    from pyarrow import compute

    present = [compute.is_valid(table[name]) for name in table.column_names if name != "n"]
    return table.filter(reduce(lambda one, other: compute.call_function(joined, [one, other]), present))


def _times(counts: Any) -> Mapping[int, int]:
    from pyarrow import compute

    return {each["values"].as_py(): each["counts"].as_py() for each in compute.value_counts(counts)}


def groups(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """Return the number of distinct combinations; 0 for no rows."""
    return 0 if state is None else sum(state.times.values())


def singletons(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """Return the number of combinations that occur exactly once."""
    return 0 if state is None else state.times.get(1, 0)


def occurrences(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """Return the number of rows in all combinations."""
    return 0 if state is None else state.rows


def entropy(state: FrequencyTable | FrequencySpectrum | None) -> float:
    """Return the entropy of the combinations, sum of p ln(1 / p), in nats; 0 for no rows.

    Combinations with the same count contribute the same term, so each count is computed once."""
    if state is None:
        return 0.0
    total = state.rows
    return fsum(many * (count / total) * log(total / count) for count, many in state.times.items())
