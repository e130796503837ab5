"""Map measurements of a run to OpenLineage metrics: row count, and per column counts, sums, bounds and quantiles.

Text values, metrics on a subset of rows, and all metrics of columns that the contract classifies are excluded."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from urllib.parse import unquote

from treaty.contracts.document.classification import is_masked
from treaty.contracts.document.model import ContractCheck, DataObject
from treaty.engine.core.results import Measurement, RunResult

WORDS = {
    "approx_count_distinct": "distinctCount",
    "null_values": "nullCount",
    "sum": "sum",
    "minimum": "min",
    "maximum": "max",
}
COUNTS = frozenset({"distinctCount", "nullCount"})
QUANTILES = frozenset({"approx_quantile", "exact_quantile"})
PARTITION = re.compile(r"([^=/]+)=([^/]*)")


@dataclass(frozen=True)
class OutputNumbers:
    """Metrics of a validation.

    `rows`: None if the rows were not counted. `columns`: by column, the OpenLineage metrics and their values."""

    rows: int | None = None
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def numbers(result: RunResult, of: DataObject) -> OutputNumbers:
    """Return the metrics of the validated data: of its single partition, or across all partitions."""
    only = result.partitions[0] if len(result.partitions) == 1 else None
    names = masked(of)
    by_column: dict[str, dict[str, Any]] = {}
    for each in result.measurements:
        column = each.arguments.get("column")
        if each.partition != only or each.arguments.get("where") or not isinstance(column, str):
            continue
        if not _is_hidden(column, of, names):
            _put(by_column.setdefault(column, {}), each)
    return OutputNumbers(result.rows, {name: metrics for name, metrics in sorted(by_column.items()) if metrics})


def hidden(result: RunResult, of: DataObject) -> frozenset[str]:
    """Return the ids of the checks on columns whose values must not be emitted."""
    names = masked(of)
    columns = {each.check_id for each in result.results if each.column and _is_hidden(each.column, of, names)}
    return frozenset(each.id for each in of.checks if _speaks(each, of, names)) | columns


def parts(result: RunResult, of: DataObject) -> tuple[Mapping[str, str], ...]:
    """Return the validated partitions as values by column.

    The result is () if a partition is not named by columns, or by a classified one."""
    partitions = [dict(_values(each)) for each in result.partitions]
    names = masked(of)
    is_public = all(each and not names & {column.casefold() for column in each} for each in partitions)
    return tuple(partitions) if is_public else ()


def masked(of: DataObject) -> frozenset[str]:
    """Return the case-folded names of declared columns that are, or contain, classified fields."""
    return frozenset(each.name.casefold() for each in of.properties if is_masked(of, (each.name,)))


def _put(measurements: dict[str, Any], measured: Measurement) -> None:
    value = measured.value
    if value is None or isinstance(value, str) or not _is_told(value):
        return
    if measured.analyzer in QUANTILES:
        measurements.setdefault("quantiles", {})[str(measured.arguments.get("quantile"))] = float(value)
    elif word := WORDS.get(measured.analyzer):
        measurements[word] = int(value) if word in COUNTS else float(value)


def _is_told(value: int | float | Decimal) -> bool:
    """Return whether a double, and therefore JSON, can represent the number."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_hidden(column: str, of: DataObject, names: frozenset[str]) -> bool:
    """Return whether the column is, or lies in, a classified or undeclared column.

    Columns only count as undeclared if the contract declares any."""
    declared = {each.name.casefold() for each in of.properties}
    whole, top = (each.replace("`", "").casefold() for each in (column, column.partition(".")[0]))
    candidates = {whole, top}
    return bool(candidates & names) or not (candidates & declared or (not declared and not is_masked(of, (column,))))


def _speaks(check: ContractCheck, of: DataObject, names: frozenset[str]) -> bool:
    """Return whether a text of the check mentions a masked column. May hide more than necessary."""
    column = check.column or check.arguments.get("column")
    if isinstance(column, str) and _is_hidden(column, of, names):
        return True
    text = " ".join(_texts([check.arguments, check.where])).casefold()
    return any(each in text for each in names)


def _texts(words: Any) -> Iterator[str]:
    if isinstance(words, str):
        yield words
    elif isinstance(words, Mapping):
        yield from _texts(list(words.values()))
    elif isinstance(words, Sequence):
        for each in words:
            yield from _texts(each)


def _values(partition: str) -> Iterator[tuple[str, str]]:
    """Yield column and value of each path step; nothing if a step has another form."""
    steps = [PARTITION.fullmatch(each) for each in partition.split("/")]
    if all(steps):
        yield from ((unquote(each[1]), unquote(each[2])) for each in steps if each)
