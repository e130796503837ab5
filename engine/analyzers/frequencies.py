"""How often each value (or combination of values) occurs: the one state that can be large, as a sorted Arrow table."""

from collections.abc import Sequence
from typing import Any

from engine.analyzers.components import Component
from engine.analyzers.quoting import Operand


class Frequencies(Component):
    """Distinct combinations of the columns with their counts, rows whose columns are all null left out.

    State: an Arrow table of string columns k0, k1, ... (canonical text, null kept) and int64 `n`; None for no rows."""

    kind = "frequencies"
    grouping = True

    def aggregates(self, operands: tuple[Operand, ...]) -> tuple[str, ...]:
        """Here the grouping keys, not aggregates: the scan counts the rows of each."""
        return tuple(f"cast({operand.canonical()} as string)" for operand in operands)

    def read(self, row: tuple[Any, ...], operands: tuple[Operand, ...]) -> Any:
        return _sorted(row[0])

    def merge(self, left: Any, right: Any) -> Any:
        if left is None or right is None:
            return left if right is None else right
        import pyarrow

        both = pyarrow.concat_tables([left, right])
        keys = [name for name in both.column_names if name != "n"]
        return _sorted(both.group_by(keys).aggregate([("n", "sum")]).rename_columns([*keys, "n"]))

    def dump(self, state: Any) -> bytes:
        if state is None:
            return b""
        import pyarrow
        import pyarrow.parquet

        sink = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(state, sink, compression="zstd")
        return bytes(sink.getvalue())

    def load(self, data: bytes) -> Any:
        if not data:
            return None
        import pyarrow
        import pyarrow.parquet

        return pyarrow.parquet.read_table(pyarrow.BufferReader(data))


def _sorted(table: Any) -> Any:
    import pyarrow

    # One schema whatever the reader said of nullability: tables that differ in it are not joined.
    fields = [(name, pyarrow.int64() if name == "n" else pyarrow.string()) for name in table.column_names]
    plain = pyarrow.Table.from_arrays(
        [column.cast(kind) for column, (_, kind) in zip(table.columns, fields, strict=True)],
        [name for name, _ in fields],
    )
    return plain.sort_by([(name, "ascending") for name in plain.column_names if name != "n"])


def coarser(state: Any, kept: Sequence[int]) -> Any:
    """The frequencies of some of the key columns, by position; combinations that are all null are left out.

    None where none is left."""
    if state is None:
        return None
    import pyarrow.compute

    keys = [f"k{at}" for at in range(len(kept))]
    chosen = state.select([*(f"k{at}" for at in kept), "n"]).rename_columns([*keys, "n"])
    summed = chosen.group_by(keys).aggregate([("n", "sum")]).rename_columns([*keys, "n"])
    present = summed.filter(pyarrow.compute.is_valid(pyarrow.compute.coalesce(*(summed[key] for key in keys))))
    return _sorted(present) if present.num_rows else None


def groups(state: Any) -> int:
    """How many distinct combinations; 0 for no rows."""
    return 0 if state is None else int(state.num_rows)


def singletons(state: Any) -> int:
    """How many combinations occur exactly once."""
    if state is None:
        return 0
    import pyarrow.compute

    return int(pyarrow.compute.sum(pyarrow.compute.equal(state["n"], 1).cast("int64")).as_py() or 0)


def occurrences(state: Any) -> int:
    """How many rows the combinations stand for."""
    if state is None:
        return 0
    import pyarrow.compute

    return int(pyarrow.compute.sum(state["n"]).as_py() or 0)
