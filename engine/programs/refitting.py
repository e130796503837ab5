"""Clauses of programs in a contract, with limits of newer history: told from stored states, and no row is read.

Without a sample of rows nothing says what else is worth to be watched: the clauses stay, and their limits move."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR
from functools import cached_property

from treaty.contracts.schema import Schema
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.anomaly.detector import Limits, between
from treaty.engine.anomaly.learned_programs import ProgramClause
from treaty.engine.anomaly.series import finite
from treaty.engine.checks.bound_check import BoundCheck, BoundChecks
from treaty.engine.components.operands import NUMERIC
from treaty.engine.core.errors import StateError
from treaty.engine.profile.facts import bound
from treaty.engine.programs.analyzer_mapping import MEASURES, PRESENT, ROWS
from treaty.engine.programs.fitting import refit_clause
from treaty.engine.programs.history import ColumnHistory, distance_inputs
from treaty.engine.programs.newest_partitions import newest
from treaty.engine.programs.program import Clause, NoProgram
from treaty.engine.programs.recipe import LEAST_BATCHES
from treaty.engine.programs.stationarity import LagTransform
from treaty.engine.programs.suggestions import TABLE, TableHistory, outward
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag, StateFileStore
from treaty.engine.states.planning.scan_plan import ROWS as COUNT

ROW_COUNT = "row_count"
# What says how little a statistic moves at least, and which partitions are far from all others.
FLOORS = (PRESENT, "distinct_count", "mean", "standard_deviation", "mean_length")


@dataclass(frozen=True)
class WatchedClause:
    """A clause of a program in a contract: the check that has it, and the statistic that it watches of the column.

    `column` None: of the table."""

    check_id: str
    clause: ProgramClause
    column: str | None
    statistic: str


@dataclass(frozen=True, kw_only=True)
class Refit:
    """A clause's limits as newer history tells them, rounded outwards.

    `partitions`: those that they were learned from, of so many `rows`. `evaluated`: how many of these were judged in
    the back-test, each by limits of those before it alone; `alarms`: which of them alarmed, none of which was bad as
    far as anybody knows. `observed`: what the clause looks at in each partition, None where there is nothing."""

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
        """The least and the largest value or difference."""
        return self.lower, self.upper

    @property
    def points(self) -> int:
        """How many partitions the limits were learned from."""
        return len(self.partitions)

    @property
    def outside(self) -> tuple[str, ...]:
        """The partitions among these that lie outside the limits."""
        pairs = zip(self.partitions, self.observed, strict=True)
        return tuple(name for name, value in pairs if value is not None and not between(self.limits, value))


def watched_clauses(checks: BoundChecks) -> Iterator[WatchedClause]:
    """The clauses of programs among the checks whose statistic is known; others stay as they were approved."""
    for each in checks.checks:
        if isinstance(each.detector, ProgramClause) and (found := _watched(each, each.detector)):
            yield found


def _watched(check: BoundCheck, clause: ProgramClause) -> WatchedClause | None:
    analyzer = check.analyzer
    if analyzer is None or check.scope != "delta":
        return None
    if analyzer.identity == ROWS.identity:
        return WatchedClause(check.check.id, clause, None, ROW_COUNT)
    measured = {make(clause.of).identity: name for name, make in MEASURES.items()}
    name = measured.get(analyzer.identity)
    return WatchedClause(check.check.id, clause, clause.of, name) if name else None


def refits(wanted: Sequence[WatchedClause], known: TableHistory) -> dict[str, Refit | NoProgram]:
    """Each clause's limits by the check's id, told from what is known of the partitions; why there are none yet."""
    pasts = {column: ColumnPasts(history) for column, history in known.histories.items()}
    return {each.check_id: _refit(each, pasts[each.column or TABLE]) for each in wanted}


@dataclass(frozen=True)
class ColumnPasts:
    """A column's history, and what it was before each of its partitions came."""

    history: ColumnHistory

    @cached_property
    def before(self) -> Mapping[int, ColumnHistory]:
        """By the place of each partition that is learned from, what was known when it came."""
        of = self.history
        return {at: of.first(at) for at in of.training_positions if at >= LEAST_BATCHES}


def _refit(of: WatchedClause, past: ColumnPasts) -> Refit | NoProgram:
    history = past.history
    if history.newest is None or history.points < LEAST_BATCHES:
        return NoProgram(history.points, LEAST_BATCHES)
    clause = _of(of)
    lower, upper = _limits(refit_clause(clause, history))
    tested = {at: _holds(clause, of.statistic, at, past) for at in past.before}
    names = [batch.name for batch in history.batches]
    return Refit(
        watched=of,
        lower=lower,
        upper=upper,
        partitions=tuple(batch.name for batch in history.learned),
        evaluated=sum(holds is not None for holds in tested.values()),
        alarms=tuple(names[at] for at, holds in tested.items() if holds is False),
        observed=tuple(map(finite, clause.change.series(history.series[of.statistic]).tolist())),
        rows=sum(batch.summary.rows for batch in history.learned),
    )


def _holds(clause: Clause, statistic: str, at: int, past: ColumnPasts) -> bool | None:
    """Whether the partition keeps the limits of those before it; None where nothing can be said of it."""
    before = past.before[at]
    if before.points < LEAST_BATCHES:
        return None
    value = finite(past.history.cache[statistic][at])
    seen = clause.transform(value, before)
    return None if seen is None else refit_clause(clause, before).holds(seen)


def _of(watched: WatchedClause) -> Clause:
    """The clause as programs have it."""
    given = watched.clause
    return Clause(
        statistic=watched.statistic,
        change=LagTransform(given.lag, given.logged),
        lower=given.lower,
        upper=given.upper,
        middle=0.0,
        width=given.width or 1.0,
        rate=given.rate or 0.0,
        points=given.points,
        guard=given.is_guard,
    )


def _limits(clause: Clause) -> Limits:
    return outward(clause.lower, ROUND_FLOOR), outward(clause.upper, ROUND_CEILING)


def of_states(
    wanted: Iterable[WatchedClause],
    schema: Schema,
    packed: Mapping[str, bytes],
    *,
    spoilt: frozenset[str] = frozenset(),
    files: StateFileStore | None = None,
) -> TableHistory:
    """What the states of the newest partitions say of the columns that are watched; of damaged ones nothing.

    Raises ValueError where no time orders them, or one has several."""
    asked: dict[str | None, dict[str, BoundAnalyzer]] = {}
    for each in wanted:
        asked.setdefault(each.column, {}).update(_measures(each, schema))
    keys = frozenset(part.key for of in asked.values() for each in of.values() for part in each.parts.values())
    read = ((time, name, _read(packed[name], keys | {COUNT.key}, files)) for time, name in newest(packed))
    found = [(time, name, bag) for time, name, bag in read if bag is not None]
    return TableHistory(
        names=tuple(name for _, name, _ in found),
        times=tuple(time for time, _, _ in found),
        rows=tuple(int(bag.entries[COUNT.key].value) for _, _, bag in found),
        values={column or TABLE: _values(of, [bag for _, _, bag in found]) for column, of in asked.items()},
        texts=frozenset(name for name in asked if name and not _is_number(name, schema)),
        samples={},
        excluded_partitions=spoilt,
        distance_parts={
            name: [distance_inputs(of.values(), bag.values) for _, _, bag in found]
            for name, of in asked.items()
            if name
        },
    )


def _measures(of: WatchedClause, schema: Schema) -> dict[str, BoundAnalyzer]:
    """The statistic of the column and those that floors are told from, as the schema binds them; {} for the table."""
    names = (*FLOORS, of.statistic) if of.column else ()
    found = {name: bound(MEASURES[name](of.column or ""), schema) for name in names}
    return {name: each for name, each in found.items() if each}


def _is_number(name: str, schema: Schema) -> bool:
    field = schema.find(name)
    return field is not None and field.base_type in NUMERIC


def _read(packed: bytes, keys: frozenset[str], files: StateFileStore | None) -> StateBag | None:
    """The partition's states of these keys; None where they cannot be read, or do not say how many rows there are."""
    try:
        bag = bags.unpack(packed, files=files, keys=keys)
    except StateError:
        return None
    return bag if COUNT.key in bag.entries else None


def _values(of: Mapping[str, BoundAnalyzer], bags: Sequence[StateBag]) -> dict[str, list[float | None]]:
    alone = {name: each for name, each in of.items() if not each.analyzer.needs_previous}
    return {name: [_value(each, bag) for bag in bags] for name, each in alone.items()}


def _value(of: BoundAnalyzer, bag: StateBag) -> float | None:
    """The statistic as a finite number; None where it has none, or no state was kept of it."""
    try:
        return finite(of.value(bag.values))
    except KeyError:
        return None
