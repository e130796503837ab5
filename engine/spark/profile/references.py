"""Find columns whose values all occur in a key of another dataset.

Few pairs are counted exactly. They are chosen by name and by theta sketches of the table's columns and of other
datasets' keys."""

from collections.abc import Iterable, Iterator
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import operand_of
from treaty.engine.components.operands import INTEGRAL, TEXT
from treaty.engine.components.theta_sketch import ThetaSketch
from treaty.engine.core.errors import EngineError
from treaty.engine.profile.measurements import HistorySlice
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.protocol.requests import DraftRequest, ReferableKey, TableSource
from treaty.engine.spark.profile.profiler import ProfiledTable
from treaty.engine.spark.sources.readers import read, schema_of
from treaty.engine.suggestions.selection import references as selection_references
from treaty.engine.suggestions.selection.holdout_test import HoldoutCandidate
from treaty.engine.suggestions.selection.references import KeyValues

MOST_PAIRS = 20
# Keys of further datasets are compared only with columns that are named after them.
MOST_DATASETS = 20


def references(
    session: Any, table: ProfiledTable, profile: TableProfile, request: DraftRequest, report_progress: ReportProgress
) -> list[HoldoutCandidate]:
    """Return the references found in the table's columns; none if rows were sampled.

    Datasets that cannot be read are skipped."""
    if profile.sampled < 1 or not request.keys:
        return []
    part = HistorySlice.of(profile)
    named = list(selection_references.pairs(part, request.keys))
    every = _overlapping(session, table, part, request.keys) if request.sketched else ()
    sketched_pairs = (pair for pair in every if pair not in named)
    likely = [*named, *sketched_pairs][:MOST_PAIRS]
    if likely:
        report_progress(f"searching for references of {len(likely)} columns")
    by_column: dict[str, HoldoutCandidate] = {}
    for column, key in likely:
        # A column refers to one dataset: the first that contains all its values, with name matches first.
        if column.column.name not in by_column and _is_within(session, table, column, key):
            by_column[column.column.name] = selection_references.reference_suggestion(column, key, part)
    return list(by_column.values())


def _overlapping(
    session: Any, table: ProfiledTable, part: HistorySlice, keys: Iterable[ReferableKey]
) -> Iterator[tuple[ColumnProfile, ReferableKey]]:
    """Yield the pairs whose sketches allow containment, for the first datasets with keys."""
    other_keys = list(_keys_of(session, keys))
    columns = [
        each for each in selection_references.referable(part)
        if any(selection_references.may_lie_within(each, part, key_values) for _, key_values in other_keys)
    ]  # fmt: skip
    own_values = _sketched(table.frame, [each.column.name for each in columns])
    for key, key_values in other_keys:
        yield from (
            (each, key) for each in columns if selection_references.lie_within(own_values[each.column.name], key_values)
        )


def _keys_of(session: Any, keys: Iterable[ReferableKey]) -> Iterator[tuple[ReferableKey, KeyValues]]:
    by_source: dict[TableSource, list[ReferableKey]] = {}
    for key in keys:
        by_source.setdefault(key.source, []).append(key)
    for source, those in list(by_source.items())[:MOST_DATASETS]:
        try:
            key_values = _sketched(read(session, source), [key.column for key in those])
        except EngineError:
            continue
        yield from ((key, key_values[key.column]) for key in those if key.column in key_values)


def _sketched(frame: Any, names: Iterable[str]) -> dict[str, KeyValues]:
    """Summarize the values of those columns that are texts or whole numbers; scans nothing for none."""
    schema = schema_of(frame)
    fit = {each.name for each in schema if each.base_type in TEXT | INTEGRAL}
    usable = [name for name in dict.fromkeys(names) if name in fit]
    if not usable:
        return {}
    row = frame.selectExpr(
        *(each for at, name in enumerate(usable) for each in _key_aggregates(at, name, schema))
    ).first()
    return {name: _keys(*row[3 * at : 3 * at + 3]) for at, name in enumerate(usable)}


def _key_aggregates(at: int, name: str, schema: Schema) -> tuple[str, str, str]:
    (sketch,), whole = ThetaSketch().aggregates((operand_of(name, schema),)), f"try_cast({quote(name)} as bigint)"
    numbers = f"count({quote(name)}) = count({whole})"
    return (
        f"{sketch} as s{at}",
        f"if({numbers}, min({whole}), null) as l{at}",
        f"if({numbers}, max({whole}), null) as h{at}",
    )


def _keys(sketch: Any, low: int | None, high: int | None) -> KeyValues:
    return KeyValues(bytes(sketch) if sketch else None, low, high)


def _is_within(session: Any, table: ProfiledTable, column: ColumnProfile, key: ReferableKey) -> bool:
    try:
        other = read(session, key.source)
        kinds = {each.name: each.base_type in TEXT for each in schema_of(other)}
        if kinds.get(key.column) is not (column.column.base_type in TEXT):
            return False
        own_values = table.frame.selectExpr(f"{quote(column.column.name)} as k").where("k is not null").distinct()
        key_values = other.selectExpr(f"{quote(key.column)} as k")
        return bool(own_values.join(key_values, "k", "left_anti").isEmpty())
    except EngineError:
        return False
