"""Check the schema that arrived: column names, types, order and new columns."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treaty.contracts.document.model import DataObject, Property, Terms
from treaty.contracts.schema import LOGICAL, Column, Schema, struct_fields
from treaty.engine.checks.physical_types import differs
from treaty.engine.core.results import CheckResult, Outcome

# Pairs of actual and declared logical type that differ in name but are compatible.
COMPATIBLE = {("integer", "number")}

MOST = 20


class SchemaCheck(NamedTuple):
    """A check of the schema: its id, sentence, and severity if violated."""

    id: str
    sentence: str
    severity: str = "error"


COLUMNS = SchemaCheck("schema-columns", "all declared columns exist")
TYPES = SchemaCheck("schema-types", "all columns have their declared type")
PHYSICAL = SchemaCheck("schema-physical-types", "all columns have their declared physical type", "warning")
ORDER = SchemaCheck("schema-order", "columns are in the declared order")
NEW = SchemaCheck("schema-new-columns", "there are no undeclared columns", "warning")
CLOSED = NEW._replace(severity="error")
QUESTIONS = (COLUMNS, TYPES, PHYSICAL, ORDER, NEW)


class MatchedColumn(NamedTuple):
    """A declared column or field with the actual column of that name.

    `column`: None if missing. `other_case`: path of an actual column whose name differs only in case."""

    path: str
    property: Property
    column: Column | None
    other_case: str | None = None


class SchemaFinding(NamedTuple):
    """The problems found by a schema check, and a message even if there are none."""

    problems: Sequence[str]
    message: str


def check_structure(
    data_object: DataObject, schema: Schema, *, partition: str | None = None, terms: Terms | None = None
) -> Iterator[CheckResult]:
    """Check for missing columns, wrong logical and physical types, wrong order and new columns.

    `terms`: treatment of new columns and whether order matters; None means the defaults of `Terms()`. `partition`:
    None means everything that arrived. Yields nothing if the contract declares no columns, and no result on physical
    types if it declares none."""
    if not data_object.properties:
        return
    effective_terms = terms or Terms()
    columns = list(_flat(data_object.properties, schema.columns))
    yield _result(COLUMNS, _missing(columns), partition)
    yield _result(TYPES, _mistyped(columns), partition)
    if any(each.property.physical_type for each in columns):
        yield _result(PHYSICAL, _unlike(columns), partition)
    if effective_terms.order:
        yield _result(ORDER, _disordered(data_object, schema), partition)
    new = _new(data_object, schema, welcome=effective_terms.columns == "open")
    yield _result(CLOSED if effective_terms.columns == "closed" else NEW, new, partition)


def _flat(properties: Iterable[Property], columns: Sequence[Column], prefix: str = "") -> Iterator[MatchedColumn]:
    by_name = {column.name: column for column in columns}
    declared = {each.name for each in properties}
    folded = {name.casefold(): name for name in by_name if name not in declared}
    for each in properties:
        actual, path = by_name.get(each.name), prefix + each.name
        other_case = None if actual else folded.get(each.name.casefold())
        yield MatchedColumn(path, each, actual, other_case and prefix + other_case)
        if actual and each.properties:
            yield from _flat(each.properties, struct_fields(actual.type), f"{path}.")


def _missing(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    absent = [each.path for each in promised if not each.column and not each.other_case]
    recased = [f"{each.other_case} instead of {each.path}" for each in promised if each.other_case]
    message = "; ".join(filter(None, [f"missing: {name_list(absent)}" if absent else "", name_list(recased)]))
    return SchemaFinding([*absent, *recased], message or f"all {len(promised):,} columns exist")


def _mistyped(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    typed = [each for each in promised if each.column and each.property.logical_type and not each.property.partitioned]
    wrong = [_mismatch(each, each.property.logical_type) for each in typed if not _fits(each)]
    nullable = [each.path for each in promised if each.column and each.column.nullable and each.property.required]
    note = f"; required, but nullable in the schema: {name_list(nullable)}" if nullable else ""
    return SchemaFinding(wrong, (name_list(wrong) or f"all {len(typed):,} types match") + note)


def _fits(each: MatchedColumn) -> bool:
    column, logical = each.column, each.property.logical_type
    assert column is not None
    if logical == "map":
        return column.base_type == "map"
    if logical == "vector":
        return LOGICAL.get(column.type.removeprefix("array<").removesuffix(">")) in {"integer", "number"}
    return logical == column.logical_type or (column.logical_type, logical) in COMPATIBLE


def _unlike(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    # A partition column's value is a folder name, so its type is the reader's choice and not the table's.
    stated = [
        each for each in promised if each.column and each.property.physical_type and not each.property.partitioned
    ]
    wrong = [
        _mismatch(each, each.property.physical_type)
        for each in stated
        if each.column and differs(each.property.physical_type or "", each.column.type) and _fits_at_all(each)
    ]
    return SchemaFinding(wrong, name_list(wrong) or f"all {len(stated):,} physical types match")


def _fits_at_all(each: MatchedColumn) -> bool:
    """Return whether the logical type fits, so that a wrong type is reported only once."""
    return each.property.logical_type is None or _fits(each)


def _mismatch(each: MatchedColumn, expected: str | None) -> str:
    return f"{each.path} is {each.column.type if each.column else 'missing'}, expected {expected}"


def _disordered(data_object: DataObject, schema: Schema) -> SchemaFinding:
    # Readers put partition columns last, regardless of their position in the contract.
    names = set(schema.names)
    expected = [each.name for each in data_object.properties if each.name in names and not each.partitioned]
    expected_names = set(expected)
    actual = [name for name in schema.names if name in expected_names]
    wrong = [
        f"expected {name}, found {actual_name}"
        for name, actual_name in zip(expected, actual, strict=True)
        if name != actual_name
    ]
    return SchemaFinding(wrong, ", ".join(wrong[:1]) or f"all {len(expected):,} columns are in order")


def _new(data_object: DataObject, schema: Schema, *, welcome: bool) -> SchemaFinding:
    declared = {each.name for each in data_object.properties}
    absent = {name.casefold() for name in declared - set(schema.names)}
    new = sorted(name for name in schema.names if name not in declared and name.casefold() not in absent)
    return SchemaFinding([] if welcome else new, f"new: {name_list(new)}" if new else "no undeclared columns")


def name_list(names: Sequence[str]) -> str:
    """Join the first MOST names and the number of further ones; '' for none."""
    beyond = [f"and {len(names) - MOST:,} more"] if len(names) > MOST else []
    return ", ".join([*names[:MOST], *beyond])


def _result(check: SchemaCheck, answer: SchemaFinding, partition: str | None) -> CheckResult:
    return CheckResult(
        check_id=check.id,
        name=check.sentence,
        sentence=check.sentence,
        severity=check.severity,
        scope="delta",
        partition=partition,
        dimension="conformity",
        outcome=Outcome.FAILED if answer.problems else Outcome.PASSED,
        value=len(answer.problems),
        reason=answer.message if answer.problems else None,
        finding=answer.message,
    )
