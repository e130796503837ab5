"""Translate the five library metrics of ODCS to Treaty's analyzers.

| metric | analyzer |
|---|---|
| rowCount | size |
| nullValues | null_values: rows without a value |
| missingValues | missing_values: rows with null, or with one of `missingValues` |
| invalidValues | invalid_values: rows with a value that is not among `validValues`, or does not match `pattern` |
| duplicateValues | duplicate_rows, copies: extra: rows that repeat the values of another row, not counting the first |

`unit: percent` is relative to all rows. A pattern may match anywhere within the text, as in the standard."""

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
    """The analyzer of an ODCS metric.

    - `columns`: argument that names its columns; None for the whole table.
    - `counted`: whether it counts rows, in rows or percent.
    - `words`: further arguments of the standard, each with a function that returns the analyzer's arguments for its
      value.
    - `fixed`: constant arguments."""

    analyzer: str
    columns: str | None = "column"
    counted: bool = True
    words: Mapping[str, Callable[[Any], Mapping[str, Any]]] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)


def _missing(values: Any) -> Mapping[str, Any]:
    return {"missing": values}


def _valid(values: Any) -> Mapping[str, Any]:
    """Drop null from the valid values; it is missing, not invalid."""
    return {"valid_values": [each for each in values if each is not None] if isinstance(values, list) else values}


METRICS = {
    "rowCount": OdcsMetric(analyzer="size", columns=None, counted=False),
    "nullValues": OdcsMetric(analyzer="null_values"),
    "missingValues": OdcsMetric(analyzer="missing_values", words={"missingValues": _missing}),
    "invalidValues": OdcsMetric(analyzer="invalid_values", words={"validValues": _valid, "pattern": search_arguments}),
    "duplicateValues": OdcsMetric(analyzer="duplicate_rows", columns="columns", fixed={"copies": "extra"}),
}


def translate_check(check: ContractCheck) -> ContractCheck:
    """Translate a library check to Treaty's analyzers. Raises NotApplicableToTable with the reason if impossible."""
    metric = METRICS.get(check.analyzer)
    if metric is None:
        remedy = suggest_nearest(check.analyzer, METRICS) or f"available: {', '.join(METRICS)}"
        raise NotApplicableToTable(f"the standard has no metric {check.analyzer!r} ({remedy})")
    arguments_left = dict(check.arguments)
    unit, columns = arguments_left.pop("unit", "rows"), arguments_left.pop("columns", None)
    if arguments_left.keys() - metric.words.keys():
        raise NotApplicableToTable(f"{check.analyzer} has an argument that the standard does not define")
    arguments = {**_columns(check, metric, columns), **_counted(check.analyzer, metric, unit), **metric.fixed}
    for word, value in arguments_left.items():
        arguments |= metric.words[word](value)
    return replace(
        check, analyzer=metric.analyzer, arguments=arguments, column=check.column if metric.columns else None
    )


def _columns(check: ContractCheck, metric: OdcsMetric, named: Any) -> Mapping[str, Any]:
    """Return the columns that the arguments name, else the check's own."""
    if metric.columns is None:
        return {}
    if named is None and check.column is None:
        raise NotApplicableToTable(f"{check.analyzer} has no column: add it to a property")
    if "[]" in (check.column or ""):
        raise NotApplicableToTable(f"{check.analyzer} cannot be evaluated on array elements")
    names = named if isinstance(named, list) else [named or check.column]
    if metric.columns == "columns":
        return {"columns": names}
    if len(names) != 1:
        raise NotApplicableToTable(f"{check.analyzer} applies to a single column: add it to each property")
    return {"column": names[0]}


def _counted(name: str, metric: OdcsMetric, unit: Any) -> Mapping[str, str]:
    word = UNITS.get(str(unit).strip().lower())
    if word is None or (word == "percent" and not metric.counted):
        raise NotApplicableToTable(f"{name} does not support this unit")
    return {"count_in": word} if metric.counted and word != "rows" else {}
