"""Measure how many learned limits lie within the bounds of their distance, and their cost.

Programs are fitted to the training snapshots of the recurring tables, as from states. Their distance clauses are then
evaluated on the clean later snapshots. A limit within the bounds needs an exact statement in a validation. The cost is
that of a verification in which all of ten columns need one."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy

from bench.core import recurring
from bench.core.clock import cost
from bench.core.figures import Line
from bench.suggestions.draft_states import STATE_OF
from bench.suggestions.draft_tables import Table, tables
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.engine.components.moments import Moments
from treaty.engine.core.learning_options import ProgramOptions
from treaty.engine.programs.program import Clause, ColumnProgram
from treaty.engine.programs.suggestions import TableHistory, programs
from treaty.engine.spark.process.session import start
from treaty.engine.statistics import stored_summaries
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.distance_bounds import distance_bounds
from treaty.engine.statistics.statistics import STATISTICS, PartitionPair, compute_statistics
from treaty.engine.statistics.summaries import Summary, summary

SNAPSHOTS, ROWS = 60, (5_000, 20_000)
ALARMS = 1.0
COLUMNS, LARGE = 10, 1_000_000


def main() -> None:
    """Print the shares for tables of two sizes."""
    with recurring.unpacked() as folder:
        for rows in ROWS:
            counts: Counter[str] = Counter()
            for table in tables(folder, most=SNAPSHOTS, rows=rows):
                counts.update(_outcomes(table))
            _print(f"about {rows:,} rows", counts)
    session = start(memory="2g")
    try:
        _costs(session)
    finally:
        session.stop()


def _costs(session: Any) -> None:
    """Print what verifications cost if every learned limit lies within its bounds."""
    from treaty.engine.session.verify import verify

    columns = [f"c{at}" for at in range(COLUMNS)]
    numbers = [f"cast(pmod(hash(id, {at}), 1000003) + 1000 * (id % 2) as double) as c{at}" for at in range(COLUMNS)]
    frame = session.range(LARGE).selectExpr("concat('2026-11-0', 1 + id % 2) as day", *numbers)
    for distances in ("estimated", "exact"):
        run = partial(verify, frame, _contract(columns, distances), partition_by=["day"])
        run()
        spent = cost(run)
        title = f"verification, {COLUMNS} learned distances {distances}, {LARGE:,} rows"
        print(Line(title, spent.cpu, None, f"CPU s ({spent.wall:.2f} s)").text, flush=True)


def _contract(columns: Sequence[str], distances: str) -> Contract:
    """Return a contract whose learned limits are about the distances of the table."""
    clauses = {"detector": "program", "of": "table", "upper": 1000 / 1_000_003}
    quality = [
        {
            "id": name,
            "type": "custom",
            "engine": "treaty",
            "implementation": {
                "analyzer": "distance",
                "column": name,
                "by": "kolmogorov_smirnov",
                "mustHaveNoAnomalies": clauses,
            },
        }
        for name in columns
    ]
    terms = {"property": "treaty", "value": {"anomalies": {"distances": distances}}}
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "ids", "name": "ids", "version": "1.0.0"}
    schema = [{"name": "ids", "quality": quality}]
    return read(write({**head, "status": "active", "customProperties": [terms], "schema": schema}))


def _print(title: str, counts: Mapping[str, int]) -> None:
    for kind in ("numbers", "texts"):
        evaluated, borders = counts[kind], counts[f"{kind}, border"]
        share = 100 * borders / max(1, evaluated)
        print(Line(f"{title}: border cases of {evaluated:,} {kind}", share, None, "%").text, flush=True)


def _outcomes(table: Table) -> Iterator[str]:
    """Yield the kind of each evaluated clause, also as a border case."""
    for name, clause in _distance_clauses(table):
        by, _, of = clause.statistic.partition("_of_")
        kind = "texts" if of else "numbers"
        before = _summary(table.snapshots[table.split - 1][name])
        for _, snapshot in table.later(name):
            now = _summary(snapshot[name])
            pair, before = PartitionPair(now, before), now
            bounds = distance_bounds(by, of or None, pair)
            if STATISTICS[clause.statistic].value(now, pair) is not None:
                yield kind
            if bounds and clause.upper is not None and bounds[0] <= clause.upper < bounds[1]:
                yield f"{kind}, border"


def _distance_clauses(table: Table) -> Iterator[tuple[str, Clause]]:
    """Yield the clauses about estimated distances with their columns."""
    for name, program in programs(_history(table), ProgramOptions(false_alarms=ALARMS)).columns.items():
        clauses = program.clauses if isinstance(program, ColumnProgram) else ()
        for each in clauses:
            if STATISTICS[each.statistic].is_distance and each.statistic != "cohens_d":
                yield name, each


def _history(table: Table) -> TableHistory:
    days, snapshots = table.days[: table.split], table.snapshots[: table.split]
    names = [name for name in table.types if all(_alike(snapshots[-1], each, name) for each in snapshots)]
    columns = {name: [each[name] for each in snapshots] for name in names}
    return TableHistory(
        names=tuple(days),
        times=tuple(datetime.fromisoformat(day[:10]).replace(tzinfo=UTC) for day in days),
        rows=tuple(max(map(len, each.values())) for each in snapshots),
        values={name: _series(values) for name, values in columns.items()},
        texts=frozenset(name for name in names if table.types[name] == "string"),
        samples={name: column(values[-1].tolist()) for name, values in columns.items()},
        distance_parts={name: [_parts(each) for each in values] for name, values in columns.items()},
    )


def _alike(one: Mapping[str, Any], other: Mapping[str, Any], name: str) -> bool:
    return name in other and (one[name].dtype == object) == (other[name].dtype == object)


def _series(values: Sequence[Any]) -> dict[str, list[float | None]]:
    """Return the statistics of single snapshots; rows are counted per table."""
    computed = [compute_statistics(summary(column(each.tolist()))) for each in values]
    names = [name for name in computed[0] if not STATISTICS[name].is_distance and name != "row_count"]
    return {name: [each.get(name) for each in computed] for name in names}


def _parts(values: Any) -> dict[str, Any]:
    """Return the inputs of distances from sketches like Spark's."""
    is_text = values.dtype == object
    present = (
        [each for each in values.tolist() if each is not None] if is_text else values[~numpy.isnan(values)].tolist()
    )
    kinds = ("heavy_hitters", "pattern_profile") if is_text else ("quantiles",)
    return stored_summaries.distance_parts({kind: STATE_OF[kind](present) for kind in kinds}) if present else {}


def _summary(values: Any) -> Summary:
    rows = len(values)
    if values.dtype == object:
        return stored_summaries.texts(rows, rows, None, **_parts(values))
    return replace(stored_summaries.numbers(rows, Moments.zero), **_parts(values))


if __name__ == "__main__":
    main()
