"""The five library metrics of the standard as Treaty's analyzers.

| metric | is |
|---|---|
| rowCount | size |
| nullValues | null_values: rows without a value |
| missingValues | missing_values: rows with null, or with one of `missingValues` |
| invalidValues | invalid_values: rows with a value that is not among `validValues`, or not of the `pattern` |
| duplicateValues | duplicate_rows, copies: extra: rows whose values another row has too, beyond the first of each |

`unit: percent` is of all rows. A pattern may match anywhere within the text, as the standard's patterns do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from treaty.contracts.document.model import ContractCheck
from treaty.contracts.errors import suggest_nearest
from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.checks.column_keywords import search_arguments

UNITS = {"rows": "rows", "percent": "percent", "percentage": "percent", "%": "percent"}


@dataclass(frozen=True, kw_only=True)
class OdcsMetric:
    """The analyzer that a metric is, which argument names its columns, and whether it is counted in rows or percent.

    `words`: the standard's names of further arguments, with the arguments that a value of each stands for."""

    analyzer: str
    columns: str | None = "column"
    counted: bool = True
    words: Mapping[str, Callable[[Any], Mapping[str, Any]]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


def _missing(values: Any) -> Mapping[str, Any]:
    return {"missing": values}


def _valid(values: Any) -> Mapping[str, Any]:
    """Without null, which is missing and not invalid."""
    return {"valid_values": [each for each in values if each is not None] if isinstance(values, list) else values}


METRICS = {
    "rowCount": OdcsMetric(analyzer="size", columns=None, counted=False),
    "nullValues": OdcsMetric(analyzer="null_values"),
    "missingValues": OdcsMetric(analyzer="missing_values", words={"missingValues": _missing}),
    "invalidValues": OdcsMetric(analyzer="invalid_values", words={"validValues": _valid, "pattern": search_arguments}),
    "duplicateValues": OdcsMetric(analyzer="duplicate_rows", columns="columns", fixed={"copies": "extra"}),
}


def translate_check(check: ContractCheck) -> ContractCheck:
    """The library check in the words of our analyzers. Raises Unbindable, with the reason, where there are none."""
    metric = METRICS.get(check.analyzer)
    if metric is None:
        known = suggest_nearest(check.analyzer, METRICS) or f"it has {', '.join(METRICS)}"
        raise NotApplicableToTable(f"the standard has no metric {check.analyzer!r} ({known})")
    given = dict(check.arguments)
    unit, columns = given.pop("unit", "rows"), given.pop("columns", None)
    if given.keys() - metric.words.keys():
        raise NotApplicableToTable(f"{check.analyzer} has an argument that the standard does not name")
    arguments = {**_columns(check, metric, columns), **_counted(check.analyzer, metric, unit), **metric.fixed}
    for word, value in given.items():
        arguments |= metric.words[word](value)
    return replace(
        check, analyzer=metric.analyzer, arguments=arguments, column=check.column if metric.columns else None
    )


def _columns(check: ContractCheck, metric: OdcsMetric, named: Any) -> Mapping[str, Any]:
    """The columns that the arguments name, else the property that the check stands on."""
    if metric.columns is None:
        return {}
    if named is None and check.column is None:
        raise NotApplicableToTable(f"{check.analyzer} names no column: write it on a property")
    if "[]" in (check.column or ""):
        raise NotApplicableToTable(f"{check.analyzer} of the elements of an array is not judged")
    listed = named if isinstance(named, list) else [named or check.column]
    if metric.columns == "columns":
        return {"columns": listed}
    if len(listed) != 1:
        raise NotApplicableToTable(f"{check.analyzer} is said of one column: write it on each property")
    return {"column": listed[0]}


def _counted(name: str, metric: OdcsMetric, unit: Any) -> Mapping[str, str]:
    word = UNITS.get(str(unit).strip().lower())
    if word is None or (word == "percent" and not metric.counted):
        raise NotApplicableToTable(f"the unit of {name} is not one that it is counted in")
    return {"count_in": word} if metric.counted and word != "rows" else {}
