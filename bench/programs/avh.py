"""Measure Auto-Validate by-History on recurring tables: false alarms, recall and cost, compared with other methods.

    python -m bench.programs.avh [FOLDER [TABLE ...]] [--only quality lengths budgets parts days labelled cost]
                                 [--among "by history" "6 sigma"]

FOLDER contains source/table/date.csv, and incidents.csv with labeled days; by default the shared tables. Results are
written as CSV and PNG to
bench/results. Evaluated tables are cached: an interrupted command resumes where it stopped."""

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy

from bench.core import recurring
from bench.programs.avh_baselines import BASELINES, Judge, summary_of
from bench.programs.avh_days import Incident, Table, clean_days, incident_days, incidents, near_incidents
from bench.programs.avh_protocol import Fit, Outcome, evaluate_table, similar
from bench.programs.avh_tables import Sequence as Recurring
from bench.programs.avh_tables import Snapshot, sequences, tables, typed_values
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.programs import fitting
from treaty.engine.programs.history import Batch, ColumnHistory
from treaty.engine.programs.learner import SampleTrials
from treaty.engine.programs.program import NoProgram
from treaty.engine.programs.recipe import RECIPE, Recipe
from treaty.engine.programs.suggestions import IN_CONTRACTS
from treaty.engine.statistics.column_values import ColumnValues
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.summaries import summary

KINDS = "numeric", "categorical"
INCIDENTS, DAYS = "incidents.csv", 60
RESULTS = Path(__file__).parents[1] / "results"
LENGTHS, BUDGETS = (7, 14, 21, 28), (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1)
PARTS: Mapping[str, Recipe] = {
    "as it is": RECIPE,
    "paper: its bounds, its statistics, its test": replace(
        RECIPE, bound="paper", paper_only=True, tested=True, guarded=False, most=100, price=0.0
    ),
    "proven bounds": replace(RECIPE, bound="proven"),
    "one partition's statistics alone": replace(RECIPE, distances=False),
    "the test of stationarity": replace(RECIPE, tested=True),
    "without guards": replace(RECIPE, guarded=False),
    "the paper's statistics alone": replace(RECIPE, paper_only=True),
    "the budget is spent": replace(RECIPE, price=0.0),
    **{f"at most {most} clauses": replace(RECIPE, most=most) for most in (1, 2, 4, 100)},
}


def history(snapshots: Sequence[Snapshot]) -> ColumnHistory:
    """Return the history of these snapshots; statistics shared by windows are computed once."""
    rows = [_row(each, before) for each, before in zip(snapshots, [None, *snapshots[:-1]], strict=True)]
    return ColumnHistory.with_rows(tuple(Batch(each.date, summary_of(each)) for each in snapshots), rows)


def _row(each: Snapshot, before: Snapshot | None) -> dict[str, float | None]:
    if before is None:
        return compute_statistics(summary_of(each))
    return each.once(("after", summary_of(before)), lambda now: compute_statistics(summary_of(now), summary_of(before)))  # type: ignore[no-any-return]


def by_history(recipe: Recipe, snapshots: list[Snapshot], kind: str) -> Judge:
    """Return the program of these snapshots as a model; without enough history it flags nothing."""
    if not snapshots:
        return Judge(lambda _: False)
    column_history, trials = snapshots[-1].once(("window", len(snapshots)), lambda _: _window(snapshots))
    learner = fitting.learner_of(column_history, recipe, trials)
    if isinstance(learner, NoProgram):
        return Judge(lambda _: False)
    program = learner.program(recipe.budget)

    def flag(each: Snapshot) -> bool:
        return (
            program.is_other(summary_of(each))
            or program.judge_values(_arriving(each, column_history), column_history).flagged
        )

    return Judge(flag)


def _arriving(each: Snapshot, history: ColumnHistory) -> dict[str, float | None]:
    return each.once(("after", history.compared), lambda now: history.arriving(summary_of(now)))  # type: ignore[no-any-return]


# Contracts check the number of rows once per table; here each column is a table.
WITH_ROWS = replace(IN_CONTRACTS, excluded_guards=IN_CONTRACTS.excluded_guards - {"row_count"})
ALGORITHMS: Mapping[str, Fit] = {
    "by history": partial(by_history, RECIPE),
    "by history, as contracts have it": partial(by_history, WITH_ROWS),
    **BASELINES,
}


def _window(snapshots: list[Snapshot]) -> tuple[ColumnHistory, SampleTrials | None]:
    """Return the history and issue samples, which programs of every recipe share."""
    column_history = history(snapshots)
    return column_history, fitting.trials(
        column_history,
        snapshots[column_history.training_positions[-1]].column if column_history.training_positions else None,
    )


class SourceSnapshot(Protocol):
    """A column snapshot of an external benchmark: float64 `v` with NaN as null, or texts with "" as null.

    Other values and nulls are used as they are. `stat` computes a property of the snapshot and caches it by name."""

    v: Any
    date: str | None

    def stat(self, name: str, compute: Callable[[Any], Any]) -> Any:
        """Return `told(self)`, computed once."""


def fit(history: Sequence[SourceSnapshot], kind: str) -> "Watcher":
    """Learn a program from a column's snapshots, oldest first, and return it as a watcher.

    `kind`: numeric, or categorical, whose values are all texts. With fewer than 14 usable snapshots (excluded ones and
    those of another type than the newest do not count) nothing is flagged. Raises ValueError for another kind or for
    values of more than one dimension."""
    if kind not in KINDS:
        raise ValueError(f"the kind of a column must be {' or '.join(KINDS)}, not {kind!r}")
    return Watcher(by_history(RECIPE, [_snapshot(each, kind) for each in history], kind), kind)


@dataclass(frozen=True)
class Watcher:
    """A model learned from external snapshots."""

    judge: Judge
    kind: str

    def flag(self, snapshot: SourceSnapshot) -> bool:
        """Return True if the program reports an issue, including values of another type than learned."""
        return self.judge.flag(_snapshot(snapshot, self.kind))


def _snapshot(snapshot: SourceSnapshot, kind: str) -> Snapshot:
    return snapshot.stat(f"{kind} snapshot", partial(_column_snapshot, kind))  # type: ignore[no-any-return]


def _column_snapshot(kind: str, snapshot: SourceSnapshot) -> Snapshot:
    return Snapshot(typed_values(snapshot.v, kind), snapshot.date or "")


@dataclass(frozen=True)
class BenchOptions:
    """Options of the command."""

    root: Path
    tables: list[str]
    segments: int
    rows: int
    columns: int
    stride: int
    cache: Path
    among: frozenset[str] = frozenset()

    @cached_property
    def incidents(self) -> list[Incident]:
        """Return the labeled incidents; empty without a file."""
        path = self.root / INCIDENTS
        return incidents(path) if path.exists() else []

    @cached_property
    def labelled(self) -> Mapping[str, frozenset[str]]:
        """Return the days of incidents by table."""
        return {table: near_incidents(self.root, table, self.incidents) for table in self.tables}

    @cached_property
    def alike(self) -> list[list[int]]:
        """Return for each sequence the most similar ones."""
        return similar(self.sequences)

    @cached_property
    def sequences(self) -> list[Recurring]:
        """Return the columns of the tables, or a random sample if fewer are requested."""
        columns = [each for table in self.tables for each in sequences(self.root, table, self.segments, self.rows)]
        if self.columns and len(columns) > self.columns:
            chosen = numpy.random.default_rng(0).choice(len(columns), self.columns, replace=False)
            columns = [columns[at] for at in sorted(chosen)]
        for each in columns:
            each.labelled = self.labelled[each.table]
        print(f"{len(columns)} sequences of {len({each.table for each in columns})} tables", flush=True)
        return columns

    def outcomes(self, fits: Mapping[str, Fit], length: int = 30) -> Iterator[dict[str, Any]]:
        """Yield and print a row per algorithm and kind of column. Each table is evaluated once and cached."""
        results = {name: Outcome() for name in fits}
        for table in self.tables:
            for name, outcome in self._of_table(table, fits, length).items():
                results[name].join(outcome)
        for name, outcome in results.items():
            for kind in KINDS:
                row = {"algorithm": name, "history": length, "kind": kind, **_figures(outcome, kind)}
                print(" ".join(f"{key}={value}" for key, value in row.items()), flush=True)
                yield row

    def _of_table(self, table: str, fits: Mapping[str, Fit], length: int) -> dict[str, Outcome]:
        key = [*fits, table, self.tables, length, self.segments, self.rows, self.columns, self.stride, "clean"]
        cache_path = self.cache / f"{fingerprint(key)[:20]}.json"
        if cache_path.exists():
            return {name: Outcome.read(each) for name, each in json.loads(cache_path.read_text()).items()}
        begun = time.process_time()
        results = evaluate_table(self.sequences, self.alike, fits, length, self.stride, table)
        cache_path.parent.mkdir(parents=True, exist_ok=True)
        cache_path.write_text(json.dumps({name: each.written() for name, each in results.items()}))
        print(f"{table} {length} {len(fits)} algorithms: {time.process_time() - begun:.0f} s", flush=True)
        return results


def _figures(outcome: Outcome, kind: str) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for test in ("fpr", "clean", "synthetic", "real"):
        tally = outcome.tallies[kind, test]
        low, high = tally.interval()
        columns |= {test: f"{tally.share:.4f}", f"{test}_low": f"{low:.4f}", f"{test}_high": f"{high:.4f}"}
        columns[f"{test}_tests"] = tally.tests
    columns["days_with_alarm"] = f"{sum(outcome.days.values())}/{len(outcome.days)}"
    return columns


def quality(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Evaluate all or the selected algorithms on the same tests (figures 2 and 3)."""
    yield from options.outcomes({name: each for name, each in ALGORITHMS.items() if name in options.among})


def lengths(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Evaluate histories of 7, 14, 21 and 28 snapshots (figure 6).

    Also those below the usual minimum."""
    for length in LENGTHS:
        yield from options.outcomes({"by history": partial(by_history, replace(RECIPE, least=length))}, length)


def budgets(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Compare the false-alarm budget with measured false alarms (figure 7)."""
    yield from options.outcomes(
        {f"budget {rate}": partial(by_history, replace(RECIPE, budget=rate)) for rate in BUDGETS}
    )


def parts(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Evaluate recipes with one part removed or as in the paper (figures 8 to 10)."""
    yield from options.outcomes({name: partial(by_history, recipe) for name, recipe in PARTS.items()})


def tails(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Measure how often statistics of clean snapshots deviate by many spreads.

    It checks the measured bound."""
    from treaty.engine.programs.constraints import past
    from treaty.engine.programs.stationarity import LEVEL, LagTransform

    for length in (*LENGTHS, 30):
        away: dict[str, list[float]] = {"level": [], "step": []}
        for sequence in options.sequences:
            for last in range(30, 60, options.stride):
                column_history = history(sequence.snapshots[last - length : last])
                now = _row(sequence.snapshots[last], sequence.snapshots[last - 1])
                for name, values in column_history.series.items():
                    for label, change in (("level", LEVEL), ("step", LagTransform(1))):
                        constraint = past(STATISTICS[name], change, values, column_history.floor(name))
                        if constraint is not None and now[name] is not None:
                            away[label].append(float(constraint.away(change.next(now[name], values))))
        for label, values in away.items():
            shares = {f"over_{k}": f"{numpy.mean(numpy.array(values) > k):.5f}" for k in (3, 5, 10, 20, 50)}
            row = {"algorithm": label, "history": length, "tests": len(values), **shares}
            print(row, flush=True)
            yield row


def cost(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Measure CPU milliseconds for one column of 100,000 rows.

    For its statistics, and for a program learned from thirty stored summaries."""
    generator = numpy.random.default_rng(0)
    texts = numpy.array([f"Item {each}" for each in range(100_000)], dtype=object)
    kinds = {
        "numbers": lambda: ColumnValues(generator.normal(100, 10, 100_000)),
        "40 distinct texts": lambda: ColumnValues(generator.choice(texts[:40], 100_000)),
        "100,000 distinct texts": lambda: ColumnValues(generator.permutation(texts)),
    }
    for name, make in kinds.items():
        columns = [make() for _ in range(30)]
        spent = [_timed(partial(summary, each)) for each in columns]
        column_history = ColumnHistory(tuple(Batch(str(at), summary(each)) for at, each in enumerate(columns)))
        column_history.series  # noqa: B018
        fitted = min(_timed(partial(fitting.fit, column_history, RECIPE, columns[-1])) for _ in range(5))
        row = {"algorithm": name, "statistics_ms": f"{1e3 * median(spent):.1f}", "program_ms": f"{1e3 * fitted:.1f}"}
        print(row, flush=True)
        yield row


def _timed(run: Callable[[], Any]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


def days(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Evaluate whole tables on clean days, with a budget of one false alarm a quarter.

    Reports how often any column alarms, why, and how often the alarm is new compared with the day before."""
    for name in options.tables:
        rows = list(clean_days(Table(options.root, name, options.rows), options.incidents, DAYS, alarms=1.0))
        flagged = [row for row in rows if row["flagged"]]
        summary_text = f"{len(flagged)} of {len(rows)}, {sum(row['opened'] for row in rows)} of them new"
        print(name, summary_text, *flagged, flush=True)
        yield from rows


def labelled(options: BenchOptions) -> Iterator[dict[str, Any]]:
    """Evaluate the labeled incidents of the tables, each on its day."""
    table_incidents = [each for each in options.incidents if each.table in options.tables]
    for row in incident_days(options.root, table_incidents, options.rows, alarms=1.0):
        print(row, flush=True)
        yield row


FIGURES: Mapping[str, Callable[[BenchOptions], Iterator[dict[str, Any]]]] = {
    each.__name__: each for each in (quality, lengths, budgets, parts, tails, days, labelled, cost)
}


def main(argv: Sequence[str] | None = None) -> None:
    """Load the tables, run the selected figures, print and write them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path, nargs="?", help="by default the shared tables, unpacked")
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--only", nargs="*", choices=FIGURES, default=["quality", "cost"])
    parser.add_argument("--segments", type=int, default=1, help="periods of 60 snapshots per table")
    parser.add_argument("--rows", type=int, default=2000, help="approximate number of rows per snapshot")
    parser.add_argument("--stride", type=int, default=1, help="evaluate every N-th window")
    parser.add_argument("--columns", type=int, default=0, help="number of randomly chosen sequences; 0 means all")
    parser.add_argument(
        "--among", nargs="*", choices=ALGORITHMS, default=list(ALGORITHMS), help="algorithms of `quality`"
    )
    parser.add_argument("--cache", type=Path, default=RESULTS / "cache", help="cache folder of evaluated tables")
    options = parser.parse_args(argv)
    with nullcontext(options.root) if options.root else recurring.unpacked() as root:
        names = options.tables or tables(root)
        if not names:
            parser.error(f"{root} has no tables: expected files named source/table/date.csv")
        _run(options, root, names)


def _run(options: argparse.Namespace, root: Path, names: Sequence[str]) -> None:
    among = frozenset(options.among)
    work = BenchOptions(
        root, names, options.segments, options.rows, options.columns, options.stride, options.cache, among
    )
    for name in options.only:
        _keep(name, list(FIGURES[name](work)))


def _keep(name: str, rows: list[dict[str, Any]]) -> None:
    RESULTS.mkdir(exist_ok=True)
    if not rows:
        return
    with (RESULTS / f"avh_{name}.csv").open("w", newline="", encoding="utf-8") as file:
        written = csv.DictWriter(file, list(rows[0]))
        written.writeheader()
        written.writerows(rows)
    if "fpr" in rows[0]:
        _draw_figure(name, rows)


def _draw_figure(name: str, rows: list[dict[str, Any]]) -> None:
    """Plot false alarms against recall, one point per algorithm."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(12, 5))
    for axis, kind in zip(axes, ("numeric", "categorical"), strict=True):
        for row in (each for each in rows if each["kind"] == kind):
            axis.plot(float(row["fpr"]), float(row["synthetic"]), "o")
            axis.annotate(
                f"{row['algorithm']} {row['history']}", (float(row["fpr"]), float(row["synthetic"])), fontsize=7
            )
        axis.set(title=kind, xlabel="false alarms", ylabel="recall, synthetic", xscale="symlog")
    figure.savefig(RESULTS / f"avh_{name}.png", dpi=100)
    pyplot.close(figure)


if __name__ == "__main__":
    main()
