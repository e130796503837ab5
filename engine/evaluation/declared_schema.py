"""Merge columns declared by a producer with the known schema of the table."""

from collections.abc import Iterable, Sequence

from treaty.contracts.schema import Column, Schema
from treaty.engine.checks.physical_types import differs, spark_type

DeclaredColumns = Sequence[tuple[str, str]]


def merge_declared_columns(schema: Schema, declared: DeclaredColumns, partition_by: Iterable[str] = ()) -> Schema:
    """Merge declared columns, by name and type, with the known schema.

    Producers write types and the case of names differently. So a column stays as it is known if its declared type
    means the same, has inner types, or is unknown to Spark. `partition_by`: partition columns that stay although
    they are not declared, as in paths. Without declared columns the known schema is returned."""
    if not declared:
        return schema
    by_name = {each.name.casefold(): each for each in schema}
    columns = [_column(schema.get(name) or by_name.get(name.casefold()), name, kind) for name, kind in declared]
    declared_names = {each.name for each in columns}
    partition_columns = [each for each in schema if each.name in set(partition_by) - declared_names]
    return Schema((*dict.fromkeys(columns), *partition_columns))


def _column(declared: Column | None, name: str, kind: str) -> Column:
    if declared is not None and not differs(kind, declared.type):
        return declared
    return Column(declared.name if declared else name, spark_type(kind) or kind.strip().lower() or "string")
