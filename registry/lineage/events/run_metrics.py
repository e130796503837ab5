"""The numbers of a run as OpenLineage has words for them: rows, and of each column counts, sums, bounds and quantiles.

Texts, metrics of only some rows, and all numbers of columns that the contract classifies are left out."""

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
    """`rows` None: nobody counted them. `columns`: by column the words that there is a number for."""

    rows: int | None = None
    columns: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def numbers(result: RunResult, of: DataObject) -> OutputNumbers:
    """The numbers of what the run judged: of its one partition, or of all of them together."""
    only = result.partitions[0] if len(result.partitions) == 1 else None
    names = masked(of)
    found: dict[str, dict[str, Any]] = {}
    for each in result.measurements:
        column = each.arguments.get("column")
        if each.partition != only or each.arguments.get("where") or not isinstance(column, str):
            continue
        if not _is_hidden(column, of, names):
            _put(found.setdefault(column, {}), each)
    return OutputNumbers(result.rows, {name: told for name, told in sorted(found.items()) if told})


def hidden(result: RunResult, of: DataObject) -> frozenset[str]:
    """The ids of the checks that are about a column whose values are not for every eye."""
    names = masked(of)
    columns = {each.check_id for each in result.results if each.column and _is_hidden(each.column, of, names)}
    return frozenset(each.id for each in of.checks if _speaks(each, of, names)) | columns


def parts(result: RunResult, of: DataObject) -> tuple[Mapping[str, str], ...]:
    """The partitions that were judged, by their columns; () where they are none of columns, or of classified ones."""
    found = [dict(_values(each)) for each in result.partitions]
    names = masked(of)
    open_ = all(each and not names & {column.casefold() for column in each} for each in found)
    return tuple(found) if open_ else ()


def masked(of: DataObject) -> frozenset[str]:
    """The names, in small letters, of the declared columns that are classified, or in which something is."""
    return frozenset(each.name.casefold() for each in of.properties if is_masked(of, (each.name,)))


def _put(found: dict[str, Any], measured: Measurement) -> None:
    value = measured.value
    if value is None or isinstance(value, str) or not _is_told(value):
        return
    if measured.analyzer in QUANTILES:
        found.setdefault("quantiles", {})[str(measured.arguments.get("quantile"))] = float(value)
    elif word := WORDS.get(measured.analyzer):
        found[word] = int(value) if word in COUNTS else float(value)


def _is_told(value: int | float | Decimal) -> bool:
    """Whether it is a number that JSON has, and that a double holds."""
    try:
        return math.isfinite(float(value))
    except OverflowError:
        return False


def _is_hidden(column: str, of: DataObject, names: frozenset[str]) -> bool:
    """Whether it is, or lies in, a classified column, or one that the contract, which declares columns, does not."""
    declared = {each.name.casefold() for each in of.properties}
    whole, top = (each.replace("`", "").casefold() for each in (column, column.partition(".")[0]))
    here = {whole, top}
    return bool(here & names) or not (here & declared or (not declared and not is_masked(of, (column,))))


def _speaks(check: ContractCheck, of: DataObject, names: frozenset[str]) -> bool:
    """Whether a column is named in any of the check's words: a doubt hides more than it need."""
    column = check.column or check.arguments.get("column")
    if isinstance(column, str) and _is_hidden(column, of, names):
        return True
    said = " ".join(_texts([check.arguments, check.where])).casefold()
    return any(each in said for each in names)


def _texts(words: Any) -> Iterator[str]:
    if isinstance(words, str):
        yield words
    elif isinstance(words, Mapping):
        yield from _texts(list(words.values()))
    elif isinstance(words, Sequence):
        for each in words:
            yield from _texts(each)


def _values(partition: str) -> Iterator[tuple[str, str]]:
    """Column and value of each step; nothing where a step is no such thing."""
    steps = [PARTITION.fullmatch(each) for each in partition.split("/")]
    if all(steps):
        yield from ((unquote(each[1]), unquote(each[2])) for each in steps if each)
