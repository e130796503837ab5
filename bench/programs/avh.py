"""Auto-Validate by-History on recurring tables: false alarms and recall, beside what others do, and what it costs.

    python -m bench.programs.avh FOLDER [TABLE ...] [--only quality lengths budgets parts days labelled cost]
        [--among "by history" "6 sigma"]

FOLDER/source/table/date.csv, and FOLDER/incidents.csv where days are labelled. Writes results as CSV and PNG beside
the others of bench/results. What was judged of a table is kept: a command that was ended goes on where it stood."""

import argparse
import csv
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import numpy

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
    """The history of these snapshots; statistics that windows have in common are told once."""
    rows = [_row(each, before) for each, before in zip(snapshots, [None, *snapshots[:-1]], strict=True)]
    return ColumnHistory.with_rows(tuple(Batch(each.date, summary_of(each)) for each in snapshots), rows)


def _row(each: Snapshot, before: Snapshot | None) -> dict[str, float | None]:
    if before is None:
        return compute_statistics(summary_of(each))
    return each.once(("after", summary_of(before)), lambda now: compute_statistics(summary_of(now), summary_of(before)))  # type: ignore[no-any-return]


def by_history(recipe: Recipe, snapshots: list[Snapshot], kind: str) -> Judge:
    """The program of these snapshots as a model; one that is still learning flags nothing."""
    if not snapshots:
        return Judge(lambda _: False)
    known, trials = snapshots[-1].once(("window", len(snapshots)), lambda _: _window(snapshots))
    found = fitting.learner_of(known, recipe, trials)
    if isinstance(found, NoProgram):
        return Judge(lambda _: False)
    program = found.program(recipe.budget)

    def flag(each: Snapshot) -> bool:
        return program.is_other(summary_of(each)) or program.judge_values(_arriving(each, known), known).flagged

    return Judge(flag)


def _arriving(each: Snapshot, known: ColumnHistory) -> dict[str, float | None]:
    return each.once(("after", known.compared), lambda now: known.arriving(summary_of(now)))  # type: ignore[no-any-return]


# Contracts judge the number of rows once for the table; here each column is a table.
WITH_ROWS = replace(IN_CONTRACTS, excluded_guards=IN_CONTRACTS.excluded_guards - {"row_count"})
ALGORITHMS: Mapping[str, Fit] = {
    "by history": partial(by_history, RECIPE),
    "by history, as contracts have it": partial(by_history, WITH_ROWS),
    **BASELINES,
}


def _window(snapshots: list[Snapshot]) -> tuple[ColumnHistory, SampleTrials | None]:
    """What programs of every recipe have in common: the history, and the issues that are tried."""
    known = history(snapshots)
    return known, fitting.trials(
        known, snapshots[known.training_positions[-1]].column if known.training_positions else None
    )


class SourceSnapshot(Protocol):
    """A snapshot of a column as others hold it: float64 `v` with NaN for a null, or texts with "" for one.

    Other values, and other nulls, are taken for what they are. `stat` tells something of the snapshot, and keeps it
    under its name."""

    v: Any
    date: str | None

    def stat(self, name: str, told: Callable[[Any], Any]) -> Any:
        """What `told` says of the snapshot, asked once."""


def fit(history: Sequence[SourceSnapshot], kind: str) -> "Watcher":
    """The program of a column's snapshots, oldest first, which says of another snapshot whether it is flagged.

    `kind`: numeric or categorical, of which all values are texts. Fewer than 14 snapshots, without those that are set
    aside or of another type than the newest one: nothing is flagged. Raises ValueError for another kind, and for values
    of more than one dimension."""
    if kind not in KINDS:
        raise ValueError(f"a column is {' or '.join(KINDS)}, not {kind!r}")
    return Watcher(by_history(RECIPE, [_snapshot(each, kind) for each in history], kind), kind)


@dataclass(frozen=True)
class Watcher:
    """What has learned a history of snapshots that others hold."""

    judge: Judge
    kind: str

    def flag(self, snapshot: SourceSnapshot) -> bool:
        """Whether the program reports an issue: also where the values are of another type than it learned."""
        return self.judge.flag(_snapshot(snapshot, self.kind))


def _snapshot(given: SourceSnapshot, kind: str) -> Snapshot:
    return given.stat(f"{kind} snapshot", partial(_column_snapshot, kind))  # type: ignore[no-any-return]


def _column_snapshot(kind: str, given: SourceSnapshot) -> Snapshot:
    return Snapshot(typed_values(given.v, kind), given.date or "")


@dataclass(frozen=True)
class BenchOptions:
    """What the command works with."""

    root: Path
    tables: list[str]
    segments: int
    rows: int
    columns: int
    stride: int
    kept: Path
    among: frozenset[str] = frozenset()

    @cached_property
    def incidents(self) -> list[Incident]:
        """The labelled incidents; none where there is no file of them."""
        path = self.root / INCIDENTS
        return incidents(path) if path.exists() else []

    @cached_property
    def labelled(self) -> Mapping[str, frozenset[str]]:
        """Of each table the days that belong to an incident."""
        return {table: near_incidents(self.root, table, self.incidents) for table in self.tables}

    @cached_property
    def alike(self) -> list[list[int]]:
        """For each sequence those most like it."""
        return similar(self.sequences)

    @cached_property
    def sequences(self) -> list[Recurring]:
        """The columns of the tables, so many of them drawn at random where fewer are asked for."""
        found = [each for table in self.tables for each in sequences(self.root, table, self.segments, self.rows)]
        if self.columns and len(found) > self.columns:
            chosen = numpy.random.default_rng(0).choice(len(found), self.columns, replace=False)
            found = [found[at] for at in sorted(chosen)]
        for each in found:
            each.labelled = self.labelled[each.table]
        print(f"{len(found)} sequences of {len({each.table for each in found})} tables", flush=True)
        return found

    def outcomes(self, fits: Mapping[str, Fit], length: int = 30) -> Iterator[dict[str, Any]]:
        """A row for each algorithm and kind of column, printed as it is found. A table is judged once, and kept."""
        found = {name: Outcome() for name in fits}
        for table in self.tables:
            for name, outcome in self._of_table(table, fits, length).items():
                found[name].join(outcome)
        for name, outcome in found.items():
            for kind in KINDS:
                row = {"algorithm": name, "history": length, "kind": kind, **_figures(outcome, kind)}
                print(" ".join(f"{key}={value}" for key, value in row.items()), flush=True)
                yield row

    def _of_table(self, table: str, fits: Mapping[str, Fit], length: int) -> dict[str, Outcome]:
        asked = [*fits, table, self.tables, length, self.segments, self.rows, self.columns, self.stride, "clean"]
        kept = self.kept / f"{fingerprint(asked)[:20]}.json"
        if kept.exists():
            return {name: Outcome.read(each) for name, each in json.loads(kept.read_text()).items()}
        begun = time.process_time()
        found = evaluate_table(self.sequences, self.alike, fits, length, self.stride, table)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps({name: each.written() for name, each in found.items()}))
        print(f"{table} {length} {len(fits)} algorithms: {time.process_time() - begun:.0f} s", flush=True)
        return found


def _figures(found: Outcome, kind: str) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for test in ("fpr", "clean", "synthetic", "real"):
        tally = found.tallies[kind, test]
        low, high = tally.interval()
        told |= {test: f"{tally.share:.4f}", f"{test}_low": f"{low:.4f}", f"{test}_high": f"{high:.4f}"}
        told[f"{test}_tests"] = tally.tests
    told["days_with_alarm"] = f"{sum(found.days.values())}/{len(found.days)}"
    return told


def quality(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """Figures 2 and 3: by history and by every other algorithm, or those asked for, on the same tests."""
    yield from asked.outcomes({name: each for name, each in ALGORITHMS.items() if name in asked.among})


def lengths(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """Figure 6: histories of 7, 14, 21 and 28 batches; also where a program would still be learning."""
    for length in LENGTHS:
        yield from asked.outcomes({"by history": partial(by_history, replace(RECIPE, least=length))}, length)


def budgets(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """Figure 7: what is asked for, and what happens."""
    yield from asked.outcomes({f"budget {rate}": partial(by_history, replace(RECIPE, budget=rate)) for rate in BUDGETS})


def parts(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """Figures 8 to 10: one part left out, or done as the paper does it, at a time."""
    yield from asked.outcomes({name: partial(by_history, recipe) for name, recipe in PARTS.items()})


def tails(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """How often a statistic of clean snapshots lies so many spreads away: what the measured bound is held against."""
    from treaty.engine.programs.constraints import past
    from treaty.engine.programs.stationarity import LEVEL, LagTransform

    for length in (*LENGTHS, 30):
        away: dict[str, list[float]] = {"level": [], "step": []}
        for given in asked.sequences:
            for last in range(30, 60, asked.stride):
                known = history(given.snapshots[last - length : last])
                now = _row(given.snapshots[last], given.snapshots[last - 1])
                for name, values in known.series.items():
                    for label, change in (("level", LEVEL), ("step", LagTransform(1))):
                        found = past(STATISTICS[name], change, values, known.floor(name))
                        if found is not None and now[name] is not None:
                            away[label].append(float(found.away(change.next(now[name], values))))
        for label, values in away.items():
            shares = {f"over_{k}": f"{numpy.mean(numpy.array(values) > k):.5f}" for k in (3, 5, 10, 20, 50)}
            row = {"algorithm": label, "history": length, "tests": len(values), **shares}
            print(row, flush=True)
            yield row


def cost(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """CPU milliseconds for one column of 100,000 rows: statistics, and a program from thirty stored summaries."""
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
        known = ColumnHistory(tuple(Batch(str(at), summary(each)) for at, each in enumerate(columns)))
        known.series  # noqa: B018
        fitted = min(_timed(partial(fitting.fit, known, RECIPE, columns[-1])) for _ in range(5))
        row = {"algorithm": name, "statistics_ms": f"{1e3 * median(spent):.1f}", "program_ms": f"{1e3 * fitted:.1f}"}
        print(row, flush=True)
        yield row


def _timed(run: Callable[[], Any]) -> float:
    begun = time.process_time()
    run()
    return time.process_time() - begun


def days(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """Whole tables on clean days, for one false alarm a quarter: how often any column alarms, of what, and how often of
    something that did not alarm on the snapshot before."""
    for name in asked.tables:
        rows = list(clean_days(Table(asked.root, name, asked.rows), asked.incidents, DAYS, alarms=1.0))
        flagged = [row for row in rows if row["flagged"]]
        told = f"{len(flagged)} of {len(rows)}, {sum(row['opened'] for row in rows)} of them opened"
        print(name, told, *flagged, flush=True)
        yield from rows


def labelled(asked: BenchOptions) -> Iterator[dict[str, Any]]:
    """The labelled incidents of the tables, each on its day."""
    known = [each for each in asked.incidents if each.table in asked.tables]
    for row in incident_days(asked.root, known, asked.rows, alarms=1.0):
        print(row, flush=True)
        yield row


FIGURES: Mapping[str, Callable[[BenchOptions], Iterator[dict[str, Any]]]] = {
    each.__name__: each for each in (quality, lengths, budgets, parts, tails, days, labelled, cost)
}


def main(given: Sequence[str] | None = None) -> None:
    """Loads the tables, runs what is asked for, prints and keeps the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=Path)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--only", nargs="*", choices=FIGURES, default=["quality", "cost"])
    parser.add_argument("--segments", type=int, default=1, help="stretches of 60 snapshots a table")
    parser.add_argument("--rows", type=int, default=2000, help="of a snapshot, about")
    parser.add_argument("--stride", type=int, default=1, help="judge every so many windows")
    parser.add_argument("--columns", type=int, default=0, help="so many sequences drawn at random; 0: all")
    parser.add_argument("--among", nargs="*", choices=ALGORITHMS, default=list(ALGORITHMS), help="of quality")
    parser.add_argument("--kept", type=Path, default=RESULTS / "kept", help="what was judged already")
    asked = parser.parse_args(given)
    names = asked.tables or tables(asked.root)
    if not names:
        parser.error(f"{asked.root} has no tables: they are looked for as source/table/date.csv")
    among = frozenset(asked.among)
    work = BenchOptions(asked.root, names, asked.segments, asked.rows, asked.columns, asked.stride, asked.kept, among)
    for name in asked.only:
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
    """False alarms against recall, one point an algorithm."""
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
