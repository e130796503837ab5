"""Compute all components of all partitions in one scan, leaving out components that fail."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from treaty.engine.analyzers.base import NotApplicableToTable
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.frequencies import coarser
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.hash_key import HashKey, transient_key
from treaty.engine.core.partitions import partition_names
from treaty.engine.spark.process.errors import is_cancelled, is_damage, safe_message
from treaty.engine.spark.scan import features, keyed_hashing, separate_statements
from treaty.engine.spark.scan.frequencies import group
from treaty.engine.spark.scan.separate_statements import OtherDatasets
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.count_packing import PackedQuery
from treaty.engine.states.planning.scan_plan import ROWS, Derivation, Plan

# Functions that compute the states of each kind of grouping.
READERS = {"frequencies": group, "naive_bayes": features.group}


@dataclass
class ScanResult:
    """Component values by partition, and the reasons of components that could not be computed."""

    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)


def scan(
    frame: Any,
    plan: Plan,
    *,
    partition_by: Sequence[str] = (),
    expected: Sequence[str] = (),
    other_datasets: OtherDatasets = separate_statements.NONE,
) -> dict[str, StateBag]:
    """Return the states of every partition of the frame by partition name.

    `expected`: partitions returned even without rows. Whole-table components are not included: see
    `separate_statements.whole_table_states`. Raises UnreadableTable if files are damaged, a partition column is
    missing or rows cannot be counted."""
    schema, result, key = schema_of(frame), ScanResult(), plan.key or transient_key()
    plan = replace(plan, key=key)
    partition_names.refuse(partition_by, schema)
    for chunk in plan.chunks():
        _scan(keyed_hashing.with_hash_key(frame, chunk, key), chunk, partition_by, result)
    for part in plan.groupings:
        if part.key not in plan.derived:
            _group(frame, part, partition_by, result, key)
    for part in plan.groupings:
        if part.key in plan.derived:
            _derive(frame, part, plan.derived[part.key], partition_by, result, key)
    names = sorted({*result.values, *(expected if partition_by else ("",))})
    for part in plan.separate:
        _read_separately(frame, part, partition_by, names, other_datasets, result)
    return {
        name: bags.bag_of_plan(plan, result.values.get(name, {}), schema, failures=result.failures) for name in names
    }


def _scan(frame: Any, parts: Sequence[BoundComponent], partition_by: Sequence[str], result: ScanResult) -> None:
    question = PackedQuery.of(parts)
    try:
        rows = _aggregate(frame, question, partition_by)
    except Exception as error:
        _isolate(frame, parts, partition_by, result, error)
        return
    width = len(partition_by)
    for row in rows:
        values = tuple(row)
        name = partition_names.name(partition_by, values[:width])
        result.values.setdefault(name, {}).update(question.read(values[width:]))


def _isolate(
    frame: Any, parts: Sequence[BoundComponent], partition_by: Sequence[str], result: ScanResult, error: Exception
) -> None:
    """Halve the components until the failing one is isolated: one faulty predicate must not affect others."""
    if is_cancelled(error):
        raise error
    if is_damage(error) or (parts[0] == ROWS and len(parts) == 1):
        raise UnreadableTable(f"the rows cannot be read: {safe_message(error)}; repair or rewrite the files") from error
    if len(parts) == 1:
        result.failures[parts[0].key] = f"Spark could not compute it: {safe_message(error)}"
        return
    middle = len(parts) // 2
    _scan(frame, parts[:middle], partition_by, result)
    _scan(frame, parts[middle:], partition_by, result)


def _aggregate(frame: Any, question: PackedQuery, partition_by: Sequence[str]) -> list[Any]:
    from pyspark.sql import functions

    prefix = _unused(frame.columns)
    packed_words = [functions.expr(sql).alias(name) for name, sql in question.columns(prefix).items()]
    by = [functions.expr(sql).alias(f"p{at}") for at, sql in enumerate(partition_names.keys(partition_by))]
    aggregates = [functions.expr(sql).alias(f"c{at}") for at, sql in enumerate(question.aggregates(prefix))]
    rows: list[Any] = (
        (frame.select("*", *packed_words) if packed_words else frame).groupBy(*by).agg(*aggregates).collect()
    )
    return rows


def _unused(columns: Sequence[str]) -> str:
    """Return a prefix that no column name starts with."""
    prefix = "word"
    while any(column.lower().startswith(prefix) for column in columns):
        prefix += "_"
    return prefix


def _group(frame: Any, part: BoundComponent, partition_by: Sequence[str], result: ScanResult, key: HashKey) -> None:
    try:
        for name, table in READERS[part.component.kind](frame, part, partition_by, key).items():
            result.values.setdefault(name, {})[part.key] = table
    except NotApplicableToTable as reason:
        result.failures[part.key] = str(reason)
    except Exception as error:
        if is_cancelled(error):
            raise
        result.failures[part.key] = f"Spark could not compute it: {safe_message(error)}"


def _read_separately(
    frame: Any,
    part: BoundComponent,
    partition_by: Sequence[str],
    names: Sequence[str],
    other_datasets: OtherDatasets,
    result: ScanResult,
) -> None:
    states = separate_statements.read(frame, part, other_datasets, partition_by=partition_by, names=names)
    if isinstance(states, str):
        result.failures[part.key] = states
        return
    for name, state in states.items():
        result.values.setdefault(name, {})[part.key] = state


def _derive(
    frame: Any,
    part: BoundComponent,
    derivation: Derivation,
    partition_by: Sequence[str],
    result: ScanResult,
    key: HashKey,
) -> None:
    """Derive the grouping's tables from a finer grouping in this process; scan it if that one failed."""
    if derivation.finer.key in result.failures:
        _group(frame, part, partition_by, result, key)
        return
    for values in result.values.values():
        finer = values.get(derivation.finer.key)
        if finer is not None:
            values[part.key] = coarser(finer, derivation.key_positions)
