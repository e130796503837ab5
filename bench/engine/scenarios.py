"""Measure and plot the three scenarios of Differential Deequ's section V.

    python -m bench.engine.scenarios [--rows N] [--rounds N] [--folder F] [--only growth replacement views]

The table has seven pairs of days. *Growth*: a pair is added at a time. *Replacement*: a pair changes. *Views*: each
pair alone, three pairs, six. Each is verified from scratch and from states; seconds of wall clock, after one run that
is not timed. `bench/results/scenarios.csv` has the points; `growth.png`, `replacement.png` and `views.png` in the same
folder plot them like the paper's figures 3, 4 and 5."""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from bench.core.clock import cost, median
from bench.core.command import begun
from bench.engine.differential import NOW, TESTS, Bench
from bench.engine.statements import TABLE
from bench.engine.verification import machine
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation import state_queries
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.protocol.requests import MeasureResult, TableSource
from treaty.engine.session.verify import verify
from treaty.engine.spark.sources.readers import read
from treaty.engine.states.state_files import StateFiles

FOLDER = Path(__file__).parents[1] / "results"
FULL, STATES, FIRST = "from scratch", "from states", "all states at first"
PAIRS = 7


class Point(NamedTuple):
    """One bar or dot: the cost of a test in one way, at a step of a scenario."""

    scenario: str
    test: str
    way: str
    step: str
    wall: float
    cpu: float


def growth(bench: Bench, test: str) -> Iterator[Point]:
    """Add a pair of days in every step."""
    marks, days = dict(_all(bench, test).fingerprints), _days(bench)
    for step in range(1, PAIRS + 1):
        present, new = days[: 2 * step], days[2 * step - 2 : 2 * step]
        # Days that are not there yet count as known, so they are not read.
        old = {name: mark for name, mark in marks.items() if name not in new}
        yield _point(bench, "growth", test, FULL, str(2 * step), _full(bench, test, present))
        yield _point(bench, "growth", test, STATES, str(2 * step), _changed(bench, test, old, present))


def replacement(bench: Bench, test: str) -> Iterator[Point]:
    """Change each pair of days in turn."""
    marks, days = dict(_all(bench, test).fingerprints), _days(bench)
    yield _point(bench, "replacement", test, FIRST, "at first", partial(bench.measured, test, {}))
    for pair in range(PAIRS):
        new = days[2 * pair : 2 * pair + 2]
        old = {name: mark for name, mark in marks.items() if name not in new}
        yield _point(bench, "replacement", test, FULL, str(pair + 1), _full(bench, test, days))
        yield _point(bench, "replacement", test, STATES, str(pair + 1), _changed(bench, test, old, days))


def views(bench: Bench, test: str) -> Iterator[Point]:
    """Compute metrics of some of the days."""
    days = _days(bench)
    chosen = {"each pair": [days[at : at + 2] for at in range(0, len(days), 2)], "3 pairs": [days[:6]]}
    for name, parts in {**chosen, "6 pairs": [days[:12]]}.items():
        yield _point(bench, "views", test, FULL, name, _each([_full(bench, test, part) for part in parts]))
        yield _point(bench, "views", test, STATES, name, _each([_merge_states(bench, test, part) for part in parts]))


SCENARIOS: dict[str, Callable[[Bench, str], Iterator[Point]]] = {
    "growth": growth,
    "replacement": replacement,
    "views": views,
}


@cache
def _all(bench: Bench, test: str) -> MeasureResult:
    """Return the states of all days, measured once."""
    return bench.measured(test, {})


def _days(bench: Bench) -> list[str]:
    return sorted(each.name for each in bench.path.iterdir() if each.name.startswith("day="))


def _point(bench: Bench, scenario: str, test: str, way: str, step: str, run: Callable[[], Any]) -> Point:
    run()
    spent = median([cost(run) for _ in range(bench.rounds)])
    print(f"{scenario:12} {test:9} {way:20} {step:>10} {spent.wall:8.3f} s, {spent.cpu:8.3f} CPU s", flush=True)
    return Point(scenario, test, way, step, spent.wall, spent.cpu)


def _each(runs: Sequence[Callable[[], Any]]) -> Callable[[], Any]:
    return lambda: [run() for run in runs]


def _full(bench: Bench, test: str, days: Sequence[str]) -> Callable[[], Any]:
    """Return a function that reads all rows of these days."""
    source, contract = TableSource(str(bench.path), "parquet"), bench.contract(test)
    return lambda: verify(read(bench.session, source, folders=days), contract, partition_by=())


def _changed(
    bench: Bench, test: str, stored_fingerprints: Mapping[str, str], there: Sequence[str]
) -> Callable[[], Any]:
    """Return a function that measures the changed days and evaluates them with stored states."""
    contract, files = bench.contract(test), StateFiles(str(bench.folder / test))
    stored = _all(bench, test).states

    def run() -> None:
        result = bench.measured(test, stored_fingerprints)
        states = {**stored, **result.states}
        some = {name: states[name] for name in there}
        new = [name for name in result.states if name in some]
        evaluate(
            EvaluationRequest(
                contract=contract,
                object_name=TABLE,
                states=some,
                delta=new,
                schema=result.schema,
                files=files,
                started_at=NOW,
                finished_at=NOW,
            )
        )

    return run


def _merge_states(bench: Bench, test: str, days: Sequence[str]) -> Callable[[], Any]:
    """Return a function that merges the stored states of these days, without Spark."""
    result, files = _all(bench, test), StateFiles(str(bench.folder / test))
    queries = state_queries.of_checks(bind(bench.contract(test).object(TABLE), result.schema))
    chosen = [(name, result.states[name]) for name in days]
    return partial(state_queries.answers, queries, chosen, files=files, now=NOW)


def main(argv: Sequence[str] | None = None) -> None:
    """Run the selected scenarios, store their points and plot all stored ones."""
    with begun(__doc__, SCENARIOS, argv) as setting:
        print(machine(setting.session), flush=True)
        bench = Bench(setting.session, setting.path, setting.folder / "states", setting.rounds)
        points = [point for name in setting.only for test in TESTS for point in SCENARIOS[name](bench, test)]
    stored = [each for each in _stored_points() if each.scenario not in setting.only]
    _keep([*stored, *points])
    for name in {each.scenario for each in (*stored, *points)}:
        draw(name, [each for each in _stored_points() if each.scenario == name])


def _stored_points() -> list[Point]:
    path = FOLDER / "scenarios.csv"
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [Point(**{**row, "wall": float(row["wall"]), "cpu": float(row["cpu"])}) for row in csv.DictReader(file)]


def _keep(points: Sequence[Point]) -> None:
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / "scenarios.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(Point._fields)
        rows.writerows([*each[:4], f"{each.wall:.4f}", f"{each.cpu:.4f}"] for each in points)


def draw(scenario: str, points: Sequence[Point]) -> None:
    """Plot the scenario: a panel per test, a group of bars per step, a color per way."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, len(TESTS), figsize=(10, 3.6), layout="constrained")
    for panel, test in zip(panels, TESTS, strict=True):
        _panel(panel, test, [each for each in points if each.test == test])
    figure.suptitle(f"{scenario}: seconds of wall clock")
    figure.savefig(FOLDER / f"{scenario}.png", dpi=110)
    pyplot.close(figure)


def _panel(panel: Any, test: str, points: Sequence[Point]) -> None:
    steps, ways = (list(dict.fromkeys(getattr(each, name) for each in points)) for name in ("step", "way"))
    width = 0.8 / max(len(ways), 1)
    for at, way in enumerate(ways):
        ours = [each for each in points if each.way == way]
        places = [steps.index(each.step) + (at - (len(ways) - 1) / 2) * width for each in ours]
        panel.bar(places, [each.wall for each in ours], width, label=way)
    panel.set_xticks(range(len(steps)), steps)
    panel.set_yscale("log")
    panel.set_title(f"{test} test")
    panel.legend(frameon=False, fontsize="small")


if __name__ == "__main__":
    main()
