"""What the promises of a contract mean on a table: every check bound to an analyzer, an assertion and the columns' types."""

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from pydantic import ValidationError

from contracts.assertions import Assertion
from contracts.document import Check, DataObject, Property
from contracts.errors import ContractError, Fault
from contracts.logical_types import Schema
from engine.analyzers import ANALYZERS
from engine.analyzers.base import Analyzer, BoundAnalyzer, Unbindable
from engine.plan import Plan, plan

WHOLE = Assertion("mustBe", 1)


@dataclass(frozen=True)
class BoundCheck:
    """A check that can be judged: `bound` is its analyzer on the table; None says that it cannot be, for the `reason`."""

    check: Check
    analyzer: Analyzer | None
    bound: BoundAnalyzer | None = None
    reason: str | None = None

    @property
    def scope(self) -> str:
        return self.check.scope or (self.analyzer.scope if self.analyzer else "delta")

    @property
    def column(self) -> str | None:
        return ", ".join(self.analyzer.columns_read) or None if self.analyzer else None

    @property
    def sentence(self) -> str:
        """The promise in words: 'completeness of status must be at least 0.95'."""
        if self.analyzer is None or self.check.assertion is None:
            return self.check.name
        return f"{self.analyzer.phrase} must {self.check.assertion.sentence()}"


@dataclass(frozen=True)
class BoundChecks:
    """All checks of a schema object on a table of that schema."""

    object: DataObject
    schema: Schema
    checks: tuple[BoundCheck, ...]

    @cached_property
    def plan(self) -> Plan:
        """The plan that computes all of them."""
        return plan(each.bound for each in self.checks if each.bound)


def bind(data_object: DataObject, schema: Schema) -> BoundChecks:
    """All checks of the object on a table of that schema. Raises ContractError with every fault of the contract's own.

    A check that this table cannot answer (a missing column, a type it does not take) is bound to its reason, alone."""
    faults: list[Fault] = []
    bound = [_bind(check, data_object, schema, faults) for check in (*promised(data_object), *data_object.checks)]
    if faults:
        raise ContractError(faults)
    return BoundChecks(data_object, schema, tuple(each for each in bound if each is not None))


def _bind(check: Check, data_object: DataObject, schema: Schema, faults: list[Fault]) -> BoundCheck | None:
    if check.kind != "treaty":
        return _foreign(check)
    analyzer = _analyzer(check, faults)
    if analyzer is None:
        return None
    faults.extend(_undeclared(check, analyzer, data_object, schema))
    if check.assertion is None:
        faults.append(
            Fault("TR-CHECK-ASSERTION", check.path, "the check promises nothing", "add one operator word", check.line)
        )
    try:
        return BoundCheck(check, analyzer, analyzer.bind(schema))
    except Unbindable as unbindable:
        return BoundCheck(check, analyzer, reason=str(unbindable))
    except ContractError as predicate:
        return BoundCheck(check, analyzer, reason="; ".join(fault.message for fault in predicate.faults))


def _foreign(check: Check) -> BoundCheck | None:
    if check.kind == "text":
        return None
    if check.kind == "library" and check.analyzer == "rowCount":
        return _bind(replace(check, kind="treaty", analyzer="size", arguments={}), DataObject(""), Schema(()), [])
    return BoundCheck(
        check, None, reason=f"checks of type {check.kind} ({check.analyzer or 'no name'}) are not executed here"
    )


def _analyzer(check: Check, faults: list[Fault]) -> Analyzer | None:
    kind = ANALYZERS.get(check.analyzer)
    if kind is None:
        near = difflib.get_close_matches(check.analyzer, ANALYZERS, n=1, cutoff=0.4)
        remedy = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(ANALYZERS))}"
        faults.append(
            Fault("TR-CHECK-ANALYZER", check.path, f"no analyzer is named {check.analyzer!r}", remedy, check.line)
        )
        return None
    try:
        return kind.model_validate({**check.arguments, "where": check.where})
    except ValidationError as invalid:
        faults.extend(_argument_faults(check, invalid))
        return None


def _argument_faults(check: Check, invalid: ValidationError) -> Iterator[Fault]:
    takes = ", ".join(name for name in ANALYZERS[check.analyzer].model_fields)
    for error in invalid.errors(include_input=False, include_url=False):
        place = ".".join(str(part) for part in error["loc"])
        yield Fault(
            "TR-CHECK-ARGUMENT", f"{check.path}.implementation.{place}", error["msg"], f"it takes {takes}", check.line
        )


def _undeclared(check: Check, analyzer: Analyzer, data_object: DataObject, schema: Schema) -> Iterator[Fault]:
    """A column that neither contract nor table knows is a mistake in the contract; one the table lost is a violation."""
    declared = {path for path, _ in columns_of(data_object.properties)}
    for column in analyzer.columns_read:
        if declared and column.replace("`", "") not in declared and schema.find(column) is None:
            near = difflib.get_close_matches(column, [*declared, *schema.names], n=1)
            remedy = f"did you mean {near[0]}?" if near else "name a column of the table"
            yield Fault(
                "TR-CHECK-COLUMN", check.path, f"neither contract nor table has a column {column}", remedy, check.line
            )


def columns_of(properties: Iterable[Property], prefix: str = "") -> Iterator[tuple[str, Property]]:
    """(dotted path, property) of all columns and nested fields; elements of arrays are not columns."""
    for each in properties:
        yield prefix + each.name, each
        yield from columns_of(each.properties, f"{prefix}{each.name}.")


def promised(data_object: DataObject) -> Iterator[Check]:
    """The checks that `required`, `unique` and `primaryKey` stand for."""
    keys = data_object.primary_key
    for path, each in columns_of(data_object.properties):
        if each.required or each.name in keys:
            yield _promise(each, f"{path}-required", f"{path} is always present", "completeness", {"column": path})
        if each.unique:
            yield _promise(each, f"{path}-unique", f"{path} is unique", "uniqueness", {"columns": [path]})
    if keys:
        key = next(each for each in data_object.properties if each.name == keys[0])
        yield _promise(key, "primary-key", f"{', '.join(keys)} identifies a row", "uniqueness", {"columns": list(keys)})


def _promise(of: Property, check_id: str, name: str, analyzer: str, arguments: dict[str, object]) -> Check:
    dimension = "completeness" if analyzer == "completeness" else "uniqueness"
    return Check(
        id=check_id, name=name, kind="treaty", severity="error", analyzer=analyzer, arguments=arguments,
        assertion=WHOLE, dimension=dimension, path=of.path, line=of.line,
    )  # fmt: skip
