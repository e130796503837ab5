"""Refit the limits of program clauses in a contract from stored states, without reading rows.

Without a sample of rows nothing shows which other clauses would be useful, so the clauses stay and only their limits
change."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.base import Analyzer
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.analyzers.nulls import MeanCompleteness
from treaty.engine.anomaly.cadence import LagUnit
from treaty.engine.anomaly.detector import Limits, between
from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.anomaly.series import finite
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.components.operands import NUMERIC
from treaty.engine.core.errors import StateError
from treaty.engine.core.learning_options import LEAST_BATCHES
from treaty.engine.profile.facts import bound
from treaty.engine.programs.analyzer_mapping import MEASURES, PRESENT, ROWS
from treaty.engine.programs.fitting import refit_clause
from treaty.engine.programs.history import ColumnHistory, distance_inputs, statistic_value
from treaty.engine.programs.limits import outward
from treaty.engine.programs.newest_partitions import newest
from treaty.engine.programs.program import Clause, NoProgram
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.programs.suggestions import TableHistory
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag, StateFileStore
from treaty.engine.states.planning.scan_plan import ROWS as COUNT

Array = NDArray[Any]

ROW_COUNT = "row_count"
# Statistics needed for the floors of other statistics, and to find outlier partitions.
FLOORS = (PRESENT, "distinct_count", "mean", "standard_deviation", "mean_length")


@dataclass(frozen=True, kw_only=True)
class WatchedClause:
    """A program clause in a contract, with its check and its statistic.

    `column`: None for a statistic of the table. `analyzer`: measures the statistic."""

    check_id: str
    clause: ProgramClause
    column: str | None
    statistic: str
    analyzer: Analyzer = ROWS

    @property
    def history_name(self) -> str:
        """Return the name of its history: that of the column, or one that identifies a metric of the table."""
        return self.column or f"table {self.analyzer.identity}"


@dataclass(frozen=True, kw_only=True)
class Refit:
    """A clause's limits refitted to newer history, rounded outwards.

    `partitions`: those learned from; `rows`: their total rows. `evaluated`: number of these evaluated in the
    backtest, each by limits of the ones before it; `alarms`: those that alarmed although none is known to be bad.
    `observed`: the transformed statistic per partition; None if missing."""

    watched: WatchedClause
    lower: float | None
    upper: float | None
    partitions: tuple[str, ...]
    evaluated: int
    alarms: tuple[str, ...]
    observed: tuple[float | None, ...]
    rows: int = 0

    @property
    def limits(self) -> Limits:
        """Return the lower and the upper limit."""
        return self.lower, self.upper

    @property
    def points(self) -> int:
        """Return the number of partitions learned from."""
        return len(self.partitions)

    @property
    def outside(self) -> tuple[str, ...]:
        """Return the partitions outside the limits."""
        pairs = zip(self.partitions, self.observed, strict=True)
        return tuple(name for name, value in pairs if value is not None and not between(self.limits, value))


def watched_clauses(checks: BoundChecks) -> Iterator[WatchedClause]:
    """Yield the program clauses among the checks whose statistic is known; others keep their limits."""
    for each in checks.checks:
        if isinstance(each.detector, ProgramClause) and (watched := _watched(each, each.detector)):
            yield watched


def _watched(check: BoundCheck, clause: ProgramClause) -> WatchedClause | None:
    analyzer = check.analyzer
    if analyzer is None or check.scope != "delta":
        return None
    if analyzer.identity == ROWS.identity:
        return WatchedClause(check_id=check.check.id, clause=clause, column=None, statistic=ROW_COUNT)
    if isinstance(analyzer, MeanCompleteness):
        return WatchedClause(check_id=check.check.id, clause=clause, column=None, statistic=PRESENT, analyzer=analyzer)
    statistics = {make(clause.of).identity: name for name, make in MEASURES.items()}
    name = statistics.get(analyzer.identity)
    if name is None:
        return None
    return WatchedClause(check_id=check.check.id, clause=clause, column=clause.of, statistic=name, analyzer=analyzer)


def refits(clauses: Sequence[WatchedClause], table_history: TableHistory) -> dict[str, Refit | NoProgram]:
    """Refit each clause, by check id; NoProgram while there is too little history."""
    pasts = {column: ColumnPasts(history) for column, history in table_history.histories.items()}
    return {each.check_id: _refit(each, pasts[each.history_name]) for each in clauses}


@dataclass(frozen=True)
class ColumnPasts:
    """A column's history, and its state before each of its times."""

    history: ColumnHistory

    @cached_property
    def steps(self) -> Sequence[tuple[ColumnHistory, Sequence[int]]]:
        """Return the sufficient histories before a time, with the positions of its partitions learned from."""
        steps = self.history.steps(len(self.history.batches), self.history.training_positions)
        return [(before, arrivals) for before, arrivals in steps if before.length >= LEAST_BATCHES]


def _refit(of: WatchedClause, past: ColumnPasts) -> Refit | NoProgram:
    history = past.history
    if history.newest is None or history.length < LEAST_BATCHES:
        return NoProgram(history.length, LEAST_BATCHES)
    clause = _of(of, history.cadence.unit)
    lower, upper = _limits(refit_clause(clause, history))
    backtest = _backtest(clause, past)
    return Refit(
        watched=of,
        lower=lower,
        upper=upper,
        partitions=tuple(batch.name for batch in history.learned),
        evaluated=sum(holds is not None for holds in backtest.values()),
        alarms=tuple(name for name, holds in backtest.items() if holds is False),
        observed=tuple(map(finite, _transformed(clause, history).tolist())),
        rows=sum(batch.summary.rows for batch in history.learned),
    )


def _transformed(clause: Clause, history: ColumnHistory) -> Array:
    return clause.change.series(history.series[clause.statistic], history.positions(clause.change.unit))


def _backtest(clause: Clause, past: ColumnPasts) -> dict[str, bool | None]:
    """Return by name whether each partition is within limits refitted before its time; None if unknown."""
    holds_by_name = {}
    for before, arrivals in past.steps:
        refitted = refit_clause(clause, before)
        for at in arrivals:
            batch, value = past.history.batches[at], past.history.cache[clause.statistic][at]
            holds_by_name[batch.name] = _holds(refitted, value, before.before(batch.arrival))
    return holds_by_name


def _holds(clause: Clause, value: float, before: ColumnHistory) -> bool | None:
    if numpy.isinf(value):
        return False
    transformed = clause.transform(finite(value), before)
    return None if transformed is None else clause.holds(transformed)


def _of(watched: WatchedClause, unit: LagUnit | None) -> Clause:
    """Convert the contract's clause to a program clause. `unit`: of the history, for a clause without one."""
    clause = watched.clause
    return Clause(
        statistic=watched.statistic,
        change=LagTransform(clause.lag, clause.logged, clause.lag_unit or unit if clause.lag else None),
        lower=clause.lower,
        upper=clause.upper,
        middle=0.0,
        width=clause.width or (0.0 if clause.is_guard else 1.0),
        rate=clause.rate or 0.0,
        points=clause.points,
        guard=clause.is_guard,
    )


def _limits(clause: Clause) -> Limits:
    return outward(clause.lower, ROUND_FLOOR), outward(clause.upper, ROUND_CEILING)


def of_states(
    clauses: Iterable[WatchedClause],
    schema: Schema,
    packed: Mapping[str, bytes],
    *,
    excluded_partitions: frozenset[str] = frozenset(),
    files: StateFileStore | None = None,
) -> TableHistory:
    """Read the table history of the watched columns from the newest partitions' states.

    Damaged partitions are left out. Raises ValueError as `newest`."""
    analyzers: dict[str, dict[str, BoundAnalyzer]] = {}
    columns = set[str]()
    for each in clauses:
        analyzers.setdefault(each.history_name, {}).update(_measures(each, schema))
        columns.update([each.column] if each.column else [])
    keys = frozenset(part.key for of in analyzers.values() for each in of.values() for part in each.parts.values())
    opened = ((time, name, _read(packed[name], keys | {COUNT.key}, files)) for time, name in newest(packed))
    readable = [(time, name, bag) for time, name, bag in opened if bag is not None]
    return TableHistory(
        names=tuple(name for _, name, _ in readable),
        times=tuple(time for time, _, _ in readable),
        rows=tuple(int(bag.entries[COUNT.key].value) for _, _, bag in readable),
        values={name: _values(of, [bag for _, _, bag in readable]) for name, of in analyzers.items()},
        texts=frozenset(name for name in columns if not _is_number(name, schema)),
        samples={},
        excluded_partitions=excluded_partitions,
        distance_parts={
            name: [distance_inputs(of.values(), bag.values) for _, _, bag in readable]
            for name, of in analyzers.items()
            if name in columns
        },
    )


def _measures(of: WatchedClause, schema: Schema) -> dict[str, BoundAnalyzer]:
    """Bind the statistic, and for a column those needed for floors; empty for the row count."""
    if of.column is None:
        metrics = {} if of.statistic == ROW_COUNT else {of.statistic: of.analyzer}
    else:
        metrics = {name: MEASURES[name](of.column) for name in (*FLOORS, of.statistic)}
    analyzers = {name: bound(metric, schema) for name, metric in metrics.items()}
    return {name: each for name, each in analyzers.items() if each}


def _is_number(name: str, schema: Schema) -> bool:
    field = schema.find(name)
    return field is not None and field.base_type in NUMERIC


def _read(packed: bytes, keys: frozenset[str], files: StateFileStore | None) -> StateBag | None:
    """Unpack the partition's states of these keys; None if unreadable or without a row count."""
    try:
        bag = bags.unpack(packed, files=files, keys=keys)
    except StateError:
        return None
    return bag if COUNT.key in bag.entries else None


def _values(of: Mapping[str, BoundAnalyzer], bags: Sequence[StateBag]) -> dict[str, list[float | None]]:
    direct = {name: each for name, each in of.items() if not each.analyzer.needs_previous}
    return {name: [_value(each, bag) for bag in bags] for name, each in direct.items()}


def _value(of: BoundAnalyzer, bag: StateBag) -> float | None:
    """Return the statistic, infinite if values are; None if it has none or no state is stored."""
    try:
        return statistic_value(of.value(bag.values))
    except KeyError:
        return None
