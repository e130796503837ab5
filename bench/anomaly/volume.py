"""Measure checks of the row count: clean days that alarm, and lost rows that are caught.

The checks are those that contracts get from drafts, and that of programs in memory. They are drafted at one day and
evaluated on the days after it, on generated tables of six kinds and on the row counts of real recurring tables
(`--data FOLDER` with `unpack`)."""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np

from bench.core import recurring
from bench.core.figures import Line
from treaty.engine.anomaly.detector import Limits, between
from treaty.engine.anomaly.series import moment
from treaty.engine.anomaly.volume_history import Volume
from treaty.engine.profile.table_profile import TableProfile
from treaty.engine.programs.guards import row_volume
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.program import Clause
from treaty.engine.programs.recipe import RECIPE
from treaty.engine.programs.table_budget import allowance
from treaty.engine.programs.table_programs import rows_learner
from treaty.engine.states.bag import ComponentState, StateBag
from treaty.engine.states.planning.scan_plan import ROWS
from treaty.engine.statistics.summaries import NumberSummary
from treaty.engine.suggestions.selection.holdout_test import holdout_candidates
from treaty.engine.suggestions.selection.pipeline import suggest
from treaty.engine.suggestions.selection.volume import with_volume

EVALUATION_SEED = 14_000_000
START = datetime(2024, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
# Days before the draft, and days that are evaluated after it.
DRAFTED, EVALUATED = 40, 60
FACTORS = (0.1, 0.5, 0.8, 1.25, 2.0)


@dataclass(frozen=True)
class RowCounts:
    """Row counts of a table's partitions, oldest first, with the times of their data."""

    name: str
    times: tuple[datetime, ...]
    rows: tuple[int, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the partitions."""
        return tuple(f"day={time:%Y-%m-%d}" for time in self.times)


def generated(seeds: int) -> Iterator[RowCounts]:
    """Yield tables of six kinds, each with several seeds."""
    for at, (name, make) in enumerate(KINDS.items()):
        for seed in range(seeds):
            random = np.random.default_rng([EVALUATION_SEED, at, seed])
            days, middle, spread = make(np.arange(DRAFTED + EVALUATED), random)
            rows = random.poisson(middle * np.exp(spread * random.standard_normal(len(days))))
            yield RowCounts(name, tuple(START + int(day) * DAY for day in days), tuple(map(int, rows)))


Kind = Callable[[Any, Any], tuple[Any, Any, float]]


def flat(at: Any, random: Any) -> tuple[Any, Any, float]:
    return at, np.full(len(at), 1000.0), 0.02


def weekday(at: Any, random: Any) -> tuple[Any, Any, float]:
    return at, np.where(at % 7 < 5, 1000.0, 300.0), 0.05


def noisy(at: Any, random: Any) -> tuple[Any, Any, float]:
    return at, np.full(len(at), 1000.0), 0.25


def growth(at: Any, random: Any) -> tuple[Any, Any, float]:
    return at, 1000 * 1.02**at, 0.05


def month_end(at: Any, random: Any) -> tuple[Any, Any, float]:
    last = np.array([(START + (int(day) + 1) * DAY).day == 1 for day in at])
    return at, np.where(last, 3000.0, 1000.0), 0.05


def irregular(at: Any, random: Any) -> tuple[Any, Any, float]:
    return np.cumsum(random.integers(1, 6, len(at))), np.full(len(at), 1000.0), 0.1


KINDS: Mapping[str, Kind] = {each.__name__: each for each in (flat, weekday, noisy, growth, month_end, irregular)}


def real(folder: Path) -> Iterator[RowCounts]:
    """Yield the unpacked tables that have enough snapshots; a row is a line."""
    for table in sorted({each.parent for each in folder.rglob("*.csv")}):
        snapshots = sorted((time, each) for each in table.glob("*.csv") if (time := moment(each.stem)))
        if len(snapshots) > DRAFTED:
            newest = snapshots[-(DRAFTED + EVALUATED) :]
            rows = tuple(sum(1 for _ in each.open("rb")) - 1 for _, each in newest)
            yield RowCounts(f"{table.parent.name}/{table.name}", tuple(time for time, _ in newest), rows)


# Returns the limits of a partition by its position; None while there are none.
Bands = Callable[[int], Limits | None]


def fixed(table: RowCounts) -> Bands:
    """Return the fixed bounds that an ordinary draft learns."""
    candidates = holdout_candidates(_profile(table))
    limits = next((each.candidate.limits for each in candidates), None)
    return lambda at: limits


def program(table: RowCounts) -> Bands:
    """Return the bounds of a program's guard after the first `DRAFTED` partitions."""
    summaries = (NumberSummary(rows=rows, moments=(0, 0.0, 0.0), curve=None, distinct=None) for rows in table.rows)
    clause = _guard(tuple(map(Batch, table.names, summaries, table.times))[:DRAFTED])
    limits = (clause.lower, clause.upper) if clause else None
    return lambda at: limits


def _guard(batches: tuple[Batch, ...]) -> Clause | None:
    history = ColumnHistory(batches)
    clauses = rows_learner(history, RECIPE).program(allowance(1.0, history.cadence.yearly)).clauses
    return clauses[0] if clauses else None


def memory(table: RowCounts) -> Bands:
    """Return the bands of a program in memory that is learned again before each partition."""
    summaries = (NumberSummary(rows=rows, moments=(0, 0.0, 0.0), curve=None, distinct=None) for rows in table.rows)
    batches = tuple(Batch(*each) for each in zip(table.names, summaries, table.times, strict=True))

    def limits(at: int) -> Limits | None:
        clause = _guard(batches[:at])
        past = row_volume(batches[:at], clause) if clause else None
        band = past.following(table.times[at]) if past else None
        followed = band or clause
        return (followed.lower, followed.upper) if followed else None

    return limits


def draft(table: RowCounts) -> Bands:
    """Return the bands of the check that an ordinary draft suggests."""
    history = _profile(table)
    (check,) = with_volume(suggest(history, "t"), history, "t") or [None]
    return volume(table) if check and check["kind"] == "volume" else fixed(table)


def volume(table: RowCounts) -> Bands:
    """Return the bands of the suggested detector, each from all partitions before."""
    history = Volume(names=table.names, times=table.times, rows=table.rows)

    def limits(at: int) -> Limits | None:
        band = history.band(at)
        return (band.lower, band.upper) if band else None

    return limits


def _profile(table: RowCounts) -> TableProfile:
    bags = [StateBag({ROWS.key: ComponentState(component=ROWS.component, value=rows)}) for rows in table.rows]
    return TableProfile(columns=(), partitions=tuple(zip(table.names, bags, strict=True))[:DRAFTED])


CHECKS: Mapping[str, Callable[[RowCounts], Bands]] = {
    each.__name__: each for each in (draft, fixed, program, memory, volume)
}


@dataclass(frozen=True)
class Evaluation:
    """Evaluated days of a table, and those that alarm.

    `caught`: days that alarm with a share of their rows, by factor. `unbounded`: days without a
    band, which never alarm."""

    days: int = 0
    alarms: int = 0
    caught: tuple[int, ...] = (0,) * len(FACTORS)
    unbounded: int = 0

    def __add__(self, other: "Evaluation") -> "Evaluation":
        caught = tuple(a + b for a, b in zip(self.caught, other.caught, strict=True))
        return Evaluation(self.days + other.days, self.alarms + other.alarms, caught, self.unbounded + other.unbounded)


def evaluate(table: RowCounts, bands: Bands) -> Evaluation:
    """Evaluate every day after the draft."""
    return sum((_day(table.rows[at], bands(at)) for at in range(DRAFTED, len(table.rows))), Evaluation())


def _day(rows: int, limits: Limits | None) -> Evaluation:
    if limits is None:
        return Evaluation(days=1, unbounded=1)
    caught = tuple(int(not between(limits, round(rows * factor))) for factor in FACTORS)
    return Evaluation(days=1, alarms=int(not between(limits, rows)), caught=caught)


def print_figures(tables: Sequence[RowCounts], check: str) -> Evaluation:
    """Print the shares of one check by kind of table, and return the total."""
    kinds: dict[str, Evaluation] = {}
    for table in tables:
        kinds[table.name] = kinds.get(table.name, Evaluation()) + evaluate(table, CHECKS[check](table))
    total = sum(kinds.values(), Evaluation())
    for name, each in {**kinds, "all": total}.items():
        shares = "  ".join(f"{caught / each.days:6.3f}" for caught in each.caught)
        print(f"{check:9}{name:32}{each.days:6}{each.alarms / each.days:9.4f}  {shares}{each.unbounded:7}", flush=True)
    return total


def _print_goals(check: str, group: str, total: Evaluation) -> None:
    missed = 1 - total.caught[FACTORS.index(0.5)] / total.days
    print(Line(f"{check}, {group}: half the rows missed", 100 * missed, 5, "% of days").text)
    print(Line(f"{check}, {group}: clean days that alarm", 100 * total.alarms / total.days, 0.5, "% of days").text)


def main() -> None:
    """Print the figures of every check on generated and on real tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with `unpack`, which writes real recurring tables")
    parser.add_argument("--seeds", type=int, default=5, help="generated tables of each kind")
    parser.add_argument("--checks", nargs="+", choices=list(CHECKS), default=list(CHECKS))
    options = parser.parse_args()
    groups: dict[str, list[RowCounts]] = {"generated": list(generated(options.seeds))}
    if options.data:
        with recurring.unpacked(options.data) as folder:
            groups["real"] = list(real(folder))
    print(f"{'check':9}{'table':32}{'days':>6}{'alarms':>9}  {'  '.join(f'x {each:<4g}' for each in FACTORS)}  no band")
    for group, tables in groups.items():
        for check in options.checks:
            _print_goals(check, group, print_figures(tables, check))


if __name__ == "__main__":
    main()
