"""Learn programs from snapshots in memory and evaluate new ones (Auto-Validate-by-History, KDD 2023).

For example:

    program = fit([pandas.read_parquet(day) for day in days], budget=0.01)
    assert not program.judge(pandas.read_parquet(today)).flagged"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from treaty.engine.anomaly.volume_history import Volume
from treaty.engine.programs.guards import clause_of_band, row_volume
from treaty.engine.programs.history import Arrival, Batch, ColumnHistory
from treaty.engine.programs.program import Clause
from treaty.engine.programs.table_programs import TableProgram, TableVerdict, fit_within
from treaty.engine.statistics.column_values import ColumnValues, columns
from treaty.engine.statistics.summaries import summary

__all__ = ["Program", "fit", "fit_tables"]
Snapshots = Mapping[datetime, Any] | Sequence[Any]


@dataclass(frozen=True, kw_only=True)
class Program:
    """The programs of a table's columns, with the history they were learned from."""

    table: TableProgram
    histories: Mapping[str, ColumnHistory]

    @property
    def rate(self) -> float:
        """Return the estimated rate of false alarms of all clauses, at most the budget.

        Where the number of rows is compared with its past, that alarms about once a year besides."""
        return self.table.rate

    def judge(self, snapshot: Any, time: datetime | None = None) -> TableVerdict:
        """Evaluate a snapshot that follows the history.

        `snapshot`: a frame or a column like those of the history. `time`: time of its data; None means one step after
        the last snapshot. Returns a verdict per column, on the number of rows and on the completeness of all columns;
        `flagged` is true if anything is wrong. If snapshots have times, the rows are compared with their past where the
        guard would admit half of them, or where the budget pays for no guard. Raises ValueError if the time is not
        after the history."""
        last = [each.batches[-1].time for each in self.histories.values() if each.batches]
        if time and any(each and each >= time for each in last):
            raise ValueError(f"the snapshot of {time} does not follow the history: pass a later time")
        batch = {name: summary(values) for name, values in columns(snapshot)}
        arrival = Arrival(time) if time else None
        before = {name: each.before(arrival) for name, each in self.histories.items()}
        return replace(self.table, rows=self._rows_clause(time)).judge(batch, before)

    def _rows_clause(self, time: datetime | None) -> Clause | None:
        """Return the clause of the row count: the band of its past, or the guard."""
        band = self._volume.following(time) if self._volume else None
        return clause_of_band(band) if band else self.table.rows

    @cached_property
    def _volume(self) -> Volume | None:
        return row_volume(self._longest.batches, self.table.rows)

    @property
    def _longest(self) -> ColumnHistory:
        return max(self.histories.values(), key=lambda each: len(each.batches))


def fit(history: Snapshots, budget: float = 0.01) -> Program:
    """Learn a program from past snapshots of a table.

    `history`: pandas, Arrow or polars frames, or mappings of columns, oldest first; or a mapping from the time of their
    data, which also gives their cadence. Snapshots of a single column may be arrays, lists or series. `budget`: rate of
    false alarms per snapshot for all columns together, between 0 and 1. With fewer than 14 snapshots, columns have no
    program yet. Raises ValueError for an empty history or a budget outside of (0, 1)."""
    if not 0 < budget < 1:
        raise ValueError(f"budget {budget} is not a rate of false alarms: use a number between 0 and 1, such as 0.01")
    batches = [(time, dict(columns(snapshot))) for time, snapshot in _timed(history)]
    if not batches:
        raise ValueError("the history is empty: pass at least one table, better 30")
    names = dict.fromkeys(name for _, by_name in batches for name in by_name)
    histories = {name: _history(name, batches) for name in names}
    return Program(table=fit_within(histories, batches[-1][1], budget), histories=histories)


def fit_tables(histories: Mapping[str, Snapshots], budget: float = 0.01) -> dict[str, Program]:
    """Learn a program for each table.

    `histories`: past snapshots by name of the table, as `fit` takes them. `budget`: rate of false alarms per snapshot
    of each table. Raises ValueError with the faults of all tables."""
    programs, faults = dict[str, Program](), []
    for name, history in histories.items():
        try:
            programs[name] = fit(history, budget)
        except ValueError as error:
            faults.append(f"{name}: {error}")
    if faults:
        raise ValueError("; ".join(faults))
    return programs


def _timed(history: Snapshots) -> list[tuple[datetime | None, Any]]:
    if isinstance(history, Mapping):
        return [(time, history[time]) for time in sorted(history)]
    return [(None, snapshot) for snapshot in history]


def _history(name: str, batches: Sequence[tuple[datetime | None, Mapping[str, ColumnValues]]]) -> ColumnHistory:
    dated = ((at, time, by_name[name]) for at, (time, by_name) in enumerate(batches) if name in by_name)
    return ColumnHistory.of(Batch(str(at), summary(values), time) for at, time, values in dated)
