"""The schema as a promise: column names, logical types and nullability, judged on the columns that arrived."""

from collections.abc import Iterator
from typing import NamedTuple

from contracts.document import DataObject, Property
from contracts.logical_types import Column, Schema, struct_fields
from engine.results import CheckResult, Outcome

COMPATIBLE = {("integer", "number")}


class Question(NamedTuple):
    """What is asked of a schema; `reason` says what was found amiss."""

    id: str
    promise: str
    reason: str
    severity: str = "error"


COLUMNS = Question("schema-columns", "every promised column is there", "missing: {}")
TYPES = Question("schema-types", "every column has its promised type", "{}")
NEW = Question("schema-new-columns", "there is no column that the contract does not know", "new: {}", "warning")


def judge_structure(data_object: DataObject, schema: Schema, *, partition: str | None = None) -> Iterator[CheckResult]:
    """Three results: no promised column is missing, each has its logical type, and no column is new.

    `partition` None: of all that arrived. Nothing where the contract names no column."""
    if not data_object.properties:
        return
    promised = list(_flat(data_object.properties, schema.columns))
    missing = [path for path, _, found in promised if found is None]
    wrong = [_mismatch(path, each, found) for path, each, found in promised if found and not _fits(each, found)]
    new = sorted(set(schema.names) - {each.name for each in data_object.properties})
    yield _result(COLUMNS, missing, partition)
    yield _result(TYPES, wrong, partition)
    yield _result(NEW, new, partition)


def _flat(
    properties: tuple[Property, ...], columns: tuple[Column, ...], prefix: str = ""
) -> Iterator[tuple[str, Property, Column | None]]:
    by_name = {column.name: column for column in columns}
    for each in properties:
        found = by_name.get(each.name)
        yield prefix + each.name, each, found
        if found and each.properties:
            yield from _flat(each.properties, struct_fields(found.type), f"{prefix}{each.name}.")


def _fits(promised: Property, found: Column) -> bool:
    # The value of a partition column is the name of a folder: its type is the reader's choice, not the table's.
    if promised.logical_type is None or promised.partitioned:
        return True
    return promised.logical_type == found.logical_type or (found.logical_type, promised.logical_type) in COMPATIBLE


def _mismatch(path: str, promised: Property, found: Column) -> str:
    return f"{path} is {found.type}, promised is {promised.logical_type}"


def _result(asked: Question, found: list[str], partition: str | None) -> CheckResult:
    return CheckResult(
        check_id=asked.id,
        name=asked.promise,
        sentence=asked.promise,
        severity=asked.severity,
        scope="delta",
        partition=partition,
        dimension="conformity",
        outcome=Outcome.FAILED if found else Outcome.PASSED,
        value=len(found),
        reason=asked.reason.format(", ".join(found)) if found else None,
    )
