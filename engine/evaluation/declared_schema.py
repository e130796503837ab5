"""A table's columns as somebody tells them anew, in the words of the states that were read of it before."""

from collections.abc import Iterable, Sequence

from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.physical_types import differs, spark_type

DeclaredColumns = Sequence[tuple[str, str]]


def merge_declared_columns(known: Schema, told: DeclaredColumns, partition_by: Iterable[str] = ()) -> Schema:
    """The columns that were told, by name and type, each as it is `known` where nothing about it is new.

    Producers write types, and the case of names, in ways of their own: what says no other type than the known one
    leaves the column as it is, and so does a type that Spark has no word for, or that has parts. `partition_by`:
    columns that stay though they are not told, as paths tell them. () of no columns: what is known."""
    if not told:
        return known
    by_name = {each.name.casefold(): each for each in known}
    columns = [_column(known.get(name) or by_name.get(name.casefold()), name, kind) for name, kind in told]
    there = {each.name for each in columns}
    parted = [each for each in known if each.name in set(partition_by) - there]
    return Schema((*dict.fromkeys(columns), *parted))


def _column(known: Column | None, name: str, kind: str) -> Column:
    if known is not None and not differs(kind, known.type):
        return known
    return Column(known.name if known else name, spark_type(kind) or kind.strip().lower() or "string")
