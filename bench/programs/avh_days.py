"""Evaluate whole tables day by day, with programs for all columns within the table's budget."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from bench.programs.avh_baselines import summary_of
from bench.programs.avh_tables import Snapshot, fewer, files, kind_of, read, typed
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import ClauseVerdict
from treaty.engine.programs.table_programs import TableVerdict, fit_table
from treaty.engine.statistics.statistics import compute_statistics

LEARNED = 30
# Snapshots that are skipped after a lasting incident, which is in every history.
SETTLING = 30


@dataclass(frozen=True)
class Incident:
    """A labeled incident of a table on a day. `persists`: the change is permanent."""

    table: str
    date: str
    kind: str
    persists: bool


def incidents(path: Path) -> list[Incident]:
    """Read the labeled incidents, one per table and day."""
    with path.open(encoding="utf-8", newline="") as file:
        labelled = [
            Incident(row["table"], row["snapshot"], row["kind"], not row["persists"].startswith("no"))
            for row in csv.DictReader(file)
        ]
    return list({(each.table, each.date): each for each in labelled}.values())


@dataclass
class Table:
    """The snapshots of a table; each column is read once per kind."""

    root: Path
    name: str
    rows: int
    frames: dict[int, Any] = field(default_factory=dict)
    columns: dict[tuple[int, str, str], Snapshot] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.paths = files(self.root, self.name)
        self.dates = [path.stem for path in self.paths]

    def frame(self, at: int) -> Any:
        """Return about `rows` rows of the snapshot as a frame of texts.

        The same rows are taken from all snapshots."""
        if at not in self.frames:
            whole = read(self.paths[at])
            self.frames[at] = fewer(whole, -(-len(whole) // self.rows)) if len(whole) > self.rows else whole
        return self.frames[at]

    def column(self, at: int, name: str, kind: str) -> Snapshot:
        """Return the column of that snapshot."""
        if (at, name, kind) not in self.columns:
            self.columns[at, name, kind] = Snapshot(typed(self.frame(at)[name], kind), self.dates[at])
        return self.columns[at, name, kind]

    def schema_drift(self, at: int) -> list[str]:
        """Return the added and removed columns since the snapshot before, which each validation reports."""
        now, before = set(self.frame(at).columns), set(self.frame(at - 1).columns)
        return [*(f"+{name}" for name in sorted(now - before)), *(f"-{name}" for name in sorted(before - now))]

    def table_verdict(self, at: int, alarms: float) -> TableVerdict:
        """Evaluate the snapshot by programs of the 30 snapshots before."""
        past = range(at - LEARNED, at)
        names = [name for name in self.frame(at - 1).columns if all(name in self.frame(each).columns for each in past)]
        kinds = {name: kind for name in names if (kind := kind_of([self.frame(each)[name] for each in past]))}
        histories = {name: self._history(past, name, kind) for name, kind in kinds.items()}
        samples = {name: self.column(at - 1, name, kind).column for name, kind in kinds.items()}
        arrived = {
            name: summary_of(self.column(at, name, kind)) for name, kind in kinds.items() if name in self.frame(at)
        }
        return fit_table(histories, samples, alarms).judge(arrived, histories)

    def _history(self, past: Sequence[int], name: str, kind: str) -> ColumnHistory:
        snapshots = [self.column(each, name, kind) for each in past]
        rows = [self._row(one, before) for one, before in zip(snapshots, [None, *snapshots[:-1]], strict=True)]
        return ColumnHistory.with_rows(tuple(Batch(each.date, summary_of(each)) for each in snapshots), rows)

    def _row(self, one: Snapshot, before: Snapshot | None) -> dict[str, float | None]:
        if before is None:
            return compute_statistics(summary_of(one))
        return one.once(("after", id(before)), partial(_relative_changes, before))  # type: ignore[no-any-return]

    def let_go(self, upto: int) -> None:
        """Drop snapshots before position `upto`."""
        self.frames = {at: frame for at, frame in self.frames.items() if at >= upto}
        self.columns = {key: each for key, each in self.columns.items() if key[0] >= upto}


def _relative_changes(before: Snapshot, one: Snapshot) -> dict[str, float | None]:
    return compute_statistics(summary_of(one), summary_of(before))


def why(table_verdict: TableVerdict) -> str:
    """Return the violations as words, one per column and statistic."""
    columns = [
        f"{name}.{verdict.clause.statistic}" for name, each in table_verdict.columns.items() for verdict in each.broken
    ]
    return " ".join([*violated_guards(table_verdict), *(f"missing:{name}" for name in table_verdict.missing), *columns])


def violated_guards(table_verdict: TableVerdict) -> dict[str, ClauseVerdict]:
    """Return the violated guards of the table by name."""
    guards = {"rows": table_verdict.rows, "completeness": table_verdict.completeness}
    return {name: each for name, each in guards.items() if each is not None and each.holds is False}


def rung(table_verdict: TableVerdict) -> frozenset[tuple[str, str, bool]]:
    """Return the alarms: column, statistic, and whether the value is too large."""
    broken = [(name, verdict) for name, each in table_verdict.columns.items() for verdict in each.broken]
    guards = [("", each) for each in violated_guards(table_verdict).values()]
    alarms = {(name, each.clause.statistic, _is_above(each)) for name, each in [*broken, *guards]}
    other = {(name, "type", True) for name, each in table_verdict.columns.items() if each.changed_type}
    return frozenset(alarms | other | {(name, "missing", False) for name in table_verdict.missing})


def _is_above(verdict: ClauseVerdict) -> bool:
    upper = verdict.clause.upper
    return upper is not None and verdict.transformed is not None and verdict.transformed > upper


def opens(table: Table, at: int, verdict: TableVerdict, alarms: float) -> bool:
    """Return True if an alarm is new compared with the snapshot before; otherwise its incident is open already."""
    if not verdict.flagged or at <= LEARNED:
        return verdict.flagged
    return bool(rung(verdict) - rung(table.table_verdict(at - 1, alarms)))


def clean_days(table: Table, incidents: Sequence[Incident], count: int, alarms: float) -> Iterator[dict[str, Any]]:
    """Yield `count` days spread over the table's life, none near an incident.

    `flagged`: 1 if anything alarms. `opened`: 1 if an alarm is new compared with the snapshot before."""
    days = [at for at in range(LEARNED, len(table.paths)) if not _near(table, at, incidents)]
    step = max(1, len(days) // count)
    for at in days[::step][:count]:
        table.let_go(at - LEARNED - 1)
        verdict = table.table_verdict(at, alarms)
        outcome = {
            "flagged": int(verdict.flagged),
            "opened": int(opens(table, at, verdict, alarms)),
            "why": why(verdict),
        }
        yield {"table": table.name, "date": table.dates[at], **outcome}


def near_incidents(root: Path, name: str, incidents: Sequence[Incident]) -> frozenset[str]:
    """Return the days of the table in or after an incident."""
    table = Table(root, name, rows=0)
    return frozenset(date for at, date in enumerate(table.dates) if _near(table, at, incidents))


def _near(table: Table, at: int, incidents: Sequence[Incident]) -> bool:
    for each in incidents:
        if each.table == table.name and each.date in table.dates:
            after = at - table.dates.index(each.date)
            if 0 <= after <= (SETTLING if each.persists else 1):
                return True
    return False


def incident_days(root: Path, incidents: Sequence[Incident], rows: int, alarms: float) -> Iterator[dict[str, Any]]:
    """Evaluate each labeled incident with 30 snapshots before it, on its day.

    `schema_drift`: added and removed columns. Added ones raise no alarm of programs, nor do removed ones that never
    had a value."""
    for each in incidents:
        table = Table(root, each.table, rows)
        at = table.dates.index(each.date) if each.date in table.dates else -1
        if at >= LEARNED:
            verdict = table.table_verdict(at, alarms)
            row = {"table": each.table, "date": each.date, "kind": each.kind, "flagged": int(verdict.flagged)}
            yield {**row, "schema_drift": " ".join(table.schema_drift(at)), "why": why(verdict)}
