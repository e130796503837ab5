"""Views: the partitions of a table that a condition on partition columns selects, from their names alone."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from treaty.contracts.document import computed_partitions
from treaty.contracts.document.model import DataObject, View
from treaty.contracts.errors import Fault
from treaty.contracts.predicates.parser import PredicateError
from treaty.contracts.schema import LOGICAL, Column, Schema
from treaty.engine.core.partitions import partition_filter, partition_names
from treaty.engine.core.partitions.months import members

MERGED = "predicate-merged"
# Type for comparing the values of a partition column, by its logical type: folder names contain only text.
TYPES = {
    "string": "string", "integer": "bigint", "number": "double", "boolean": "boolean", "date": "date",
    "timestamp": "timestamp",
}  # fmt: skip


def columns(of: DataObject, recorded: Schema, names: Iterable[str]) -> Schema:
    """Return the partition columns in these partition names; without partitions those of the contract.

    A computed column has the type of its values. Other columns have the `recorded` type if it matches the logical
    type that the contract declares, else the declared type; without a declaration the recorded type; without either
    they are text."""
    named = dict.fromkeys(column for name in names for column in partition_names.values(name))
    declared = {each.name: each.logical_type for each in of.properties}
    column_names, computed = tuple(named) or computed_partitions.names(of.partition_by), _computed(of, recorded)
    return Schema(
        tuple(
            computed.get(name) or Column(name, _type(recorded.get(name), declared.get(name))) for name in column_names
        )
    )


def _computed(of: DataObject, recorded: Schema) -> Schema:
    """Return the computed partition columns; none if the types of their source columns are unknown."""
    try:
        return computed_partitions.computed_column_types(of.computed, recorded)
    except PredicateError:
        return Schema(())


def _type(recorded: Column | None, declared: str | None) -> str:
    if recorded is not None and LOGICAL.get(recorded.base_type) == (declared or recorded.logical_type):
        return recorded.type
    return TYPES.get(declared or "", "string")


def chosen(where: str | None, names: Iterable[str], by: Schema) -> tuple[str, ...]:
    """Return the partitions for which the condition is true, in the given order.

    `where`: None selects all. `by`: types of the partition columns. Raises PredicateError for an unsupported
    condition, for a value that is not of its column's type, and if only some days of a merged month match."""
    if where is None:
        return tuple(names)
    holds = partition_filter.condition(where, by)
    return tuple(name for name in names if _is_chosen(name, holds, by))


def tell_apart(of: DataObject, recorded: Schema, name: str) -> bool:
    """Return whether a view of the object selects only some days of a merged month."""
    by = columns(of, recorded, [name])
    return any(_tells_apart(view, name, by) for view in of.views)


def _tells_apart(view: View, name: str, by: Schema) -> bool:
    try:
        chosen(view.where, [name], by)
    except PredicateError as error:
        return any(fault.code == MERGED for fault in error.faults)
    return False


def _is_chosen(name: str, holds: Callable[[Mapping[str, Any]], bool | None], by: Schema) -> bool:
    outcomes = {holds(_values(each, by)) is True for each in members(name)}
    if len(outcomes) > 1:
        message = f"is true for only some of the days of {name}, whose states are merged"
        remedy = "select all of these days or none, or read the table again to separate them"
        raise PredicateError([Fault(code=MERGED, where="predicate", message=message, remedy=remedy)])
    return outcomes == {True}


def _values(partition: str, by: Schema) -> Mapping[str, Any]:
    texts = partition_names.values(partition)
    return {column.name: _value(partition, column, texts.get(column.name)) for column in by}


def _value(partition: str, column: Column, text: str | None) -> Any:
    try:
        return None if text is None else partition_filter.read(text, column.type)
    except ValueError as error:
        message = f"cannot be evaluated for partition {partition}: the value of {column.name} {error}"
        remedy = "declare a logicalType that matches the values of the column's partitions"
        raise PredicateError(
            [Fault(code="predicate-partition", where="predicate", message=message, remedy=remedy)]
        ) from None
