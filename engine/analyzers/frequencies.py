"""How often each value (or combination of values) occurs: the one state that can be large, as Arrow tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import fsum, log
from typing import Any

from engine.analyzers.components import Component
from engine.analyzers.quoting import Operand

# Arrow's plain strings hold 2 GiB of text in one piece; its large ones more, but are grouped far more slowly.
PLAIN_BYTES = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Counts:
    """Distinct combinations with their counts, in pieces: a combination that two pieces name has both their counts.

    Merging is putting pieces together; they are added up once, when somebody asks."""

    pieces: tuple[Any, ...]

    @cached_property
    def table(self) -> Any:
        """One Arrow table that names each combination once: keys k0, k1, ... and int64 `n`, in no order."""
        return self.pieces[0] if len(self.pieces) == 1 else _summed(self.pieces)


class Frequencies(Component):
    """Distinct combinations of the columns with their counts, rows whose columns are all null left out.

    The keys are canonical (text, or int64 for whole numbers and timestamps), null kept, in the order of their SQL: the
    same columns in another order, or one of them twice, are the same grouping. State: Counts; None for no rows."""

    kind = "frequencies"
    version = 2
    grouping = True

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Here the grouping keys, not aggregates: the scan counts the rows of each."""
        return tuple(sorted({operand.canonical() for operand in operands}))

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        return Counts((_plain(row[0]),))

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return left if right is None else right
        return Counts(left.pieces + right.pieces)

    def dump(self, state: Any) -> bytes:
        if state is None:
            return b""
        import pyarrow
        import pyarrow.parquet

        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(_sorted(state.table), sink, compression="zstd")
        return bytes(sink.getvalue())

    def load(self, data: bytes) -> Any:
        if not data:
            return None
        import pyarrow
        import pyarrow.parquet

        return Counts((pyarrow.parquet.read_table(pyarrow.BufferReader(data)),))


def _plain(table: Any) -> Any:
    """One schema whatever the reader said of nullability: tables that differ in it are not put together."""
    import pyarrow

    return table.cast(pyarrow.schema([(field.name, field.type) for field in table.schema]))


def _widened(table: Any) -> Any:
    import pyarrow

    wide = {pyarrow.string(): pyarrow.large_string()}
    return table.cast(pyarrow.schema([(field.name, wide.get(field.type, field.type)) for field in table.schema]))


def _summed(pieces: Sequence[Any]) -> Any:
    import pyarrow

    alike = len({piece.schema for piece in pieces}) == 1
    fits = sum(piece.nbytes for piece in pieces) <= PLAIN_BYTES
    both = pyarrow.concat_tables(pieces if alike and fits else map(_widened, pieces))
    keys = [name for name in both.column_names if name != "n"]
    # One thread: it takes less time of the processor, and the rows come in one order, always.
    return both.group_by(keys, use_threads=False).aggregate([("n", "sum")]).rename_columns([*keys, "n"])


def _sorted(table: Any) -> Any:
    """In the order of the keys, so that equal counts have equal bytes."""
    import pyarrow
    import pyarrow.compute

    fits = table if table.nbytes <= PLAIN_BYTES else _widened(table)
    ranks = pyarrow.table({name: _ranked(fits[name]) for name in fits.column_names if name != "n"})
    by = [(name, "ascending") for name in ranks.column_names]
    return fits.take(pyarrow.compute.sort_indices(ranks, sort_keys=by))


def _ranked(column: Any) -> Any:
    """Numbers in the order of the keys: each text is compared once, however many combinations share it."""
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_integer(column.type):
        return column
    encoded = column.combine_chunks().dictionary_encode()
    order = pyarrow.compute.sort_indices(encoded.dictionary).cast(pyarrow.int32())
    return pyarrow.compute.inverse_permutation(order).take(encoded.indices)


def coarser(state: Counts | None, kept: Sequence[int]) -> Counts | None:
    """The frequencies of some of the key columns, by position; combinations that are all null are left out.

    None where none is left."""
    if state is None:
        return None
    keys = [f"k{at}" for at in range(len(kept))]
    chosen = state.table.select([*(f"k{at}" for at in kept), "n"]).rename_columns([*keys, "n"])
    present = _with_keys(_summed([chosen]), "or_kleene")
    return Counts((present,)) if present.num_rows else None


def complete(state: Counts | None) -> Counts | None:
    """The frequencies of the combinations in which no key is null; None where none is left."""
    if state is None:
        return None
    whole = _with_keys(state.table, "and_kleene")
    return Counts((whole,)) if whole.num_rows else None


def _with_keys(table: Any, joined: str) -> Any:
    """The combinations of which all (`and_kleene`) or any (`or_kleene`) keys are not null."""
    from pyarrow import compute

    present = [compute.is_valid(table[name]) for name in table.column_names if name != "n"]
    return table.filter(reduce(lambda one, other: compute.call_function(joined, [one, other]), present))


def groups(state: Counts | None) -> int:
    """How many distinct combinations; 0 for no rows."""
    return 0 if state is None else int(state.table.num_rows)


def singletons(state: Counts | None) -> int:
    """How many combinations occur exactly once."""
    if state is None:
        return 0
    from pyarrow import compute

    return int(compute.sum(compute.equal(state.table["n"], 1).cast("int64")).as_py() or 0)


def occurrences(state: Counts | None) -> int:
    """How many rows the combinations stand for."""
    if state is None:
        return 0
    from pyarrow import compute

    return sum(int(compute.sum(piece["n"]).as_py() or 0) for piece in state.pieces)


def entropy(state: Counts | None) -> float:
    """The entropy of the combinations, sum of p ln(1 / p), in nats; 0 for no rows.

    Combinations that occur as often add the same, so each count is taken once: as exact as the logarithm."""
    if state is None:
        return 0.0
    from pyarrow import compute

    total = occurrences(state)
    found = ((each["values"].as_py(), each["counts"].as_py()) for each in compute.value_counts(state.table["n"]))
    return fsum(many * (count / total) * log(total / count) for count, many in found)
