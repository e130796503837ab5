"""A contract as suites of Great Expectations, in JSON: one suite, or a list of them where it has several tables.

What these cannot say stands in the `meta` of the suite, with the reason. Conditions on rows are among it: how they are
written depends on where a suite runs. A check of engine `greatExpectations` goes back as it came."""

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
CONDITION = "its condition on rows is written as the data lie"
Expectation = tuple[str, dict[str, Any]]


def write(subject: ExportSource) -> bytes:
    """The file. Raises ContractError for a faulty document."""
    suites = [_suite(subject.contract, each) for each in subject.contract.objects]
    return json.dumps(suites[0] if len(suites) == 1 else suites, indent=2, ensure_ascii=False).encode() + b"\n"


def _suite(contract: Contract, described: DataObject) -> dict[str, Any]:
    unsaid: list[str] = []
    expectations = list(_expectations(described, unsaid))
    about = {"contract": line(contract.id), "version": line(contract.version), "table": line(described.name)}
    meta = {**about, **({"not_said": unsaid} if unsaid else {})}
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
    """Why it is not said; None where it is."""
    if isinstance(of, UnsupportedCheck):
        return of.reason
    if of.where:
        return CONDITION
    return None if of.kind in SAYING else NO_WORD


def _own(unsaid: UnsupportedCheck) -> Mapping[str, Any] | None:
    """The expectation that it is; None where it is none."""
    own = unsaid.check.check
    given = own.arguments.get("implementation") if own.analyzer in FOREIGN else None
    return given if isinstance(given, dict) and "kwargs" in given else None


def _expectation(of: CommonCheck, kind: str, words: dict[str, Any]) -> dict[str, Any]:
    own = of.check
    about = {"check": line(own.check.id), "severity": own.check.severity, "scope": line(own.scope)}
    return {"type": kind, "kwargs": words, "meta": {"treaty": about}}


def _of_column(kind: str, *names: str) -> Callable[[CommonCheck], Expectation]:
    """An expectation of one column, which is told these in turn; a bound that there is not is left out."""

    def column_arguments(of: CommonCheck) -> Expectation:
        told = {name: each for name, each in zip(names, of.values, strict=True) if each is not None}
        return kind, {"column": of.column, **told}

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
