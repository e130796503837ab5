"""Measure differential verification.

    python -m bench.engine.differential [--rows N] [--rounds N] [--folder F] [--only PART ...]

Prints the machine, then each figure relative to the full verification of the same run: states of all partitions at
once, one replaced partition, views, appended deltas, merging alone, bytes on disk, tables of 100 and 400 partitions.
Every figure is also a line of `bench/results/differential.csv`."""

import csv
import shutil
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, cost, interleaved, median
from bench.core.command import begun
from bench.core.figures import Line, lines
from bench.engine import large as large_states
from bench.engine import statements
from bench.engine.merging import bags_of, merged
from bench.engine.table import write_table
from bench.engine.verification import machine
from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation import state_queries
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureRequest, MeasureResult, TableSource
from treaty.engine.session.verify import measure as packed_states
from treaty.engine.session.verify import verify
from treaty.engine.spark.handlers import measure as reading
from treaty.engine.spark.handlers.measure import AT_ONCE, measure
from treaty.engine.spark.sources.readers import read
from treaty.engine.states import inventory
from treaty.engine.states.state_files import StateFiles

NOW = datetime(2026, 11, 21, tzinfo=UTC)
RESULTS = Path(__file__).parents[1] / "results" / "differential.csv"
REPLACED, VIEWED = 2, 6
DISTINCT = (1, 4, 16)
MANY, ROWS_OF_MANY = (14, 100, 400), 5_000_000
TESTS = {"basic": statements.basic, "advanced": statements.advanced}


@dataclass(frozen=True, eq=False)
class Bench:
    """A session, a table partitioned by day, and the folder of its states."""

    session: Any
    path: Path
    folder: Path
    rounds: int

    def of(self, days: int) -> "Bench":
        """Return the benchmark with the table cut into `days` partitions."""
        return replace(self, path=write_table(self.session, self.path.parent, ROWS_OF_MANY, days))

    @property
    def source(self) -> TableSource:
        return TableSource(str(self.path), "parquet", ("day",))

    def contract(self, test: str) -> Contract:
        return TESTS[test](read(self.session, TableSource(str(self.path), "parquet")).columns)

    def measured(self, test: str, stored_fingerprints: Mapping[str, str]) -> MeasureResult:
        """Compute the states of unknown partitions, with a full scan and frequencies in files."""
        request = MeasureRequest(
            source=self.source,
            contract=self.contract(test).source,
            object=statements.TABLE,
            stored_fingerprints=stored_fingerprints,
            statistics=False,
            state_url=str(self.folder / test),
        )
        return measure(self.session, request)

    def full(self, test: str) -> Callable[[], Any]:
        """Return a function that runs a full verification, without states by partition."""
        frame, contract = read(self.session, TableSource(str(self.path), "parquet")), self.contract(test)
        return lambda: verify(frame, contract, partition_by=())

    def costs(self, ways: Mapping[str, Callable[[], Any]]) -> dict[str, Cost]:
        """Return the median cost of every way after one warm-up run."""
        for run in ways.values():
            run()
        return {name: median(spent) for name, spent in interleaved(ways, rounds=self.rounds).items()}


def replaced(bench: Bench, test: str) -> Callable[[], Any]:
    """Return a function that verifies a change of a seventh of the rows.

    From files to verdict: it computes the changed states, merges them with the others and evaluates the contract."""
    before, contract = bench.measured(test, {}), bench.contract(test)
    changed = sorted(before.fingerprints)[:REPLACED]
    stored = {name: mark for name, mark in before.fingerprints.items() if name not in changed}
    files = StateFiles(str(bench.folder / test))

    def run() -> None:
        result = bench.measured(test, stored)
        assert sorted(result.states) == changed
        verdict = evaluate(
            EvaluationRequest(
                contract=contract,
                object_name=statements.TABLE,
                states={**before.states, **result.states},
                delta=changed,
                schema=result.schema,
                files=files,
                started_at=NOW,
                finished_at=NOW,
            )
        )
        assert verdict.verdict == "passed", verdict

    return run


def ingestion(bench: Bench) -> Iterator[Line]:
    """Compare states of all partitions in one scan, and one replaced partition, with full verification."""
    for test in TESTS:
        ways = {
            "full": bench.full(test),
            "all": lambda test=test: bench.measured(test, {}),
            "one": replaced(bench, test),
        }
        spent = bench.costs(ways)
        for name, goal in (("all", 1.3), ("one", 0.25)):
            unit = f"x the CPU of a full verification ({spent[name].cpu:.2f} of {spent['full'].cpu:.2f} s; wall "
            unit += f"{spent[name].wall:.2f} of {spent['full'].wall:.2f} s)"
            label = "states of all partitions" if name == "all" else "one change, 1/7 of the rows"
            yield Line(f"{test}, {label}", spent[name].cpu / spent["full"].cpu, goal, unit)


def views(bench: Bench) -> Iterator[Line]:
    """Measure metrics of six partitions from their stored states, without Spark."""
    for test, goal in (("basic", 20), ("advanced", 500)):
        result, files = bench.measured(test, {}), StateFiles(str(bench.folder / test))
        queries = state_queries.of_checks(bind(bench.contract(test).object(statements.TABLE), result.schema))
        chosen = sorted(result.states.items())[:VIEWED]
        answer = partial(state_queries.answers, queries, chosen, files=files, now=NOW)
        spent = [cost(answer) for _ in range(bench.rounds + 1)]
        yield Line(f"{test}, view of {VIEWED} partitions", 1000 * median(spent[1:]).wall, goal, "ms of wall clock")


def sizes(bench: Bench) -> Iterator[Line]:
    """Measure the bytes stored for all partitions."""
    for test in TESTS:
        shutil.rmtree(bench.folder / test, ignore_errors=True)
        result = bench.measured(test, {})
        names = {each.file for packed in result.states.values() for each in inventory.inventory(packed)[0] if each.file}
        filed = StateFiles(str(bench.folder / test)).sizes(names)
        packed = sum(map(len, result.states.values()))
        unit = f"MB in {len(filed)} files and {len(result.states)} rows of {packed / len(result.states) / 1e3:.1f} kB"
        goal = 38.6 if test == "advanced" else None
        yield Line(f"{test}, on disk", (packed + sum(filed.values())) / 1e6, goal, unit)


def merging(bench: Bench) -> Iterator[Line]:
    """Merge 200 components of 1,000 and of 10,000 partitions, without Spark and without a database."""
    for partitions, goal in ((1000, 1), (10_000, 10)):
        metrics, packed = bags_of(partitions)
        merge = partial(merged, metrics, packed)
        spent = median([cost(merge) for _ in range(bench.rounds)])
        yield Line(f"{partitions:,} partitions x {len(metrics.keys)} components", spent.cpu, goal, "CPU s")


def appended(bench: Bench, deltas: int = 60) -> Iterator[Line]:
    """Verify equal deltas one by one and measure the drift of their cost.

    Each is verified with all previous ones."""
    frame = read(bench.session, TableSource(str(bench.path), "parquet")).limit(1_000_000).cache()
    contract, size = bench.contract("basic"), 1_000_000 // deltas
    states: dict[str, bytes] = {}
    spent = []
    for at in range(deltas):
        some = frame.where(f"order_id % {deltas} = {at}")
        spent.append(cost(partial(_delta, some, contract, states, at)))
    frame.unpersist()
    walls = [each.wall for each in spent[5:]]
    slope = statistics.linear_regression(range(len(walls)), walls)
    drift = 100 * slope.slope * len(walls) / statistics.mean(walls)
    yield Line(f"{deltas} deltas of {size:,} rows, the median one", statistics.median(walls), None, "s of wall clock")
    yield Line(f"{deltas} deltas, drift from first to last", drift, None, "% of the mean")


def _delta(rows: Any, contract: Contract, states: dict[str, bytes], at: int) -> None:
    name = f"delta={at}"
    states[name] = packed_states(rows, contract, object_name=statements.TABLE, partition_by=())[""]
    evaluate(
        EvaluationRequest(
            contract=contract,
            object_name=statements.TABLE,
            states=states,
            delta=[name],
            started_at=NOW,
            finished_at=NOW,
        )
    )


def many(bench: Bench) -> Iterator[Line]:
    """Compare states of all partitions with full verification, by number of partitions.

    The same rows are cut into 14, 100 and 400 partitions. The last is also measured in one scan instead of the engine's
    several."""
    for days, test in ((days, test) for days in MANY for test in TESTS):
        cut = bench.of(days)
        ways = {"full": cut.full(test), "parts": partial(cut.measured, test, {})}
        if days > AT_ONCE:
            ways["one reading"] = partial(_at_once, cut, test, days)
        spent = cut.costs(ways)
        for name in list(ways)[1:]:
            unit = f"x the CPU of a full verification ({spent[name].cpu:.2f} of {spent['full'].cpu:.2f} s)"
            label = f", {name}" if days > AT_ONCE else ""
            goal = 1.3 if name == "parts" else None
            yield Line(f"{test}, {days} partitions{label}", spent[name].cpu / spent["full"].cpu, goal, unit)


def large(bench: Bench) -> Iterator[Line]:
    """Merge frequencies of 1, 4 and 16 million values in this process and with Spark."""
    for millions in DISTINCT:
        paths = large_states.files(bench.folder / "large", millions * 1_000_000)
        ways = {
            "here": partial(large_states.here, paths),
            "Spark": partial(large_states.by_spark, bench.session, paths),
        }
        assert len({run() for run in ways.values()}) == 1, "the two results differ"
        for name, spent in bench.costs(ways).items():
            unit = f"s of wall clock, {spent.cpu:.1f} CPU s; peak memory of Python so far {large_states.peak():.1f} GB"
            yield Line(f"{millions} million distinct values merged, {name}", spent.wall, None, unit)


def _at_once(bench: Bench, test: str, days: int) -> None:
    reading.AT_ONCE, before = days, reading.AT_ONCE
    try:
        bench.measured(test, {})
    finally:
        reading.AT_ONCE = before


PARTS: dict[str, Callable[[Bench], Iterator[Line]]] = {
    "ingestion": ingestion,
    "views": views,
    "sizes": sizes,
    "merging": merging,
    "appended": appended,
    "many": many,
    "large": large,
}


def main(argv: Sequence[str] | None = None) -> None:
    """Create the table if missing, run the selected parts, print and store the figures."""
    with begun(__doc__, PARTS, argv) as setting:
        print(machine(setting.session), flush=True)
        bench = Bench(setting.session, setting.path, setting.folder / "states", setting.rounds)
        _keep(lines(PARTS, setting.only, bench))


def _keep(lines: Sequence[Line]) -> None:
    """Replace stored figures of the same names; others stay."""
    RESULTS.parent.mkdir(exist_ok=True)
    stored = {}
    if RESULTS.exists():
        with RESULTS.open(newline="", encoding="utf-8") as file:
            stored = {row["name"]: row for row in csv.DictReader(file)}
    new = {each.name: {"figure": f"{each.figure:.4f}", "goal": each.goal or "", "unit": each.unit} for each in lines}
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, ["name", "figure", "goal", "unit"])
        rows.writeheader()
        rows.writerows({**row, "name": name} for name, row in {**stored, **new}.items())


if __name__ == "__main__":
    main()
