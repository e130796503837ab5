"""How often each value (or combination of values) occurs: the one state that can be large, as Arrow tables."""

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
    """Distinct combinations with their counts, in pieces: a combination that two pieces name has both their counts.

    Texts are codes into a dictionary. Merging is putting pieces together; they are added up once, when somebody asks,
    and what is added up then are numbers: each text is looked at once, however many combinations share it."""

    pieces: tuple[Any, ...]

    @cached_property
    def coded(self) -> Any:
        """One Arrow table that names each combination once: keys k0, k1, ... and int64 `n`, in no order."""
        if len(self.pieces) == 1:
            return self.pieces[0]
        both, rows, sums = self._summed
        return both.drop_columns(["n"]).take(rows).append_column("n", sums)

    @property
    def counts(self) -> Any:
        """How often each combination occurs, in the order of `coded`, as an Arrow array."""
        return self.pieces[0]["n"] if len(self.pieces) == 1 else self._summed[2]

    @cached_property
    def table(self) -> Any:
        """As `coded`, with the texts themselves."""
        return plain(self.coded)

    @property
    def rows(self) -> int:
        """How many rows the combinations stand for."""
        from pyarrow import compute

        return sum(int(compute.sum(piece["n"]).as_py() or 0) for piece in self.pieces)

    @cached_property
    def times(self) -> Mapping[int, int]:
        """How many combinations occur that often, by count."""
        return _times(self.counts)

    def complete(self) -> "FrequencyTable | None":
        """The combinations in which no key is null; None where none is left."""
        whole = _with_keys(self.coded, "and_kleene")
        return FrequencyTable((whole,)) if whole.num_rows else None

    @cached_property
    def _summed(self) -> tuple[Any, Any, Any]:
        """All pieces as one table, a row of each combination in it, and its counts added up."""
        import numpy
        import pyarrow

        both = sort_codes(concatenated(self.pieces))
        numbers = row_numbers(both.drop_columns(["n"]))
        # Pieces that were stored are sorted: this merges them, in a fraction of the time that hashing takes.
        order = numbers.argsort(kind="stable")
        found = numbers[order]
        starts = starts_of(found)
        sums = numpy.add.reduceat(both["n"].to_numpy()[order], starts) if len(starts) else found
        return both, order[starts], pyarrow.array(sums)


@dataclass(frozen=True)
class FrequencySpectrum:
    """What is left of combinations that are too many for this process: how many of them occur how often.

    `whole` is of those in which no key is null. `key` names the state that it stands for."""

    times: Mapping[int, int]
    whole: Mapping[int, int]
    key: str

    @property
    def rows(self) -> int:
        """How many rows the combinations stand for."""
        return sum(count * many for count, many in self.times.items())

    def complete(self) -> "FrequencySpectrum | None":
        """That of the combinations in which no key is null; None where none is left."""
        return FrequencySpectrum(self.whole, self.whole, self.key) if self.whole else None

    @property
    def table(self) -> Any:
        """There is none. Raises KeyError, naming the state."""
        raise KeyError(self.key)

    coded = table


@dataclass(frozen=True, init=False)
class Frequencies(Component):
    """Distinct combinations of the columns with their counts, rows whose columns are all null left out.

    The keys are canonical (text, or int64 for whole numbers and timestamps), null kept, in the order of their SQL: the
    same columns in another order, or one of them twice, are the same grouping. State: Counts; None for no rows.
    `by_value`: who asks for it needs the values themselves, not only how often different ones occur."""

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
        """Here the grouping keys, not aggregates: the scan counts the rows of each."""
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


def coarser(state: FrequencyTable | FrequencySpectrum | None, kept: Sequence[int]) -> FrequencyTable | None:
    """The frequencies of some of the key columns, by position; combinations that are all null are left out.

    None where none is left."""
    if state is None:
        return None
    keys = [f"k{at}" for at in range(len(kept))]
    chosen = state.coded.select([*(f"k{at}" for at in kept), "n"]).rename_columns([*keys, "n"])
    # Twice, the second time empty: a single piece would be taken for one that names each combination once.
    present = _with_keys(FrequencyTable((chosen, chosen.slice(0, 0))).coded, "or_kleene")
    return FrequencyTable((present,)) if present.num_rows else None


def most_frequent(state: FrequencyTable | FrequencySpectrum, key: int) -> int:
    """How many rows have, of all combinations with their key at that position, the most frequent one."""
    from pyarrow import compute

    most = state.coded.group_by(f"k{key}").aggregate([("n", "max")])
    return int(compute.sum(most["n_max"]).as_py() or 0)


def complete(state: FrequencyTable | FrequencySpectrum | None) -> FrequencyTable | FrequencySpectrum | None:
    """The frequencies of the combinations in which no key is null; None where none is left."""
    return None if state is None else state.complete()


def _with_keys(table: Any, joined: str) -> Any:
    """The combinations of which all (`and_kleene`) or any (`or_kleene`) keys are not null."""
    from pyarrow import compute

    present = [compute.is_valid(table[name]) for name in table.column_names if name != "n"]
    return table.filter(reduce(lambda one, other: compute.call_function(joined, [one, other]), present))


def _times(counts: Any) -> Mapping[int, int]:
    from pyarrow import compute

    return {each["values"].as_py(): each["counts"].as_py() for each in compute.value_counts(counts)}


def groups(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """How many distinct combinations; 0 for no rows."""
    return 0 if state is None else sum(state.times.values())


def singletons(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """How many combinations occur exactly once."""
    return 0 if state is None else state.times.get(1, 0)


def occurrences(state: FrequencyTable | FrequencySpectrum | None) -> int:
    """How many rows the combinations stand for."""
    return 0 if state is None else state.rows


def entropy(state: FrequencyTable | FrequencySpectrum | None) -> float:
    """The entropy of the combinations, sum of p ln(1 / p), in nats; 0 for no rows.

    Combinations that occur as often add the same, so each count is taken once: as exact as the logarithm."""
    if state is None:
        return 0.0
    total = state.rows
    return fsum(many * (count / total) * log(total / count) for count, many in state.times.items())
