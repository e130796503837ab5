"""Measure profiles and drafts relative to one plain aggregate over the same columns: `make bench-profile`.

The plain aggregates are hand-written: `plain` computes counts, extremes, means and deviations; `full` also distinct
values and quartiles, by Spark's own approximate functions. `stored`: 365 partitions of 50 columns, from stored states
alone. `wide`: a table of 2,000 columns, by number of aggregates per scan."""

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.core.clock import Cost, cost, interleaved, median
from bench.core.figures import Line, lines
from bench.engine.table import write_table
from treaty.contracts.predicates.parser import quote
from treaty.engine.components.operands import NUMERIC, TEMPORAL
from treaty.engine.profile.document import document
from treaty.engine.profile.stored_profile import profile_from_states
from treaty.engine.profile.table_profile import profile_of, profile_plan
from treaty.engine.protocol.requests import DraftRequest, ProfileRequest, TableSource
from treaty.engine.spark.handlers.draft import draft
from treaty.engine.spark.process.session import start
from treaty.engine.spark.profile import profiler as profiles
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.suggestions.selection.pipeline import suggest

GOAL, STORED_GOAL = 2.5, 5.0
PARTITIONS, COLUMNS, ROWS_EACH, WIDE = 365, 50, 200, 2000


def plain(frame: Any) -> list[str]:
    """Return counts, extremes, means and deviations as SQL."""
    schema = schema_of(frame)
    numbers = [quote(each.name) for each in schema if each.base_type in NUMERIC]
    ordered = [quote(each.name) for each in schema if each.base_type in NUMERIC | TEMPORAL]
    return [
        "count(1)",
        *(f"count({quote(each.name)})" for each in schema),
        *(f"{function}({name})" for name in ordered for function in ("min", "max")),
        *(f"{function}({name})" for name in numbers for function in ("avg", "stddev")),
    ]


def full(frame: Any) -> list[str]:
    """Return the aggregates of `plain`, distinct values of all columns and quartiles of numbers."""
    schema = schema_of(frame)
    names = [quote(each.name) for each in schema if each.base_type in NUMERIC]
    distinct = [f"approx_count_distinct({quote(each.name)})" for each in schema]
    return [*plain(frame), *distinct, *(f"percentile_approx({name}, array(0.25, 0.5, 0.75))" for name in names)]


def run_aggregates(frame: Any, aggregates: Sequence[str]) -> None:
    """Run one aggregation over the frame."""
    frame.selectExpr(*(f"{sql} as c{at}" for at, sql in enumerate(aggregates))).collect()


def table(session: Any, folder: Path, options: argparse.Namespace) -> Iterator[Line]:
    """Compare a profile and a draft with both aggregates, in turns."""
    path = write_table(session, folder, options.rows)
    frame = session.read.parquet(str(path))
    source = TableSource(str(path), "parquet")
    ways: dict[str, Callable[[], Any]] = {
        "plain": lambda: run_aggregates(frame, plain(frame)),
        "full": lambda: run_aggregates(frame, full(frame)),
        "profile": lambda: profiles.profile(session, ProfileRequest(source=source, object="t"), _silent),
        "draft": lambda: draft(session, DraftRequest(source=source, contract_id="t", object="t")),
    }
    for run in ways.values():
        run()
    costs_by_name = {name: median(costs) for name, costs in interleaved(ways, rounds=options.rounds).items()}
    yield from (
        Line(f"{name}, {options.rows:,} rows x {len(frame.columns)}", each.cpu, None, "CPU s")
        for name, each in costs_by_name.items()
    )
    for name in ("profile", "draft"):
        for against in ("plain", "full"):
            goal = GOAL if against == "full" else None
            yield Line(f"{name} / {against}, CPU", costs_by_name[name].cpu / costs_by_name[against].cpu, goal, "times")
        yield Line(f"{name} / full, wall", costs_by_name[name].wall / costs_by_name["full"].wall, None, "times")


def stored(session: Any, folder: Path, options: argparse.Namespace) -> Iterator[Line]:
    """Measure a profile and suggestions from stored states: only Python works."""
    columns = [f"cast(hash(id, {at}) as {_type(at)}) as c{at}" for at in range(COLUMNS)]
    frame = session.range(PARTITIONS * ROWS_EACH).selectExpr(f"id % {PARTITIONS} as part", *columns)
    schema = schema_of(frame.drop("part"))
    scan_plan = profile_plan(profile_of(each, schema) for each in schema)
    packed = [(name, bag.pack()) for name, bag in scan(frame, scan_plan, partition_by=["part"]).items()]
    history = profile_from_states(packed, schema)
    profile_cost = cost(lambda: document(profile_from_states(packed, schema), "t"))
    suggestions_cost = cost(lambda: suggest(history, "t"))
    yield from _stored("profile", profile_cost)
    yield from _stored("suggestions", suggestions_cost)
    yield from _stored("both", profile_cost + suggestions_cost, goal=STORED_GOAL)


def _stored(name: str, each: Cost, goal: float | None = None) -> Iterator[Line]:
    yield Line(f"{name}, {PARTITIONS} stored x {COLUMNS}", each.cpu, goal, "CPU s")
    yield Line(f"{name}, {PARTITIONS} stored x {COLUMNS}", each.wall, None, "s")


def _type(at: int) -> str:
    return ("bigint", "double", "string")[at % 3]


def wide(session: Any, folder: Path, options: argparse.Namespace) -> Iterator[Line]:
    """Measure a table of very many columns, by size of portions."""
    columns = [f"cast(hash(id, {at}) % 1000 as {_type(at)}) as c{at}" for at in range(WIDE)]
    path = folder / "wide"
    session.range(2000).selectExpr(*columns).coalesce(1).write.mode("overwrite").parquet(str(path))
    request = ProfileRequest(source=TableSource(str(path), "parquet"), object="t")
    usual = profiles.AGGREGATES
    for size in (usual, *options.portions):
        profiles.AGGREGATES = size
        spent = cost(lambda: profiles.profile(session, request, _silent))
        yield Line(f"{WIDE:,} columns, portions of {size}", spent.cpu, None, "CPU s")
    profiles.AGGREGATES = usual


def _silent(_: str) -> None:
    """Ignore progress."""


PARTS: dict[str, Callable[..., Iterator[Line]]] = {"table": table, "stored": stored, "wide": wide}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures with their goals; return 1 if one is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=3, help="number of runs of each median")
    parser.add_argument(
        "--portions", type=int, nargs="*", default=[100, 1000], help="further portion sizes measured by `wide`"
    )
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "treaty-bench")
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    options = parser.parse_args(arguments)
    session = start(memory="4g")
    session.sparkContext.setLogLevel("OFF")
    try:
        figures = lines(PARTS, options.only, session, options.folder, options)
    finally:
        session.stop()
    return int(any(each.goal is not None and each.figure > each.goal for each in figures))


if __name__ == "__main__":
    sys.exit(main())
