"""What programs are learned from, read by Spark: the statistics of past partitions by one scan, and a sample of values.

The sample is of the newest partition, is held in memory alone, and has no column that is classified."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Column as Field
from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.anomaly.series import finite
from treaty.engine.components.operands import NUMERIC, ORDERED, TEXT
from treaty.engine.core.errors import EngineError
from treaty.engine.core.partitions import partition_names
from treaty.engine.profile.facts import bound
from treaty.engine.programs.analyzer_mapping import OF_ALL, OF_NUMBERS, OF_TEXTS, PRESENT, Measure
from treaty.engine.programs.history import distance_inputs
from treaty.engine.programs.newest_partitions import PARTITIONS, newest
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
    """The statistics of a column, by name, as the table's schema binds them."""

    field: Field
    statistics: Mapping[str, BoundAnalyzer]
    classified: bool

    @property
    def is_text(self) -> bool:
        """Whether its values are told as texts: all that are no numbers."""
        return self.field.base_type not in NUMERIC

    def compared(self, bag: StateBag) -> dict[str, Any]:
        """What distances of the column are told from; of what could not be computed nothing."""
        return distance_inputs(self.statistics.values(), bag.values)


def measured(
    table: ProfiledTable, by: Sequence[str], columns: Sequence[str], spoilt: frozenset[str], tell: ReportProgress
) -> TableHistory:
    """What is known of the newest partitions; the sample is of the newest that is not spoilt. Raises EngineError where
    no time orders them, or one has several."""
    wanted = [each for each in table.schema if each.name not in by and (not columns or each.name in columns)]
    asked = [_column_statistics(each, table.schema) for each in wanted]
    tell("measuring the partitions that programs are learned from")
    plans = plan(known for each in asked for known in each.statistics.values())
    states = scan(_newest(table, by), plans, partition_by=by)
    kept = _ordered(states)
    names = tuple(name for _, name in kept)
    last = next((name for name in reversed(names) if name not in spoilt), names[-1])
    tell(f"drawing a sample of {last}")
    return TableHistory(
        names=names,
        times=tuple(time for time, _ in kept),
        rows=tuple(_rows(states[name]) for name in names),
        values={each.field.name: _statistics(each, [states[name] for name in names]) for each in asked},
        texts=frozenset(each.field.name for each in asked if each.is_text),
        samples=_samples(partition_names.only(table.frame, by, [last]), asked),
        excluded_partitions=spoilt,
        distance_parts={each.field.name: [each.compared(states[name]) for name in names] for each in asked},
    )


def _newest(table: ProfiledTable, by: Sequence[str]) -> Any:
    """The rows of the newest partitions, where names tell beforehand which these are: no others are read."""
    if len(table.names) <= PARTITIONS:
        return table.frame
    return partition_names.only(table.frame, by, [name for _, name in _ordered(table.names)])


def _ordered(names: Iterable[str]) -> list[tuple[datetime, str]]:
    try:
        return newest(names)
    except ValueError as error:
        raise EngineError(str(error), retry=False) from None


def _column_statistics(field: Field, schema: Schema) -> ColumnStatistics:
    classified = (field.name,) in schema.classified
    measures: Mapping[str, Measure] = {**OF_ALL, **_of_type(field)}
    if classified:
        measures = {PRESENT: OF_ALL[PRESENT]}
    found = {name: known for name, make in measures.items() if (known := bound(make(field.name), schema))}
    return ColumnStatistics(field, found, classified)


def _of_type(field: Field) -> Mapping[str, Measure]:
    if field.base_type in NUMERIC:
        return OF_NUMBERS
    return OF_TEXTS if field.base_type in TEXT else {}


def _rows(bag: StateBag) -> int:
    return int(bag.entries[ROWS.key].value)


def _statistics(asked: ColumnStatistics, bags: Sequence[StateBag]) -> dict[str, list[float | None]]:
    alone = {name: bound for name, bound in asked.statistics.items() if not bound.analyzer.needs_previous}
    return {name: [_value(bound, bag) for bag in bags] for name, bound in alone.items()}


def _value(bound: BoundAnalyzer, bag: StateBag) -> float | None:
    """The metric as a finite number; None where it has none, or could not be computed."""
    try:
        return finite(bound.value(bag.values))
    except KeyError:
        return None


def _samples(rows: Any, asked: Sequence[ColumnStatistics]) -> dict[str, ColumnValues]:
    """At most `SAMPLE` rows, drawn uniformly; each column beside another of its type, where there is one."""
    shown = [each for each in asked if not each.classified and each.field.base_type in ORDERED]
    drawn = _sample_values(rows, [each.field.name for each in shown])
    given = {each.field.name: _values(each, drawn[each.field.name]) for each in shown}
    return {name: ColumnValues(own.values, _paired_values(name, given)) for name, own in given.items()}


def _sample_values(rows: Any, names: Sequence[str]) -> dict[str, list[Any]]:
    if not names:
        return {}
    from pyspark.sql import functions

    chosen = rows.select(*(functions.expr(quote(name)) for name in names))
    found = chosen.orderBy(functions.rand(SEED)).limit(SAMPLE).collect()
    return {name: [row[at] for row in found] for at, name in enumerate(names)}


def _values(asked: ColumnStatistics, values: Sequence[Any]) -> ColumnValues:
    if not asked.is_text:
        return column(values)
    return column(values, is_text=True)


def _paired_values(name: str, given: Mapping[str, ColumnValues]) -> Any | None:
    """The values of the next column of its type, behind the last one of the first; None where it is alone."""
    alike = [each for each, other in given.items() if other.is_text is given[name].is_text]
    other = alike[(alike.index(name) + 1) % len(alike)]
    return given[other].values if other != name else None
