"""Read the training data of programs: statistics of past partitions and a sample of values.

The statistics take one scan. The sample is of the newest partition, stays in memory and has no classified column."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Column as Field
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.components.operands import NUMERIC, ORDERED, TEXT
from treaty.engine.core.errors import EngineError
from treaty.engine.core.partitions import partition_names
from treaty.engine.profile.facts import bound
from treaty.engine.programs.analyzer_mapping import OF_ALL, OF_NUMBERS, OF_TEXTS, PRESENT, Measure
from treaty.engine.programs.history import distance_inputs, statistic_value
from treaty.engine.programs.newest_partitions import Dated, newest
from treaty.engine.programs.recipe import SAMPLE
from treaty.engine.programs.suggestions import TableHistory
from treaty.engine.protocol.progress import ReportProgress
from treaty.engine.spark.profile.profiler import ProfiledTable
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import ROWS, plan
from treaty.engine.statistics.column_values import ColumnValues, column

SEED = 20


@dataclass(frozen=True)
class ColumnStatistics:
    """The statistics of a column by name, bound to the table's schema."""

    field: Field
    statistics: Mapping[str, BoundAnalyzer]
    classified: bool

    @property
    def is_text(self) -> bool:
        """Return True if values are handled as texts: all types except numbers."""
        return self.field.base_type not in NUMERIC

    def compared(self, bag: StateBag) -> dict[str, Any]:
        """Return the inputs of the column's distances, without those that could not be computed."""
        return distance_inputs(self.statistics.values(), bag.values)


def measured(
    table: ProfiledTable,
    by: Sequence[str],
    columns: Sequence[str],
    excluded_partitions: frozenset[str],
    times: int | None,
    report_progress: ReportProgress,
) -> TableHistory:
    """Return the history of the newest partitions with a sample of the largest segment's newest.

    `excluded_partitions`: excluded partitions, which are not sampled. `times`: as in `newest`. Raises EngineError if
    the partitions cannot be ordered by time."""
    fields = [each for each in table.schema if each.name not in by and (not columns or each.name in columns)]
    columns_to_measure = [_column_statistics(each, table.schema) for each in fields]
    report_progress("measuring past partitions")
    plans = plan(bound_statistic for each in columns_to_measure for bound_statistic in each.statistics.values())
    states = scan(_newest(table, by, times), plans, partition_by=by)
    ordered = _ordered(states, {name: _rows(bag) for name, bag in states.items()}, times)
    names = tuple(name for _, name in ordered)
    last = next((name for name in reversed(names) if name not in excluded_partitions), names[-1])
    report_progress(f"sampling {last}")
    return TableHistory(
        names=names,
        times=tuple(time for time, _ in ordered),
        rows=tuple(_rows(states[name]) for name in names),
        values={each.field.name: _statistics(each, [states[name] for name in names]) for each in columns_to_measure},
        texts=frozenset(each.field.name for each in columns_to_measure if each.is_text),
        samples=_samples(partition_names.only(table.frame, by, [last]), columns_to_measure),
        excluded_partitions=excluded_partitions,
        distance_parts={
            each.field.name: [each.compared(states[name]) for name in names] for each in columns_to_measure
        },
    )


def _newest(table: ProfiledTable, by: Sequence[str], times: int | None) -> Any:
    """Return the rows of the newest partitions; all rows if partition names are unknown, or if all are used."""
    names = [name for _, name in _ordered(table.names, None, times)] if table.names else []
    if len(names) == len(table.names):
        return table.frame
    return partition_names.only(table.frame, by, names)


def _ordered(names: Iterable[str], rows: Mapping[str, int] | None, times: int | None) -> Dated:
    try:
        return newest(names, rows, times)
    except ValueError as error:
        raise EngineError(str(error), retry=False) from None


def _column_statistics(field: Field, schema: Schema) -> ColumnStatistics:
    classified = (field.name,) in schema.classified
    measures: Mapping[str, Measure] = {**OF_ALL, **_of_type(field)}
    if classified:
        measures = {PRESENT: OF_ALL[PRESENT]}
    bound_statistics = {
        name: statistic for name, make in measures.items() if (statistic := bound(make(field.name), schema))
    }
    return ColumnStatistics(field, bound_statistics, classified)


def _of_type(field: Field) -> Mapping[str, Measure]:
    if field.base_type in NUMERIC:
        return OF_NUMBERS
    return OF_TEXTS if field.base_type in TEXT else {}


def _rows(bag: StateBag) -> int:
    return int(bag.entries[ROWS.key].value)


def _statistics(statistics: ColumnStatistics, bags: Sequence[StateBag]) -> dict[str, list[float | None]]:
    alone = {name: bound for name, bound in statistics.statistics.items() if not bound.analyzer.needs_previous}
    return {name: [_value(bound, bag) for bag in bags] for name, bound in alone.items()}


def _value(bound: BoundAnalyzer, bag: StateBag) -> float | None:
    """Return the statistic, infinite if values are; None if it has none or could not be computed."""
    try:
        return statistic_value(bound.value(bag.values))
    except KeyError:
        return None


def _samples(rows: Any, statistics: Sequence[ColumnStatistics]) -> dict[str, ColumnValues]:
    """Draw at most `SAMPLE` rows uniformly; each column is paired with another of its type, if any."""
    sampled = [each for each in statistics if not each.classified and each.field.base_type in ORDERED]
    rows_by_column = _sample_values(rows, [each.field.name for each in sampled])
    samples = {each.field.name: _values(each, rows_by_column[each.field.name]) for each in sampled}
    return {name: ColumnValues(own.values, _paired_values(name, samples)) for name, own in samples.items()}


def _sample_values(rows: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    if not names:
        return {}
    from pyspark.sql import functions

    chosen = rows.select(*(functions.expr(quote(name)) for name in names))
    sample = chosen.orderBy(functions.rand(SEED)).limit(SAMPLE).collect()
    return {name: [row[at] for row in sample] for at, name in enumerate(names)}


def _values(statistics: ColumnStatistics, values: Sequence[Any]) -> ColumnValues:
    if not statistics.is_text:
        return column(values)
    return column(values, is_text=True)


def _paired_values(name: str, values: Mapping[str, ColumnValues]) -> Any | None:
    """Return the values of the next column of its type, cyclically; None if it is the only one."""
    same_type = [each for each, other in values.items() if other.is_text is values[name].is_text]
    other = same_type[(same_type.index(name) + 1) % len(same_type)]
    return values[other].values if other != name else None
