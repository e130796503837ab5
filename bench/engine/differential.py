"""What differential verification costs: `python -m bench.engine.differential [--rows N] [--rounds N] [--folder F]
[--only PART ...]`.

Prints the machine, then each figure beside the full verification that it is measured against, in the same run: states
of all partitions at once, one replaced partition, views, appended deltas, merging alone, bytes on disk, tables of 100
and 400 partitions. Every figure is also a line of `bench/results/differential.csv`."""

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
from bench.core.command import Line, begun, lines
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
    """A session, a table parted by day, and where its states go."""

    session: Any
    path: Path
    folder: Path
    rounds: int

    def of(self, days: int) -> "Bench":
        """The same with the table cut into so many partitions."""
        return replace(self, path=write_table(self.session, self.path.parent, ROWS_OF_MANY, days))

    @property
    def source(self) -> TableSource:
        return TableSource(str(self.path), "parquet", ("day",))

    def contract(self, test: str) -> Contract:
        return TESTS[test](read(self.session, TableSource(str(self.path), "parquet")).columns)

    def measured(self, test: str, known: Mapping[str, str]) -> MeasureResult:
        """States of what is not known, everything scanned, frequencies in files."""
        request = MeasureRequest(
            source=self.source,
            contract=self.contract(test).source,
            object=statements.TABLE,
            stored_fingerprints=known,
            statistics=False,
            state_url=str(self.folder / test),
        )
        return measure(self.session, request)

    def full(self, test: str) -> Callable[[], Any]:
        """A full verification, without states by partition."""
        frame, contract = read(self.session, TableSource(str(self.path), "parquet")), self.contract(test)
        return lambda: verify(frame, contract, partition_by=())

    def costs(self, ways: Mapping[str, Callable[[], Any]]) -> dict[str, Cost]:
        """The median cost of every way, each run once before."""
        for run in ways.values():
            run()
        return {name: median(spent) for name, spent in interleaved(ways, rounds=self.rounds).items()}


def replaced(bench: Bench, test: str) -> Callable[[], Any]:
    """One change of a seventh of the rows, from files to verdict: its states, merged with the others, judged."""
    before, contract = bench.measured(test, {}), bench.contract(test)
    changed = sorted(before.fingerprints)[:REPLACED]
    known = {name: mark for name, mark in before.fingerprints.items() if name not in changed}
    files = StateFiles(str(bench.folder / test))

    def run() -> None:
        found = bench.measured(test, known)
        assert sorted(found.states) == changed
        verdict = evaluate(
            EvaluationRequest(
                contract=contract,
                object_name=statements.TABLE,
                states={**before.states, **found.states},
                delta=changed,
                schema=found.schema,
                files=files,
                started_at=NOW,
                finished_at=NOW,
            )
        )
        assert verdict.verdict == "passed", verdict

    return run


def ingestion(bench: Bench) -> Iterator[Line]:
    """States of all partitions in one reading, and one replaced partition, against full verification."""
    for test in TESTS:
        ways = {
            "full": bench.full(test),
            "all": lambda test=test: bench.measured(test, {}),
            "one": replaced(bench, test),
        }
        spent = bench.costs(ways)
        for name, goal in (("all", 1.3), ("one", 0.25)):
            told = f"x the CPU of a full verification ({spent[name].cpu:.2f} of {spent['full'].cpu:.2f} s; wall "
            told += f"{spent[name].wall:.2f} of {spent['full'].wall:.2f} s)"
            which = "states of all partitions" if name == "all" else "one change, 1/7 of the rows"
            yield Line(f"{test}, {which}", spent[name].cpu / spent["full"].cpu, goal, told)


def views(bench: Bench) -> Iterator[Line]:
    """Metrics of six partitions from their stored states: no Spark."""
    for test, goal in (("basic", 20), ("advanced", 500)):
        found, files = bench.measured(test, {}), StateFiles(str(bench.folder / test))
        asked = state_queries.of_checks(bind(bench.contract(test).object(statements.TABLE), found.schema))
        chosen = sorted(found.states.items())[:VIEWED]
        ask = partial(state_queries.answers, asked, chosen, files=files, now=NOW)
        spent = [cost(ask) for _ in range(bench.rounds + 1)]
        yield Line(f"{test}, view of {VIEWED} partitions", 1000 * median(spent[1:]).wall, goal, "ms of wall clock")


def sizes(bench: Bench) -> Iterator[Line]:
    """Bytes that are kept of all partitions."""
    for test in TESTS:
        shutil.rmtree(bench.folder / test, ignore_errors=True)
        found = bench.measured(test, {})
        names = {each.file for packed in found.states.values() for each in inventory.inventory(packed)[0] if each.file}
        filed = StateFiles(str(bench.folder / test)).sizes(names)
        packed = sum(map(len, found.states.values()))
        told = f"MB in {len(filed)} files and {len(found.states)} rows of {packed / len(found.states) / 1e3:.1f} kB"
        goal = 38.6 if test == "advanced" else None
        yield Line(f"{test}, on disk", (packed + sum(filed.values())) / 1e6, goal, told)


def merging(bench: Bench) -> Iterator[Line]:
    """200 components of 1,000 and of 10,000 partitions merged, without Spark and without a database."""
    for partitions, goal in ((1000, 1), (10_000, 10)):
        asked, packed = bags_of(partitions)
        merge = partial(merged, asked, packed)
        spent = median([cost(merge) for _ in range(bench.rounds)])
        yield Line(f"{partitions:,} partitions x {len(asked.keys)} components", spent.cpu, goal, "CPU s")


def appended(bench: Bench, deltas: int = 60) -> Iterator[Line]:
    """Deltas of equal size, each verified with all that came before: the cost of the k-th, and its slope over k."""
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
    """States of all partitions of the same rows cut into 14, 100 and 400, against full verification; the last also in
    one reading instead of the several that the engine makes of it."""
    for days, test in ((days, test) for days in MANY for test in TESTS):
        cut = bench.of(days)
        ways = {"full": cut.full(test), "parts": partial(cut.measured, test, {})}
        if days > AT_ONCE:
            ways["one reading"] = partial(_at_once, cut, test, days)
        spent = cut.costs(ways)
        for name in list(ways)[1:]:
            told = f"x the CPU of a full verification ({spent[name].cpu:.2f} of {spent['full'].cpu:.2f} s)"
            which = f", {name}" if days > AT_ONCE else ""
            goal = 1.3 if name == "parts" else None
            yield Line(f"{test}, {days} partitions{which}", spent[name].cpu / spent["full"].cpu, goal, told)


def large(bench: Bench) -> Iterator[Line]:
    """Frequencies of one, four and sixteen million distinct values merged in this process and by Spark."""
    for millions in DISTINCT:
        paths = large_states.files(bench.folder / "large", millions * 1_000_000)
        ways = {
            "here": partial(large_states.here, paths),
            "Spark": partial(large_states.by_spark, bench.session, paths),
        }
        assert len({run() for run in ways.values()}) == 1, "the two disagree"
        for name, spent in bench.costs(ways).items():
            told = f"s of wall clock, {spent.cpu:.1f} CPU s; most memory of Python so far {large_states.peak():.1f} GB"
            yield Line(f"{millions} million distinct values merged, {name}", spent.wall, None, told)


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


def main(given: Sequence[str] | None = None) -> None:
    """Makes the table when it is not there yet, runs the parts that are asked for, prints and keeps the figures."""
    with begun(__doc__, PARTS, given) as asked:
        print(machine(asked.session), flush=True)
        bench = Bench(asked.session, asked.path, asked.folder / "states", asked.rounds)
        _keep(lines(PARTS, asked.only, bench))


def _keep(found: Sequence[Line]) -> None:
    """Puts the figures in the place of those of the same names; the others stay."""
    RESULTS.parent.mkdir(exist_ok=True)
    kept = {}
    if RESULTS.exists():
        with RESULTS.open(newline="", encoding="utf-8") as file:
            kept = {row["name"]: row for row in csv.DictReader(file)}
    new = {each.name: {"figure": f"{each.figure:.4f}", "goal": each.goal or "", "unit": each.unit} for each in found}
    with RESULTS.open("w", newline="", encoding="utf-8") as file:
        rows = csv.DictWriter(file, ["name", "figure", "goal", "unit"])
        rows.writeheader()
        rows.writerows({**row, "name": name} for name, row in {**kept, **new}.items())


if __name__ == "__main__":
    main()
