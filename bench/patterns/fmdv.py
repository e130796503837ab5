"""Measure how well patterns learned from half of a lake distinguish columns: section 5.1 of Auto-Validate (SIGMOD
2021).

`build_index(columns, path)`, then `infer_from(path)` returns `infer(values) -> validator | None`, whose
`check(values)` is True unless it reports an issue: the interface that the evaluation uses for every method. The
command indexes half of the corpus's groups and tests columns of the other half: `make bench-fmdv`."""

import argparse
import csv
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from bench.patterns.fmdv_methods import BASELINES, variant
from bench.patterns.fmdv_protocol import Column, Outcome, corpus, evaluate, lengthened, parted, score, split_columns
from treaty.engine.analyzers.conformity_test import critical
from treaty.engine.patterns.candidates import Match, matcher
from treaty.engine.patterns.choice import ChoicePolicy
from treaty.engine.patterns.fmdv import VARIANTS, Objective
from treaty.engine.patterns.index import PatternIndex, indexed
from treaty.engine.patterns.index_file import load, save
from treaty.engine.patterns.inference import STRICT, LearnedPattern, infer
from treaty.engine.patterns.lake_sums import sums_of

RESULTS = Path(__file__).parents[1] / "results"
LEAST_OF_SOURCE, MOST_OF_SOURCE = 50, 400
SENSITIVITY: Mapping[str, Sequence[float]] = {
    "r": (0.02, 0.05, 0.1, 0.2, 0.4),
    "m": (1, 2, 3, 5, 10, 30),
    "tokens": (3, 5, 8, 11),
    "theta": (0.0, 0.02, 0.05, 0.1, 0.2),
}


def build_index(columns: Iterable[Any], path: str | Path) -> PatternIndex:
    """Write the index of columns to a file.

    A column is a sequence of texts or has them as `values`, and optionally a `group`."""
    items = list(columns)
    texts = [[each for each in getattr(column, "values", column) if each is not None] for column in items]
    groups = [getattr(column, "group", None) for column in items]
    index = indexed(texts, sources=groups if None not in groups else ())
    save(index, path)
    return index


def infer_from(path: str | Path, policy: ChoicePolicy | None = None) -> "Callable[[Sequence[str]], Validator | None]":
    """Return a function from a column's first values to a validator of later ones; None without a pattern."""
    index = load(path)

    def of(values: Sequence[str]) -> Validator | None:
        learned = infer(list(values), index, policy).learned
        return None if learned is None else Validator(learned)

    return of


class Validator:
    """A learned pattern with the interface of the evaluation.

    An issue is an error: significantly more nonconforming values than in training, and more than the pattern's floor.
    `warnings`: report significance alone."""

    def __init__(self, learned: LearnedPattern, *, warnings: bool = False) -> None:
        self.learned = learned
        self.floor = 0.0 if warnings else learned.floor
        self._match: Match = matcher(learned.pattern)

    def check(self, values: Sequence[str | None]) -> bool:
        """Return True unless an issue is reported."""
        texts = [value for value in values if value is not None]
        return self._passes(((text, 1) for text in texts), len(texts))

    def check_unique(self, unique: Sequence[str], counts: "np.ndarray[Any, Any]") -> bool:
        """Return the same for distinct values with their counts."""
        pairs = sorted(zip(unique, counts.tolist(), strict=True), key=lambda pair: -pair[1])
        return self._passes(pairs, int(counts.sum()))

    def _passes(self, counted: Iterable[tuple[str, int]], of: int) -> bool:
        """Stop as soon as the result is certain."""
        least = critical(self.learned.trained, of, self.learned.alpha)
        if least is None:
            return True
        most = max(least - 1, int((self.floor + self.learned.trained.share) * of))
        bad, good = 0, 0
        for text, count in counted:
            if self._match(text):
                good += count
            else:
                bad += count
            if bad > most or of - good <= most:
                break
        return bad <= most


@dataclass(frozen=True)
class Line:
    """A row of the table of results."""

    part: str
    method: str
    columns: int
    promised: int
    precision: float
    within: float
    recall: float
    note: str = ""

    @property
    def line(self) -> str:
        """Return the row as printed."""
        figures = f"{self.precision:.3f} ±{self.within:.3f} / {self.recall:.3f}"
        return f"{self.part:12} {self.method:34} {figures}  n {self.columns}, patterns {self.promised}  {self.note}"


@dataclass(frozen=True)
class Split:
    """Columns to index and columns to test, with the index file of the former. `columns`: the whole corpus."""

    indexed: Sequence[Column]
    tested: Sequence[Column]
    path: Path
    columns: Sequence[Column] = ()


def line(part: str, method: str, outcomes: Sequence[Outcome], note: str = "", *, promised: bool = False) -> Line:
    """Return the scores of a method as a row."""
    scores = score(outcomes, promised=promised)
    promised_count = sum(each.promise is not None for each in outcomes)
    return Line(part, method, scores.columns, promised_count, scores.precision, scores.within, scores.recall, note)


def goals(split: Split) -> Iterator[Line]:
    """Evaluate the goals: all columns in file order, all from a uniform sample, and those with a pattern."""
    every = evaluate(split.tested, infer_from(split.path))
    yield line("goals", "every column, file order", every, "goal 0.97 / 0.90" + _latency(every))
    shuffled = [column.shuffled(at) for at, column in enumerate(split.tested)]
    yield line("goals", "every column, uniform sample", evaluate(shuffled, infer_from(split.path)), "goal 0.99 / 0.92")
    strict = evaluate(split.tested, infer_from(split.path, STRICT))
    share = sum(each.promise is not None for each in strict) / len(strict)
    note = f"goal 0.985 / 0.94 on 50 %: on {share:.0%}"
    yield line("goals", "where a pattern is returned", strict, note, promised=True)


def _latency(outcomes: Sequence[Outcome]) -> str:
    milliseconds = [1000 * each.seconds for each in outcomes]
    median, late = np.quantile(milliseconds, (0.5, 0.99))
    return f"; CPU {median:.1f} ms median, {late:.0f} ms p99 (goals 5, 50)"


def sources(split: Split) -> Iterator[Line]:
    """Evaluate each larger source with an index of all others, and all of them together."""
    all_outcomes: list[Outcome] = []
    expected: list[float] = []
    for source in _large_sources(split.columns):
        indexed_columns, tested = split_columns(split.columns, MOST_OF_SOURCE, source, 1)
        index = build_index(indexed_columns, split.path.with_name("others.parquet"))
        outcomes = evaluate(tested, infer_from(split.path.with_name("others.parquet")))
        results = (infer(each.values[: each.learned], index) for each in tested)
        expected += [each.alarms for each in results if each.alarms is not None]
        all_outcomes += outcomes
        yield line("sources", source, outcomes)
    estimated = f"; false alarms estimated {float(np.mean(expected)):.3f}" if expected else ""
    yield line("sources", "all of these", all_outcomes, f"goal 0.97 / 0.90{estimated}")


def _large_sources(columns: Sequence[Column]) -> list[str]:
    sizes = Counter(each.group[0] for each in columns)
    return [source for source, size in sizes.most_common() if size >= LEAST_OF_SOURCE]


def baselines(split: Split) -> Iterator[Line]:
    """Evaluate the methods without a lake, on the same columns."""
    for name, infer_alone in BASELINES.items():
        yield line("baselines", name, evaluate(split.tested, infer_alone))


def variants(split: Split) -> Iterator[Line]:
    """Evaluate the paper's variants, with its own and with the replayed estimate.

    Only columns with a pattern count."""
    sums = load(split.path).sums
    for objective in (Objective.IMPURITY, Objective.ALARMS, Objective.COLUMNS):
        for name, limits in VARIANTS.items():
            outcomes = evaluate(split.tested, variant(sums, replace(limits, objective=objective)))
            yield line("variants", f"{name}, least {objective}", outcomes, promised=True)


def sensitivity(split: Split) -> Iterator[Line]:
    """Evaluate FMDV-VH over r, m, tau and theta (figure 12 of the paper).

    On all test columns."""
    sums_by_tokens = {8: load(split.path).sums}
    for name, numbers in SENSITIVITY.items():
        for number in numbers:
            parameter: dict[str, Any] = {name: number}
            limits = replace(VARIANTS["FMDV-VH"], objective=Objective.IMPURITY, **parameter)
            if limits.tokens not in sums_by_tokens:
                sums_by_tokens[limits.tokens] = sums_of(
                    (each.values for each in split.indexed), tokens=int(limits.tokens)
                )
            outcomes = evaluate(split.tested, variant(sums_by_tokens[limits.tokens], limits))
            yield line(
                "sensitivity", f"{name} = {number:g}", outcomes, f"{len(sums_by_tokens[limits.tokens])} patterns"
            )


def calibration(split: Split) -> Iterator[Line]:
    """Compare estimated and measured false alarms of all validators."""
    index = load(split.path)
    results = [infer(column.values[: column.learned], index) for column in split.tested]
    expected = [each.alarms for each in results if each.alarms is not None]
    outcomes = evaluate(split.tested, infer_from(split.path))
    measured = sum(each.issue for each in outcomes) / max(1, len(expected))
    believed = float(np.mean(expected))
    note = f"estimated {believed:.4f}, measured {measured:.4f}: x{measured / believed:.2f}; goal x1.5"
    yield line("calibration", "false alarms", outcomes, note)


def speed(split: Split) -> Iterator[Line]:
    """Measure indexing, inference and the size of the file.

    Reports columns of 1,000 values indexed per CPU second and how seconds grow over three sizes of corpus, the whole
    index with its replays, and an inference from 1,000 values."""
    columns = lengthened(split.indexed)
    sizes = [len(columns) // 4, len(columns) // 2, len(columns)]
    seconds = [_seconds(partial(sums_of, columns[:size])) for size in sizes]
    slope = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    yield _figure_line(
        "indexing, one core", columns, f"{_rate(columns, seconds[-1])}, slope {slope:.2f}; goals 1000, 1"
    )
    yield _figure_line("indexing with replays", columns, _rate(columns, _seconds(partial(indexed, columns))))
    index = load(split.path)
    test_columns = lengthened(split.tested)
    latencies = [1000 * _seconds(partial(infer, values, index)) for values in test_columns]
    median, late = np.quantile(latencies, (0.5, 0.99))
    yield _figure_line(
        "inference", test_columns, f"CPU {median:.1f} ms median, {late:.0f} ms p99 of 1,000 values; goals 5, 50"
    )
    size = split.path.stat().st_size / len(split.indexed) / 1000
    yield _figure_line("index file", split.indexed, f"{size:.2f} MB for each 1,000 columns; goal 0.5")


def _seconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def _rate(columns: Sequence[object], seconds: float) -> str:
    return f"{len(columns) / seconds:.0f} columns/s of 1,000 values"


def _figure_line(method: str, columns: Sequence[object], note: str) -> Line:
    return Line("speed", method, len(columns), 0, float("nan"), float("nan"), float("nan"), note)


def misses(split: Split) -> Iterator[Line]:
    """List the columns with a false alarm."""
    for each in evaluate(split.tested, infer_from(split.path)):
        if each.issue:
            learned = each.promise.learned
            source, name = each.column.group
            note = f"{source} {name}: {learned.family} {learned.pattern.text[:60]}, floor {learned.floor}"
            yield Line("misses", "false alarm", 1, 1, 0.0, 0.0, 0.0, note)


PARTS: Mapping[str, Callable[[Split], Iterator[Line]]] = {
    part.__name__: part for part in (goals, sources, baselines, variants, sensitivity, calibration, speed, misses)
}


def main(argv: Sequence[str] | None = None) -> None:
    """Print the selected parts and write them if requested."""
    options = _arguments(argv)
    columns = corpus(options.columns)
    chosen = parted(columns, options.judged, options.seed)
    if options.source:
        chosen = split_columns(columns, options.judged, options.source, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        split = Split(*chosen, Path(folder) / "lake.parquet", columns)
        began = process_time()
        build_index(split.indexed, split.path)
        seconds = process_time() - began
        print(f"indexed {len(split.indexed)} columns in {seconds:.1f} CPU seconds; test columns: {len(split.tested)}")
        lines = list(_printed(each for part in options.only for each in PARTS[part](split)))
    if options.write:
        _write(lines)


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    shared = Path(os.environ.get("TREATY_SHARED", "../shared"))
    parser.add_argument("--columns", type=Path, default=shared / "data" / "columns" / "columns_visible.parquet")
    parser.add_argument("--judged", type=int, default=500, help="maximum number of test columns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", help="test columns of this source, index all others")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--write", action="store_true", help="write bench/results/fmdv.csv and fmdv.png")
    return parser.parse_args(argv)


def _printed(lines: Iterable[Line]) -> Iterator[Line]:
    for each in lines:
        print(each.line, flush=True)
        yield each


def _write(lines: Sequence[Line]) -> None:
    with (RESULTS / "fmdv.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["part", "method", "columns", "promised", "precision", "within", "recall", "note"])
        # Misses contain values of the corpus, which may not leave it.
        rows.writerows([*map(_rounded, vars(each).values())] for each in lines if each.part != "misses")
    _draw([each for each in lines if each.part == "sensitivity"], RESULTS / "fmdv.png")


def _rounded(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value


def _draw(lines: Sequence[Line], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 3), layout="constrained")
    for axes, name in zip(figure.subplots(1, len(SENSITIVITY), sharey=True), SENSITIVITY, strict=True):
        these = [each for each in lines if each.method.startswith(f"{name} = ")]
        numbers = [each.method.partition(" = ")[2] for each in these]
        axes.plot(numbers, [each.precision for each in these], "o-", label="precision")
        axes.plot(numbers, [each.recall for each in these], "s--", label="recall")
        axes.set_xlabel({"tokens": "tau"}.get(name, name))
    axes.legend()
    figure.savefig(path, dpi=110)


if __name__ == "__main__":
    main()
