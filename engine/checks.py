"""What the promises of a contract mean on a table: checks bound to an analyzer, an assertion and the columns' types."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from contracts.assertions import Assertion
from contracts.document import Check, DataObject, Property
from contracts.errors import ContractError, Fault, nearest
from contracts.logical_types import Schema
from contracts.predicates import quote, quote_path
from engine.analyzers import ANALYZERS
from engine.analyzers.base import Analyzer, Unbindable
from engine.analyzers.bound import BoundAnalyzer
from engine.analyzers.breaking import Breaking
from engine.plan import Plan, plan

WHOLE = Assertion("mustBe", 1)


@dataclass(frozen=True)
class BoundCheck:
    """A check that can be judged: `bound` is its analyzer on the table; None: it cannot be, for the `reason`."""

    check: Check
    analyzer: Analyzer | None
    bound: BoundAnalyzer | None = None
    reason: str | None = None

    @property
    def scope(self) -> str:
        """The scope that the check names, else its analyzer's own."""
        return self.check.scope or (self.analyzer.scope if self.analyzer else "delta")

    @property
    def column(self) -> str | None:
        """The columns that the analyzer reads, else the property that the check stands on; None for the whole table."""
        read = self.analyzer.columns_read if self.analyzer else ()
        return ", ".join(read) or self.check.column

    @property
    def breaking(self) -> Breaking | None:
        """Which single rows break the check; None where none does, or where it cannot be judged."""
        if self.bound is None or self.check.assertion is None:
            return None
        return self.bound.breaking(self.check.assertion)

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
        scoped = [(each.scope, each.bound) for each in self.checks if each.bound]
        return plan(
            (bound for scope, bound in scoped if scope != "dataset"),
            of_all=(bound for scope, bound in scoped if scope == "dataset"),
        )


def bind(data_object: DataObject, schema: Schema) -> BoundChecks:
    """All checks of the object on a table of that schema. Raises ContractError with every fault of the contract's own.

    A check that this table cannot answer (a missing column, a type it does not take) is bound to its reason, alone."""
    binding = Binding(data_object, schema)
    bound = [binding.check(each) for each in (*promised(data_object), *data_object.checks)]
    if binding.faults:
        raise ContractError(binding.faults)
    return BoundChecks(data_object, schema, tuple(each for each in bound if each is not None))


class Binding:
    """Binds the checks of one object to one schema; keeps the faults found on the way."""

    def __init__(self, data_object: DataObject, schema: Schema) -> None:
        self.schema = schema
        self.faults: list[Fault] = []
        self.declared = {path for path, _ in columns_of(data_object.properties)}

    def check(self, check: Check) -> BoundCheck | None:
        """The bound check; None where it has faults, or where it is a text, which nothing can judge."""
        if check.kind == "library" and check.analyzer == "rowCount":
            check = replace(check, kind="treaty", analyzer="size", arguments={}, column=None)
        if check.kind != "treaty":
            return _foreign(check)
        analyzer = self._analyzer(check)
        if check.assertion is None:
            self._add("ASSERTION", check, "the check promises nothing", "add one operator word")
        return self._bound(check, analyzer) if analyzer else None

    def _bound(self, check: Check, analyzer: Analyzer) -> BoundCheck:
        for column in analyzer.columns_named:
            self._look_up(check, column)
        try:
            return BoundCheck(check, analyzer, analyzer.bind(self.schema))
        except Unbindable as unbindable:
            return BoundCheck(check, analyzer, reason=str(unbindable))
        except ContractError as predicate:
            return BoundCheck(check, analyzer, reason="; ".join(fault.message for fault in predicate.faults))

    def _analyzer(self, check: Check) -> Analyzer | None:
        kind = ANALYZERS.get(check.analyzer)
        if kind is None:
            remedy = nearest(check.analyzer, ANALYZERS) or f"known are {', '.join(sorted(ANALYZERS))}"
            self._add("ANALYZER", check, f"no analyzer is named {check.analyzer!r}", remedy)
            return None
        try:
            return kind.model_validate({**_arguments(kind, check), "where": check.where})
        except ValidationError as invalid:
            self._add_invalid(check, invalid, takes=", ".join(kind.model_fields))
            return None

    def _add_invalid(self, check: Check, invalid: ValidationError, *, takes: str) -> None:
        for error in invalid.errors(include_input=False, include_url=False):
            place = ".".join(str(part) for part in ("implementation", *error["loc"]))
            message = error["msg"].removeprefix("Value error, ")
            self._add("ARGUMENT", check, message, f"{check.analyzer} takes {takes}", place)

    def _look_up(self, check: Check, column: str) -> None:
        """A column that neither contract nor table knows is a mistake in the contract; one the table lost is not."""
        if not self.declared or self._is_declared(column) or self.schema.find(column) is not None:
            return
        remedy = nearest(column, [*self.declared, *self.schema.names]) or "name a column of the table"
        self._add("COLUMN", check, f"neither contract nor table has a column {column}", remedy)

    def _is_declared(self, column: str) -> bool:
        return column in self.declared or quote_path(column) in {
            written(path) for path in self.declared for written in (quote, quote_path)
        }

    def _add(self, code: str, check: Check, message: str, remedy: str, place: str = "") -> None:
        where = ".".join(filter(None, (check.path, place)))
        self.faults.append(Fault(f"TR-CHECK-{code}", where, message, remedy, check.line))


def _foreign(check: Check) -> BoundCheck | None:
    if check.kind == "text":
        return None
    reason = f"checks of type {check.kind} ({check.analyzer or 'no name'}) are not executed here"
    return BoundCheck(check, None, reason=reason)


def _arguments(kind: type[Analyzer], check: Check) -> Mapping[str, Any]:
    """The check's own words; where they name no column and the analyzer takes one, the property it stands on."""
    takes = next((word for word in ("column", "columns") if word in kind.model_fields), None)
    if takes is None or check.column is None or {"column", "columns"} & check.arguments.keys():
        return check.arguments
    return {takes: check.column, **check.arguments}


def columns_of(properties: Iterable[Property], parent: str = "") -> Iterator[tuple[str, Property]]:
    """(path, property) of all columns and nested fields, as arguments name them; elements of arrays are no columns."""
    for each in properties:
        part = quote(each.name) if "." in each.name or "`" in each.name else each.name
        yield (f"{parent}.{part}" if parent else each.name), each
        yield from columns_of(each.properties, f"{parent}.{part}" if parent else part)


def promised(data_object: DataObject) -> Iterator[Check]:
    """The checks that `required`, `unique` and `primaryKey` stand for."""
    keys = data_object.primary_key
    for path, each in columns_of(data_object.properties):
        if each.required or path in keys:
            yield _promise(each, f"{path}-required", f"{path} is always present", "completeness", {"column": path})
        if each.unique:
            yield _promise(each, f"{path}-unique", f"{path} is unique", "uniqueness", {"columns": [path]})
    if keys:
        key = next(each for each in data_object.properties if each.name == keys[0])
        yield _promise(key, "primary-key", f"{', '.join(keys)} identifies a row", "uniqueness", {"columns": list(keys)})


def _promise(of: Property, check_id: str, name: str, analyzer: str, arguments: dict[str, object]) -> Check:
    return Check(
        id=check_id, name=name, kind="treaty", severity="error", analyzer=analyzer, arguments=arguments,
        assertion=WHOLE, dimension=analyzer, path=of.path, line=of.line,
    )  # fmt: skip
