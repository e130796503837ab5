"""Draft real tables, and count the later days with an unexplained error.

A contract is drafted from 40 consecutive snapshots of a table and tested on the next 30, with the product's own draft
and verification on Spark. Days of a labeled incident or of a schema change do not count. `--fast` computes the checks
of single columns without Spark, to compare constants on other windows than those of the published figures."""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow
import pyarrow.parquet

from bench.core import recurring
from bench.core.figures import Line
from bench.suggestions.draft_states import history
from bench.suggestions.draft_tables import Table, tables
from treaty.engine.core.results import Outcome
from treaty.engine.session.drafts import draft
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.process.session import start
from treaty.engine.suggestions.column_samples import ColumnSample
from treaty.engine.suggestions.selection.pipeline import worthy
from treaty.engine.suggestions.selection.ranking import RankedCandidate

LEARNED, TESTED = 40, 30
GOALS = {"days": 1.0, "checks": 3.0, "most": 6.0}
TABLE = "the table"


@dataclass(frozen=True)
class LiveDraft:
    """A draft with its outcome: checks per column, tested days, and the failed error checks of each day."""

    title: str
    checks: Mapping[str, int]
    days: Sequence[str]
    failed: Mapping[str, Sequence[str]]

    @property
    def causes(self) -> Counter[str]:
        """Return each check that failed, with its number of days."""
        return Counter(check for checks in self.failed.values() for check in checks)


def windows(table: Table, most: int, part: int) -> Iterator[Table]:
    """Yield windows of consecutive snapshots that do not overlap: every second one, from `part` (0 or 1) on."""
    size = LEARNED + TESTED
    count = min(2 * most, len(table.days) // size)
    gap = (len(table.days) - size) // max(1, count - 1)
    for at in range(count):
        start = at * gap
        if at % 2 == part or count == 1:
            part_of = slice(start, start + size)
            yield replace(table, days=table.days[part_of], snapshots=table.snapshots[part_of], learned=LEARNED / size)


def fast(window: Table) -> LiveDraft:
    """Judge the checks of single columns, from states without Spark."""
    named = window.name.rpartition("/")[2]
    days, snapshots = window.days[:LEARNED], window.snapshots[:LEARNED]
    profiled = history(window.types, days, snapshots, named)
    newest = {name: values.tolist() for name, values in snapshots[-1].items()}
    ranked = [each for each in worthy(profiled, named, samples=newest) if not each.optional]
    failed: dict[str, list[str]] = defaultdict(list)
    for each in ranked:
        for day, snapshot in window.later(each.holdout.column_name):
            if each.holdout.candidate.severity == "error" and _breaks(each, snapshot):
                failed[day].append(f"{each.holdout.column_name or TABLE}: {each.holdout.candidate.sentence}")
    checks = Counter(each.holdout.column_name or TABLE for each in ranked)
    return LiveDraft(_title(window), checks, window.days[LEARNED:], failed)


def _breaks(each: RankedCandidate, snapshot: Mapping[str, Any]) -> bool:
    name = each.holdout.column_name
    values = snapshot[name] if name is not None else next(iter(snapshot.values()))
    value = each.holdout.candidate.measure.of_sample(ColumnSample(values))
    return value is not None and not each.holdout.candidate.assertion.holds(value)


def on_spark(session: Any, folder: Path, window: Table) -> LiveDraft:
    """Test the draft of a Parquet table, as `treaty draft` and `treaty verify` do."""
    frame = _frame(session, folder, window)
    drafted = draft(_of(frame, window.days[:LEARNED]), "t", partition_by=["day"])
    contract = drafted.contract()
    earlier = measure(_of(frame, window.days[:LEARNED]), contract, object_name="t", partition_by=["day"])
    run = verify(_of(frame, window.days[LEARNED:]), contract, partition_by=["day"], earlier=earlier)
    failed: dict[str, list[str]] = defaultdict(list)
    for each in run.results:
        day = (each.partition or "").removeprefix("day=")
        if each.outcome is Outcome.FAILED and each.severity == "error" and not _explained(window, each.column, day):
            failed[day].append(each.sentence)
    proposed = [each for each in drafted.suggestions if not each["optional"]]
    return LiveDraft(
        _title(window), Counter(each["column"] or TABLE for each in proposed), window.days[LEARNED:], failed
    )


def _explained(window: Table, column: str | None, day: str) -> bool:
    """Return whether a labeled incident or a changed column explains an error."""
    at = window.days.index(day)
    names = (column or "").split(", ") if column else []
    gone = any(name not in window.snapshots[at] for name in names)
    return gone or any(each.spoils(name, day) for each in window.incidents for name in names or [None])


def _of(frame: Any, days: Sequence[str]) -> Any:
    return frame.where(frame.day.isin(list(days)))


def _frame(session: Any, folder: Path, window: Table) -> Any:
    """Write the snapshots as a partitioned table, with the types of the training snapshots."""
    path = folder / f"{window.name.replace('/', '-')}-{window.days[0]}"
    for day, snapshot in zip(window.days, window.snapshots, strict=True):
        columns = {name: _arrow(snapshot[name], kind) for name, kind in window.types.items() if name in snapshot}
        rows = pyarrow.table(columns)
        (path / f"day={day}").mkdir(parents=True)
        pyarrow.parquet.write_table(rows, path / f"day={day}" / "part.parquet")
    return session.read.option("mergeSchema", "true").parquet(str(path))


def _arrow(values: Any, kind: str) -> Any:
    if kind == "string":
        return pyarrow.array([None if each is None else str(each) for each in values.tolist()], pyarrow.string())
    numbers = [_number(each) for each in values.tolist()]
    if kind == "bigint":
        return pyarrow.array([None if each is None else round(each) for each in numbers], pyarrow.int64())
    return pyarrow.array(numbers, pyarrow.float64())


def _number(value: Any) -> float | None:
    try:
        number = math.nan if value is None else float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _title(window: Table) -> str:
    return f"{window.name} from {window.days[0]}"


def report(live: LiveDraft) -> Iterator[str]:
    """Yield the outcome of a draft, in lines."""
    of_columns = [count for name, count in live.checks.items() if name != TABLE]
    counts = f"{sum(live.checks.values())} checks, median {median(of_columns or [0]):g} of a column"
    yield f"{live.title}: {counts}; errors on {len(live.failed)} of {len(live.days)} days"
    yield from (f"    {days} days: {cause}" for cause, days in live.causes.most_common())


def total(drafts: Sequence[LiveDraft]) -> Iterator[str]:
    """Yield the figures of all drafts beside their goals."""
    days = sum(len(each.days) for each in drafts)
    share = 100 * sum(len(each.failed) for each in drafts) / max(1, days)
    counts = [count for each in drafts for name, count in each.checks.items() if name != TABLE]
    yield Line(f"days with an unexplained error, of {days:,}", share, GOALS["days"], "%").text
    yield Line("proposed checks of a column, median", median(counts or [0]), GOALS["checks"], "").text
    yield Line("proposed checks of a column, most", max(counts, default=0), GOALS["most"], "").text
    yield Line("causes", sum(len(each.causes) for each in drafts), None, "checks").text


def main() -> None:
    """Print the outcome of every draft, and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the recurring tables")
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--windows", type=int, default=2, help="the most windows of a table")
    parser.add_argument("--fast", action="store_true", help="single columns only, without Spark, on other windows")
    parser.add_argument("--tables", nargs="*", default=[])
    options = parser.parse_args()
    with recurring.unpacked(options.data) as folder:
        if options.fast:
            run(folder, options, fast)
            return
        session = start(memory="3g")
        try:
            run(folder, options, partial(on_spark, session, folder / "parquet"))
        finally:
            session.stop()


def run(folder: Path, options: argparse.Namespace, way: Callable[[Table], LiveDraft]) -> None:
    """Draft and test every window."""
    drafts = []
    for table in tables(folder, most=10_000, rows=options.rows):
        if options.tables and table.name not in options.tables:
            continue
        for window in windows(table, options.windows, 0 if options.fast else 1):
            drafts.append(way(window))
            print("\n".join(report(drafts[-1])), flush=True)
    print("\n".join(total(drafts)))


if __name__ == "__main__":
    main()
