"""Measure whether false-alarm budgets hold, from a partition per minute to one per month.

Series are clean, of three kinds (level, season, growth), with Student's t noise. For detectors the chance that the next
value lies outside the band is computed, because the noise is known. Programs are drafted again each quarter, as their
limits are pinned, and the alarmed steps are counted."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
from scipy.stats import t as student

from bench.core.figures import Line
from treaty.contracts.comparison.threshold_order import NumericDomain
from treaty.engine.anomaly.cadence import DAY, HOUR, UNITS, YEAR
from treaty.engine.anomaly.detector import DetectorBand, detector
from treaty.engine.anomaly.series import DetectionRequest, Series, SeriesPoint
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.programs.newest_partitions import FINER, HOURLY, TIMES
from treaty.engine.programs.program import Clause, ColumnProgram
from treaty.engine.programs.suggestions import TableHistory, programs
from treaty.engine.programs.table_budget import QUARTERS, TableGuard
from treaty.engine.programs.table_programs import TableProgram
from treaty.engine.statistics.column_values import ColumnValues

EVALUATION_SEED = 15_000_000
START = datetime(2001, 1, 1, tzinfo=UTC)
MINUTE, MONTH = timedelta(minutes=1), UNITS["months"]
CADENCES = {"minute": MINUTE, "15 minutes": 15 * MINUTE, "hour": HOUR, "day": DAY, "week": 7 * DAY, "month": MONTH}
KINDS = ("level", "season", "growth")
NOISE, SEASON, GROWTH = 0.03, 0.2, 0.1
# Points that a detector sees, and steps from one evaluated band to the next.
PAST, STRIDE = 500, 50
# False alarms a year of one metric, and a quarter of one table. Only `auto` is cheap enough for all.
YEARLY_BUDGETS, QUARTERLY_BUDGETS = (0.2, 1.0, 4.0), (0.5, 1.0, 4.0)
DETECTORS = {"auto": YEARLY_BUDGETS, "volume": (1.0,), "change_point": YEARLY_BUDGETS, "holt_winters": (1.0,),
             "ets": (1.0,), "arima": (1.0,)}  # fmt: skip
# Steps after a draft at least, and alarms that a budget must allow at least for their count to say something.
LEAST_STEPS, ALLOWED = 25, 10.0


@dataclass(frozen=True)
class CleanProcess:
    """A clean process of values, one per step. `freedom`: degrees of freedom of its noise."""

    cadence: str
    kind: str
    freedom: float

    @property
    def step(self) -> timedelta:
        """Return the time from one partition to the next."""
        return CADENCES[self.cadence]

    def middle(self, at: Any) -> Any:
        """Return the expected value of each step."""
        cycle = 12 * MONTH if self.step >= MONTH else 7 * DAY if self.step >= DAY else DAY
        season = (self.kind == "season") * SEASON * np.sin(2 * np.pi * at * (self.step / cycle))
        # A table that is measured for 800 years does not grow exponentially.
        growth = (self.kind == "growth") * GROWTH * at * (self.step / YEAR)
        return 100.0 * (1 + season + growth)

    def noise(self, random: Any, size: Any) -> Any:
        """Return noise with a standard deviation of NOISE."""
        return 100.0 * NOISE / self._deviation * random.standard_t(self.freedom, size)

    def beyond(self, away: Any) -> Any:
        """Return the share of noise above a distance."""
        return student.sf(np.asarray(away) * self._deviation / (100.0 * NOISE), self.freedom)

    def time(self, at: int) -> datetime:
        """Return the time of a step."""
        if self.step < MONTH:
            return START + at * self.step
        return START.replace(year=START.year + at // 12, month=at % 12 + 1)

    @property
    def _deviation(self) -> float:
        return float(np.sqrt(self.freedom / (self.freedom - 2)))


def detector_lines(options: argparse.Namespace, cadence: str) -> Iterator[Line]:
    """Yield how far the alarms of each detector are from each of its budgets."""
    each_kind = [CleanProcess(cadence, kind, options.freedom) for kind in KINDS]
    for name in options.detectors:
        for budget in DETECTORS[name]:
            counts = [_chances(name, each, budget, options.steps // len(KINDS)) for each in each_kind]
            alarms, allowed = (float(sum(each)) for each in zip(*counts, strict=True))
            ratio = alarms / allowed if allowed else 0.0
            unit = f"% ({alarms:.3g} alarms, {allowed:.3g} allowed)"
            yield Line(f"{cadence}, {name}, {budget:g} a year: off by", 100 * abs(ratio - 1), 50, unit)


def _chances(name: str, process: CleanProcess, budget: float, steps: int) -> tuple[float, float]:
    """Return the expected alarms of a process and those allowed."""
    random = np.random.default_rng([EVALUATION_SEED, KINDS.index(process.kind), list(CADENCES).index(process.cadence)])
    at = np.arange(PAST + steps)
    middle = process.middle(at)
    values = middle + process.noise(random, len(at))
    points = [SeriesPoint(time=process.time(each), value=float(values[each])) for each in at]
    alarms = allowed = 0.0
    for now in range(PAST, PAST + steps, STRIDE):
        past = Series(tuple(points[now - PAST : now]))
        request = DetectionRequest(
            past=past, at=points[now].time, false_alarms=budget, domain=NumericDomain(least=0)
        )  # fmt: skip
        band = detector(name, {}).judge(request)
        allowed += STRIDE * request.rate
        alarms += STRIDE * _chance(band, process, float(middle[now]))
    return alarms, allowed


def _chance(band: Any, process: CleanProcess, middle: float) -> float:
    if not isinstance(band, DetectorBand):
        return 0.0
    lower = 0.0 if band.lower is None else process.beyond(middle - band.lower)
    return float(lower + (0.0 if band.upper is None else process.beyond(band.upper - middle)))


def program_lines(options: argparse.Namespace, cadence: str) -> Iterator[Line]:
    """Yield the alarmed steps of programs for each budget, in shares of those allowed."""
    for budget in QUARTERLY_BUDGETS:
        alarms, allowed, stated = 0, 0.0, 0.0
        for each in _drafts(options, cadence, budget):
            alarms, allowed, stated = alarms + each[0], allowed + each[1], stated + each[2]
        unit = f"times ({alarms} alarmed steps, {allowed:.3g} allowed, at most {stated:.3g} stated)"
        yield Line(f"{cadence}, programs, {budget:g} a quarter: alarms", alarms / allowed, 1.5, unit)


def _drafts(options: argparse.Namespace, cadence: str, budget: float) -> Iterator[tuple[int, float, float]]:
    """Yield of each draft the alarmed steps, those allowed and those that its clauses state."""
    step = CADENCES[cadence]
    horizon = max(LEAST_STEPS, round(YEAR / QUARTERS / step))
    steps, allowed, seed = 0, 0.0, 0
    while steps < options.steps or (allowed < ALLOWED and seed < options.drafts):
        process = CleanProcess(cadence, KINDS[seed % len(KINDS)], options.freedom)
        table = SimulatedTable(process, seed, horizon)
        program = programs(table.history, ProgramOptions(false_alarms=budget))
        yield table.alarmed(program), program.budget * horizon, program.rate * horizon
        steps, allowed, seed = steps + horizon, allowed + program.budget * horizon, seed + 1


class SimulatedTable:
    """Simulate the statistics of a table's partitions: those that a draft learns from, and those that follow."""

    def __init__(self, process: CleanProcess, seed: int, horizon: int) -> None:
        self.process = process
        self.random = np.random.default_rng([EVALUATION_SEED, 1, seed, list(CADENCES).index(process.cadence)])
        self.learned = TIMES if process.step >= DAY else HOURLY if process.step >= HOUR else FINER
        # Drafts begin at any time of the season.
        at = np.arange(self.learned + horizon) + int(self.random.integers(0, 100_000))
        self.middle = process.middle(at) / process.middle(at[0])
        self.rows = np.maximum(1, np.round(1000 * self._noisy(self.middle)))
        self.columns = {name: self._statistics() for name in ("a", "b")}

    def _noisy(self, middle: Any, scale: float = 1.0) -> Any:
        return middle * (1 + scale * self.process.noise(self.random, len(middle)) / 100)

    def _statistics(self) -> dict[str, Any]:
        mean, spread = self._noisy(100 * self.middle), self._noisy(5 * self.middle)
        missing = self.random.poisson(0.5, len(self.rows)) / self.rows
        distinct = np.round(self._noisy(self.rows / 2))
        largest = mean + 3 * spread + np.abs(self._noisy(spread))
        return {"complete_ratio": np.maximum(0.0, 1 - missing), "mean": mean, "standard_deviation": spread,
                "distinct_count": distinct, "maximum": largest, "minimum": mean - 3 * spread}  # fmt: skip

    @property
    def history(self) -> TableHistory:
        """Return the partitions to learn from."""
        times = tuple(map(self.process.time, range(self.learned)))
        values = {
            name: {of: each[: self.learned].tolist() for of, each in column.items()}
            for name, column in self.columns.items()
        }
        return TableHistory(
            names=tuple(map(str, times)),
            times=times,
            rows=tuple(map(int, self.rows[: self.learned])),
            values=values,
            texts=frozenset(),
            samples={name: ColumnValues(self.random.normal(100, 5, 500)) for name in self.columns},
        )

    def alarmed(self, program: TableProgram) -> int:
        """Return how many of the partitions that follow alarm."""
        complete = np.mean([self.columns[name]["complete_ratio"] for name in program.complete_columns], axis=0)
        values = {TableGuard.ROWS: self.rows, TableGuard.COMPLETENESS: complete}
        of_table = [self._violated(clause, values[target]) for target, clause in program.guards.items()]
        of_columns = [
            self._violated(clause, self.columns[name][clause.statistic])
            for name, each in program.columns.items()
            if isinstance(each, ColumnProgram)
            for clause in each.clauses
        ]
        nothing = np.zeros(len(self.rows), dtype=bool)
        return int(np.any([nothing, *of_table, *of_columns], axis=0)[self.learned :].sum())

    def _violated(self, clause: Clause, values: Any) -> Any:
        scaled = clause.change.scaled(values)
        if clause.change.lag:
            unit = clause.change.unit
            shift = clause.change.lag * (round(UNITS[unit] / self.process.step) if unit else 1)
            scaled = np.concatenate([np.full(shift, np.nan), scaled[shift:] - scaled[:-shift]])
        below = np.zeros(len(scaled), dtype=bool) if clause.lower is None else scaled < clause.lower
        return below if clause.upper is None else below | (scaled > clause.upper)


def main(argv: Sequence[str] | None = None) -> None:
    """Print the figures of detectors and programs for each cadence."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000, help="clean steps of each cadence, detector and budget")
    parser.add_argument("--drafts", type=int, default=150, help="drafts at most, where more steps are needed")
    parser.add_argument("--freedom", type=float, default=4.0, help="degrees of freedom of the noise")
    parser.add_argument("--cadences", nargs="+", choices=list(CADENCES), default=list(CADENCES))
    parser.add_argument("--detectors", nargs="*", choices=list(DETECTORS), default=list(DETECTORS))
    parser.add_argument("--only", nargs="+", choices=["detectors", "programs"], default=["detectors", "programs"])
    options = parser.parse_args(argv)
    parts = {"detectors": detector_lines, "programs": program_lines}
    for cadence in options.cadences:
        for name in options.only:
            for line in parts[name](options, cadence):
                print(line.text, flush=True)


if __name__ == "__main__":
    main()
