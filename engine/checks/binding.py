"""Bind the checks of a contract to an analyzer, an assertion and the columns' types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import ValidationError

from treaty.contracts.assertions import ANOMALIES
from treaty.contracts.document import computed_partitions
from treaty.contracts.document.classification import classified_schema
from treaty.contracts.document.model import SCOPES, ContractCheck, DataObject, View
from treaty.contracts.errors import ContractError, Fault, suggest_nearest
from treaty.contracts.predicates.columns import ColumnScope
from treaty.contracts.predicates.parser import PredicateError, parse, quote, quote_path
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.base import Analyzer, NotApplicableToTable
from treaty.engine.anomaly import DETECTORS
from treaty.engine.anomaly.detector import Detector
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.checks.column_keywords import columns_of, derived_checks
from treaty.engine.checks.odcs_metrics import translate_check
from treaty.engine.core.partitions import partition_filter, views

T = TypeVar("T")
NOT_OF_VIEWS = "it needs all rows at once, but for a view only the states of its partitions are available"
# Kinds of checks that the ODCS standard defines.
STANDARD = frozenset({"library", "schema", "sql"})


def bind(data_object: DataObject, schema: Schema) -> BoundChecks:
    """Bind all checks of the object to a table with that schema.

    Derived checks come first. A check that this table cannot evaluate (a missing column, an unsupported type) is
    bound to the reason alone. Raises ContractError with every fault of the contract itself."""
    binding = Binding(data_object, schema)
    bound = [binding.check(each) for each in (*derived_checks(data_object), *data_object.checks)]
    if binding.faults:
        raise ContractError(binding.faults)
    return BoundChecks(data_object, schema, tuple(each for each in bound if each is not None))


def bind_all(objects: Sequence[DataObject], schema: Schema) -> BoundChecks:
    """Bind the checks of several objects to one table, for a single scan.

    Raises ContractError for faults of the first object; another object with faults contributes no checks."""
    first, *remaining = objects
    bound = bind(first, schema)
    additional = tuple(check for each in remaining for check in _sound(each, schema))
    return replace(bound, checks=(*bound.checks, *additional))


def _sound(data_object: DataObject, schema: Schema) -> tuple[BoundCheck, ...]:
    try:
        return bind(data_object, schema).checks
    except ContractError:
        return ()


class Binding:
    """Bind the checks of one object to one schema and collect the faults."""

    def __init__(self, data_object: DataObject, schema: Schema) -> None:
        self.object = data_object
        self.schema = classified_schema(data_object, schema)
        self.views = {each.name: each for each in data_object.views}
        self.faults: list[Fault] = []
        self.tables = tuple(filter(None, (data_object.name, data_object.physical_name)))
        self.declared = {path for path, _ in columns_of(data_object.properties)}

    def check(self, check: ContractCheck) -> BoundCheck | None:
        """Bind one check; None if it has faults or is a plain text, which cannot be evaluated."""
        bound = self._judgeable(check)
        return self._over_view(bound, check.scope) if bound and check.scope not in (None, *SCOPES) else bound

    def _over_view(self, check: BoundCheck, scope: str | None) -> BoundCheck | None:
        """Bind the check to the view that its scope names; None if the view is missing or unusable."""
        view = self.views.get(scope or "")
        if view is None:
            scopes = (*SCOPES, *self.views)
            remedy = suggest_nearest(scope or "", scopes) or f"use one of: {', '.join(scopes)}"
            self._add("SCOPE", check.check, f"unknown view {scope!r}", remedy, "implementation.scope")
            return None
        viewed = replace(check, view=view)
        if check.bound and any(part.component.needs_own_statement for part in check.bound.parts.values()):
            return replace(viewed, bound=None, reason=NOT_OF_VIEWS)
        return self._within(viewed, view) if self._inspect_view(check.check, view) else None

    def _within(self, viewed: BoundCheck, view: View) -> BoundCheck:
        try:
            computed = self.object.computed
            columns = Schema((*self.schema.columns, *computed_partitions.computed_column_types(computed, self.schema)))
            condition = computed_partitions.spelled_out(parse(view.where, schema=columns).sql, computed)
            return replace(viewed, view_condition=condition)
        except PredicateError as error:
            reason = "; ".join(f"view {view.name} {fault.message}" for fault in error.faults)
            return replace(viewed, bound=None, reason=reason)

    def _inspect_view(self, check: ContractCheck, view: View) -> bool:
        """Return whether the view's condition can select partitions; otherwise add faults. True without partition
        columns."""
        if not self.object.partition_by:
            return True
        try:
            partition_filter.condition(view.where, views.columns(self.object, self.schema, ()))
        except PredicateError as error:
            for fault in error.faults:
                self._add("VIEW", check, f"view {view.name} {fault.message}", fault.remedy, "implementation.scope")
            return False
        return True

    def _judgeable(self, check: ContractCheck) -> BoundCheck | None:
        if check.kind in STANDARD:
            return self._standard(check)
        if check.kind != "treaty":
            return _foreign(check)
        analyzer = self._analyzer(check)
        detector = self._detector(check)
        if check.assertion is None:
            self._add("ASSERTION", check, "the check has no assertion", "add an operator such as mustBe")
        for limit in check.assertion.references if check.assertion else ():
            self._analyzer(replace(check, analyzer=limit.analyzer, arguments=limit.arguments, where=None, column=None))
        exact_distances = self.object.anomalies.distances == "exact"
        if analyzer is None:
            return None
        return replace(self._bound(check, analyzer), detector=detector, exact_distances=exact_distances)

    def _detector(self, check: ContractCheck) -> Detector | None:
        """Build the detector that sets the check's bounds; None for fixed thresholds or on faults."""
        detection = check.assertion.detection if check.assertion else None
        if detection is None:
            return None
        kind = self._lookup(check, "detector", detection.detector, DETECTORS)
        if kind is None:
            return None
        try:
            return kind.model_validate(dict(detection.arguments))
        except ValidationError as invalid:
            for place, message in messages(invalid):
                accepted = f"{detection.detector} accepts {', '.join(kind.model_fields)}"
                self._add("DETECTOR", check, message, accepted, f"implementation.{ANOMALIES}{place}")
            return None

    def _standard(self, check: ContractCheck) -> BoundCheck:
        """Bind a check of the standard; one that Treaty cannot evaluate gets a reason, so the contract still opens."""
        try:
            translated = translate_check(check) if check.kind == "library" else check
            kind = ANALYZERS[translated.analyzer]
            analyzer = kind.model_validate({**self._arguments(kind, translated), "where": translated.where})
        except NotApplicableToTable as unbindable:
            return BoundCheck(check=check, analyzer=None, reason=str(unbindable))
        except ValidationError as invalid:
            return BoundCheck(check=check, analyzer=None, reason="; ".join(message for _, message in messages(invalid)))
        return self._on_table(translated, analyzer)

    def _bound(self, check: ContractCheck, analyzer: Analyzer) -> BoundCheck:
        for column in analyzer.columns_named:
            self._look_up(check, column)
        return self._on_table(check, analyzer)

    def _on_table(self, check: ContractCheck, analyzer: Analyzer) -> BoundCheck:
        try:
            return BoundCheck(check=check, analyzer=analyzer, bound=analyzer.bind(self.schema))
        except NotApplicableToTable as unbindable:
            return BoundCheck(check=check, analyzer=analyzer, reason=str(unbindable))
        except ContractError as predicate:
            return BoundCheck(
                check=check, analyzer=analyzer, reason="; ".join(fault.message for fault in predicate.faults)
            )

    def _analyzer(self, check: ContractCheck) -> Analyzer | None:
        kind = self._lookup(check, "analyzer", check.analyzer, ANALYZERS)
        if kind is None:
            return None
        try:
            return kind.model_validate({**self._arguments(kind, check), "where": check.where})
        except ValidationError as invalid:
            self._add_invalid(check, invalid, takes=", ".join(kind.model_fields))
            return None

    def _lookup(self, check: ContractCheck, what: str, name: str, entries: Mapping[str, T]) -> T | None:
        """Return the entry with that name; otherwise add a fault that suggests the nearest name."""
        if name not in entries:
            remedy = suggest_nearest(name, entries) or f"use one of: {', '.join(sorted(entries))}"
            self._add(what.upper(), check, f"unknown {what} {name!r}", remedy)
        return entries.get(name)

    def _arguments(self, kind: type[Analyzer], check: ContractCheck) -> Mapping[str, Any]:
        """Return the check's arguments, plus the table's names if the analyzer accepts them."""
        arguments = _on_property(kind, check)
        return {**arguments, "tables": self.tables} if "tables" in kind.model_fields else arguments

    def _add_invalid(self, check: ContractCheck, invalid: ValidationError, *, takes: str) -> None:
        for place, message in messages(invalid):
            self._add("ARGUMENT", check, message, f"{check.analyzer} accepts {takes}", f"implementation{place}")

    def _look_up(self, check: ContractCheck, column: str) -> None:
        """Add a fault if neither contract nor table has the column; a column that only the table lacks is no fault."""
        if not self.declared or self._is_declared(column) or ColumnScope(schema=self.schema).type_of(column):
            return
        remedy = suggest_nearest(column, [*self.declared, *self.schema.names]) or "use a column of the table"
        self._add("COLUMN", check, f"column {column} exists neither in the contract nor in the table", remedy)

    def _is_declared(self, column: str) -> bool:
        return column in self.declared or quote_path(column) in {
            written(path) for path in self.declared for written in (quote, quote_path)
        }

    def _add(self, code: str, check: ContractCheck, message: str, remedy: str, place: str = "") -> None:
        location = ".".join(filter(None, (check.path, place)))
        self.faults.append(
            Fault(code=f"TR-CHECK-{code}", where=location, message=message, remedy=remedy, line=check.line)
        )


def messages(invalid: ValidationError) -> Iterator[tuple[str, str]]:
    """Yield the path within the arguments and the message of each validation error."""
    for error in invalid.errors(include_input=False, include_url=False):
        yield "".join(f".{part}" for part in error["loc"]), error["msg"].removeprefix("Value error, ")


def _foreign(check: ContractCheck) -> BoundCheck | None:
    if check.kind == "text":
        return None
    reason = f"checks of type {check.kind} ({check.analyzer or 'no name'}) are not run by Treaty"
    return BoundCheck(check=check, analyzer=None, reason=reason)


def _on_property(kind: type[Analyzer], check: ContractCheck) -> Mapping[str, Any]:
    """Return the check's arguments, with the check's own column if they name none."""
    argument = next((word for word in ("column", "columns") if word in kind.model_fields), None)
    if argument is None or check.column is None or {"column", "columns"} & check.arguments.keys():
        return check.arguments
    return {argument: check.column, **check.arguments}
