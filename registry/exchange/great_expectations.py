"""Export a contract as Great Expectations suites: one per table, as JSON.

Several tables give a list of suites. Checks that the suites do not support are listed in `meta` with the reason;
they include checks with row conditions, whose syntax depends on the execution engine. Checks of engine
`greatExpectations` are exported as they were imported."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from treaty.contracts.document.model import Contract, DataObject
from treaty.registry.exchange.common_checks import (
    NO_WORD,
    CommonCheck,
    CommonCheckKind,
    UnsupportedCheck,
    label,
    line,
    promises,
)
from treaty.registry.exchange.export_source import ExportSource

FOREIGN = frozenset({"greatExpectations", "great-expectations", "great_expectations", "gx"})
CONDITION = "the syntax of row conditions depends on the execution engine"
Expectation = tuple[str, dict[str, Any]]


def write(subject: ExportSource) -> bytes:
    """Return the file. Raises ContractError if the document has faults."""
    suites = [_suite(subject.contract, each) for each in subject.contract.objects]
    return json.dumps(suites[0] if len(suites) == 1 else suites, indent=2, ensure_ascii=False).encode() + b"\n"


def _suite(contract: Contract, described: DataObject) -> dict[str, Any]:
    unsupported: list[str] = []
    expectations = list(_expectations(described, unsupported))
    source = {"contract": line(contract.id), "version": line(contract.version), "table": line(described.name)}
    meta = {**source, **({"not_supported": unsupported} if unsupported else {})}
    name = label(f"{contract.id}.{described.name}")
    return {"name": name, "expectations": expectations, "meta": {"treaty": meta}}


def _expectations(described: DataObject, unsaid: list[str]) -> Iterator[Mapping[str, Any]]:
    for each in promises(described):
        if isinstance(each, UnsupportedCheck) and (own := _own(each)):
            yield own
        elif reason := _unsaid(each):
            unsaid.append(f"{line(each.check.sentence)} ({line(reason)})")
        elif isinstance(each, CommonCheck):
            yield _expectation(each, *SAYING[each.kind](each))


def _unsaid(of: CommonCheck | UnsupportedCheck) -> str | None:
    """Return why the check is not exported; None if it is."""
    if isinstance(of, UnsupportedCheck):
        return of.reason
    if of.where:
        return CONDITION
    return None if of.kind in SAYING else NO_WORD


def _own(unsaid: UnsupportedCheck) -> Mapping[str, Any] | None:
    """Return the original expectation of this engine; None for other engines."""
    own = unsaid.check.check
    implementation = own.arguments.get("implementation") if own.analyzer in FOREIGN else None
    return implementation if isinstance(implementation, dict) and "kwargs" in implementation else None


def _expectation(of: CommonCheck, kind: str, words: dict[str, Any]) -> dict[str, Any]:
    own = of.check
    origin = {"check": line(own.check.id), "severity": own.check.severity, "scope": line(own.scope)}
    return {"type": kind, "kwargs": words, "meta": {"treaty": origin}}


def _of_column(kind: str, *names: str) -> Callable[[CommonCheck], Expectation]:
    """Return a converter to an expectation on one column.

    `names`: keyword arguments of the check's values; None values are omitted."""

    def column_arguments(of: CommonCheck) -> Expectation:
        arguments = {name: each for name, each in zip(names, of.values, strict=True) if each is not None}
        return kind, {"column": of.column, **arguments}

    return column_arguments


def _in_set(of: CommonCheck) -> Expectation:
    return "expect_column_values_to_be_in_set", {"column": of.column, "value_set": list(of.values)}


def _unique(of: CommonCheck) -> Expectation:
    if len(of.columns) == 1:
        return "expect_column_values_to_be_unique", {"column": of.column}
    return "expect_compound_columns_to_be_unique", {"column_list": list(of.columns)}


def _rows(of: CommonCheck) -> Expectation:
    bounds = zip(BOUNDS, of.values, strict=True)
    return "expect_table_row_count_to_be_between", {name: each for name, each in bounds if each is not None}


BOUNDS = ("min_value", "max_value")
SAYING: Mapping[CommonCheckKind, Callable[[CommonCheck], Expectation]] = {
    CommonCheckKind.FILLED: _of_column("expect_column_values_to_not_be_null"),
    CommonCheckKind.LISTED: _in_set,
    CommonCheckKind.RANGED: _of_column("expect_column_values_to_be_between", *BOUNDS),
    CommonCheckKind.MATCHED: _of_column("expect_column_values_to_match_regex", "regex"),
    CommonCheckKind.UNIQUE: _unique,
    CommonCheckKind.ROWS: _rows,
    CommonCheckKind.LEAST: _of_column("expect_column_min_to_be_between", *BOUNDS),
    CommonCheckKind.GREATEST: _of_column("expect_column_max_to_be_between", *BOUNDS),
    CommonCheckKind.MEAN: _of_column("expect_column_mean_to_be_between", *BOUNDS),
    CommonCheckKind.SUM: _of_column("expect_column_sum_to_be_between", *BOUNDS),
    CommonCheckKind.DISTINCT: _of_column("expect_column_unique_value_count_to_be_between", *BOUNDS),
}
