"""The schema as a promise: column names, types, order and what is new, judged on the columns that arrived."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from treaty.contracts.document.model import DataObject, Property, Terms
from treaty.contracts.schema import LOGICAL, Column, Schema, struct_fields
from treaty.engine.checks.physical_types import differs
from treaty.engine.core.results import CheckResult, Outcome

# Logical types that a column keeps although its own logical type has another name.
COMPATIBLE = {("integer", "number")}

MOST = 20


class SchemaCheck(NamedTuple):
    """What is asked of a schema: its promise in words, and how severe it is where the promise is broken."""

    id: str
    sentence: str
    severity: str = "error"


COLUMNS = SchemaCheck("schema-columns", "every promised column is there")
TYPES = SchemaCheck("schema-types", "every column has its promised type")
PHYSICAL = SchemaCheck("schema-physical-types", "every column has its promised physical type", "warning")
ORDER = SchemaCheck("schema-order", "the columns stand in the promised order")
NEW = SchemaCheck("schema-new-columns", "there is no column that the contract does not know", "warning")
CLOSED = NEW._replace(severity="error")
QUESTIONS = (COLUMNS, TYPES, PHYSICAL, ORDER, NEW)


class MatchedColumn(NamedTuple):
    """A promised column or field under its path: the column that was found, or one of another case in its place."""

    path: str
    property: Property
    column: Column | None
    other_case: str | None = None


class SchemaFinding(NamedTuple):
    """What was found: what is amiss, each in words, and what to say of it or in its place."""

    problems: Sequence[str]
    message: str


def check_structure(
    data_object: DataObject, schema: Schema, *, partition: str | None = None, terms: Terms | None = None
) -> Iterator[CheckResult]:
    """Whether no promised column is missing, each has its logical and physical type, and no column is new.

    `terms` say how new columns are taken and whether order is promised; None: as `Terms()` says. `partition` None: of
    all that arrived. Nothing where the contract names no column; nothing of physical types where it states none."""
    if not data_object.properties:
        return
    agreed = terms or Terms()
    promised = list(_flat(data_object.properties, schema.columns))
    yield _result(COLUMNS, _missing(promised), partition)
    yield _result(TYPES, _mistyped(promised), partition)
    if any(each.property.physical_type for each in promised):
        yield _result(PHYSICAL, _unlike(promised), partition)
    if agreed.order:
        yield _result(ORDER, _disordered(data_object, schema), partition)
    new = _new(data_object, schema, welcome=agreed.columns == "open")
    yield _result(CLOSED if agreed.columns == "closed" else NEW, new, partition)


def _flat(properties: Iterable[Property], columns: Sequence[Column], prefix: str = "") -> Iterator[MatchedColumn]:
    by_name = {column.name: column for column in columns}
    spoken_for = {each.name for each in properties}
    folded = {name.casefold(): name for name in by_name if name not in spoken_for}
    for each in properties:
        found, path = by_name.get(each.name), prefix + each.name
        other = None if found else folded.get(each.name.casefold())
        yield MatchedColumn(path, each, found, other and prefix + other)
        if found and each.properties:
            yield from _flat(each.properties, struct_fields(found.type), f"{path}.")


def _missing(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    gone = [each.path for each in promised if not each.column and not each.other_case]
    recased = [f"{each.other_case} instead of {each.path}" for each in promised if each.other_case]
    said = "; ".join(filter(None, [f"missing: {name_list(gone)}" if gone else "", name_list(recased)]))
    return SchemaFinding([*gone, *recased], said or f"all {len(promised):,} are there")


def _mistyped(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    typed = [each for each in promised if each.column and each.property.logical_type and not each.property.partitioned]
    wrong = [_mismatch(each, each.property.logical_type) for each in typed if not _fits(each)]
    nullable = [each.path for each in promised if each.column and each.column.nullable and each.property.required]
    more = f"; required, though the schema lets them be null: {name_list(nullable)}" if nullable else ""
    return SchemaFinding(wrong, (name_list(wrong) or f"all {len(typed):,} have theirs") + more)


def _fits(each: MatchedColumn) -> bool:
    found, logical = each.column, each.property.logical_type
    assert found is not None
    if logical == "map":
        return found.base_type == "map"
    if logical == "vector":
        return LOGICAL.get(found.type.removeprefix("array<").removesuffix(">")) in {"integer", "number"}
    return logical == found.logical_type or (found.logical_type, logical) in COMPATIBLE


def _unlike(promised: Sequence[MatchedColumn]) -> SchemaFinding:
    # The value of a partition column is the name of a folder: its type is the reader's choice, not the table's.
    stated = [
        each for each in promised if each.column and each.property.physical_type and not each.property.partitioned
    ]
    wrong = [
        _mismatch(each, each.property.physical_type)
        for each in stated
        if each.column and differs(each.property.physical_type or "", each.column.type) and _fits_at_all(each)
    ]
    return SchemaFinding(wrong, name_list(wrong) or f"none of {len(stated):,} is of another")


def _fits_at_all(each: MatchedColumn) -> bool:
    """A wrong logical type is told once, as that."""
    return each.property.logical_type is None or _fits(each)


def _mismatch(each: MatchedColumn, wanted: str | None) -> str:
    return f"{each.path} is {each.column.type if each.column else 'missing'}, promised is {wanted}"


def _disordered(data_object: DataObject, schema: Schema) -> SchemaFinding:
    # Readers put partition columns last, wherever the contract names them.
    there = set(schema.names)
    wanted = [each.name for each in data_object.properties if each.name in there and not each.partitioned]
    promised = set(wanted)
    actual = [name for name in schema.names if name in promised]
    wrong = [
        f"{found} stands where {name} is promised" for name, found in zip(wanted, actual, strict=True) if name != found
    ]
    return SchemaFinding(wrong, ", ".join(wrong[:1]) or f"all {len(wanted):,} do")


def _new(data_object: DataObject, schema: Schema, *, welcome: bool) -> SchemaFinding:
    known = {each.name for each in data_object.properties}
    absent = {name.casefold() for name in known - set(schema.names)}
    new = sorted(name for name in schema.names if name not in known and name.casefold() not in absent)
    return SchemaFinding([] if welcome else new, f"new: {name_list(new)}" if new else "there is none")


def name_list(names: Sequence[str]) -> str:
    """The first MOST of the names, and how many there are beyond them; '' for none."""
    beyond = [f"and {len(names) - MOST:,} more"] if len(names) > MOST else []
    return ", ".join([*names[:MOST], *beyond])


def _result(asked: SchemaCheck, answer: SchemaFinding, partition: str | None) -> CheckResult:
    return CheckResult(
        check_id=asked.id,
        name=asked.sentence,
        sentence=asked.sentence,
        severity=asked.severity,
        scope="delta",
        partition=partition,
        dimension="conformity",
        outcome=Outcome.FAILED if answer.problems else Outcome.PASSED,
        value=len(answer.problems),
        reason=answer.message if answer.problems else None,
        finding=answer.message,
    )
