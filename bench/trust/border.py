"""Count the checks that estimates cannot decide, and time their exact computation.

Shares: every suggested check of a sketch is evaluated on every snapshot of the training data and on every day of the
demo, from states as Spark makes them. Time: the statement for uncertain checks on a large table, beside the scan.
Repetition: verifications of the same rows, divided differently, with thresholds at the exact values."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy

from bench.core import recurring
from bench.core.clock import Cost, cost
from bench.core.figures import Line
from bench.suggestions.draft_states import history
from bench.suggestions.draft_tables import Table, tables
from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.schema import Schema
from treaty.engine.analyzers import ANALYZERS
from treaty.engine.analyzers.bound import BoundAnalyzer
from treaty.engine.checks.binding import bind
from treaty.engine.evaluation.uncertainty import uncertain_bounds
from treaty.engine.spark.process.session import start
from treaty.engine.spark.scan import exact_metrics
from treaty.engine.spark.scan.scanner import scan
from treaty.engine.spark.sources.readers import schema_of
from treaty.engine.suggestions.selection.pipeline import worthy
from treaty.registry.demo.shop_data import DAYS, TABLES, ShopTable, day_name, rows_of

SNAPSHOTS, ROWS = 20, 5000
LARGE = 2_000_000
VERIFICATIONS = 20
SEED = 1


def main() -> None:
    """Print shares of border cases, costs of the exact statement, and outcomes of repeated verifications."""
    _shares("demo", map(_demo_table, TABLES))
    with recurring.unpacked() as folder:
        _shares("real tables", tables(folder, most=SNAPSHOTS, rows=ROWS))
    session = start(memory="2g")
    try:
        _statement(session)
        _statements_alone(session)
        _repetition(session)
    finally:
        session.stop()


def _shares(name: str, of: Iterable[Table]) -> None:
    counts: Counter[str] = Counter()
    for table in of:
        counts.update(_counts(table))
    print(Line(f"{name}: suggested checks of sketches", counts["checks"], None, "").text, flush=True)
    for kind in ("evaluations of all suggested checks", "estimates with an error", "border cases"):
        print(Line(f"{name}: {kind}", counts[kind], None, "").text, flush=True)
    share = 100 * counts["border cases"] / max(1, counts["evaluations of all suggested checks"])
    print(Line(f"{name}: border cases", share, None, "% of evaluations").text, flush=True)


def _demo_table(table: ShopTable) -> Table:
    """Return the demo's table with a snapshot per day, without the injected incidents."""
    days = [rows_of(table, day, seed=SEED) for day in range(DAYS)]
    snapshots = [{name: _column([row[name] for row in rows]) for name in table.kinds} for rows in days]
    return Table(table.name, [day_name(day) for day in range(DAYS)], snapshots, ())


def _column(values: list[Any]) -> Any:
    if any(isinstance(each, str) for each in values):
        texts = numpy.empty(len(values), dtype=object)
        texts[:] = values
        return texts
    return numpy.array([numpy.nan if each is None else float(each) for each in values])


def _counts(table: Table) -> Counter[str]:
    split, name = table.split, table.name.rpartition("/")[2]
    profile = history(table.types, table.days[:split], table.snapshots[:split], name)
    counts: Counter[str] = Counter()
    for each in worthy(profile, name):
        candidate = each.holdout.candidate
        counts["evaluations of all suggested checks"] += len(profile.partitions)
        bound = _bound(candidate.patch, each.holdout.column_name, profile.partitions[-1][1].schema)
        if bound is None:
            continue
        counts["checks"] += 1
        counts.update(_outcomes(bound, candidate.assertion, [bag.values for _, bag in profile.partitions]))
    return counts


def _bound(patch: Any, column: str | None, schema: Schema) -> BoundAnalyzer | None:
    """Return the analyzer of a suggested check that uses a sketch; None for others."""
    implementation = dict(patch.get("quality", {}).get("implementation", {}))
    kind = ANALYZERS.get(implementation.pop("analyzer", ""))
    if kind is None or not any(part.uses_sketch for part in kind.components.values()):
        return None
    arguments = {"column": column, **implementation}
    return kind.model_validate({name: each for name, each in arguments.items() if name in kind.model_fields}).bind(
        schema
    )


def _outcomes(bound: BoundAnalyzer, assertion: Assertion, states: list[Any]) -> Iterator[str]:
    for values in states:
        if not all(part.key in values for part in bound.parts.values()):
            continue
        reading = bound.read(values)
        if reading.bounds:
            yield "estimates with an error"
        if uncertain_bounds(assertion, reading):
            yield "border cases"


def _contract(rows: int) -> Contract:
    """Return a contract whose thresholds are the exact values of ids from 0."""
    return _of_metrics(
        ({"analyzer": "approx_count_distinct", "column": "id"}, rows),
        ({"analyzer": "approx_quantile", "column": "amount", "quantile": 0.5}, rows // 2 - 1),
        ({"analyzer": "approx_interquartile_range", "column": "amount"}, rows // 2),
    )


def _of_metrics(*metrics: tuple[dict[str, Any], float]) -> Contract:
    quality = [
        {
            "id": f"c{at}",
            "type": "custom",
            "engine": "treaty",
            "implementation": {**words, "mustBeLessOrEqualTo": limit},
        }
        for at, (words, limit) in enumerate(metrics)
    ]
    head = {"apiVersion": "v3.1.0", "kind": "DataContract", "id": "ids", "name": "ids", "version": "1.0.0"}
    return read(write({**head, "status": "active", "schema": [{"name": "ids", "quality": quality}]}))


def _table(session: Any, rows: int) -> Any:
    return session.range(rows).selectExpr("id", "cast(id as double) as amount")


# Metrics with a statement of their own each.
ALONE: tuple[dict[str, Any], ...] = (
    {"analyzer": "kll_buckets", "column": "amount"},
    {"analyzer": "distance", "column": "amount", "by": "kolmogorov_smirnov"},
    {"analyzer": "distance", "column": "code", "by": "l1", "of": "values"},
    {"analyzer": "distance", "column": "code", "by": "l1", "of": "masks"},
)


def _statements_alone(session: Any) -> None:
    frame = _table(session, LARGE).selectExpr("*", "concat('order ', amount) as code")
    for arguments in ALONE:
        checks = bind(_of_metrics((arguments, 0)).object("ids"), schema_of(frame))
        ways = {
            "scan": partial(scan, frame, checks.plan),
            "exact statement": partial(exact_metrics.exact_values, frame, checks, {"c0": ("",)}),
        }
        for name, run in ways.items():
            run()
            spent, title = cost(run), " ".join(map(str, arguments.values()))
            print(Line(f"{name} of {title}, {LARGE:,} rows", spent.cpu, None, f"CPU s ({spent.wall:.2f} s)").text)


def _statement(session: Any) -> None:
    frame, contract = _table(session, LARGE), _contract(LARGE)
    checks = bind(contract.object("ids"), schema_of(frame))
    uncertain = {each.check.id: ("",) for each in checks.checks}
    ways = {
        f"scan of {LARGE:,} rows": lambda: scan(frame, checks.plan),
        "exact statement, 3 uncertain checks": lambda: exact_metrics.exact_values(frame, checks, uncertain),
        "exact statement, 1 uncertain check": lambda: exact_metrics.exact_values(frame, checks, {"c0": ("",)}),
        "exact statement, no uncertain check": lambda: exact_metrics.exact_values(frame, checks, {}),
    }
    for run in ways.values():
        run()
    spent: dict[str, Cost] = {name: cost(run) for name, run in ways.items()}
    for name, each in spent.items():
        goal = 0.05 if "no uncertain" in name else None
        print(Line(name, each.cpu, goal, f"CPU s ({each.wall:.2f} s)").text, flush=True)


def _repetition(session: Any) -> None:
    from treaty.engine.session.verify import verify

    rows = 20_000
    frame, contract = _table(session, rows), _contract(rows)
    frames = [frame.repartition(1 + at % 7, "id") for at in range(VERIFICATIONS)]
    by_estimate = {_by_estimates(each, contract) for each in frames}
    print(Line(f"different outcomes of {VERIFICATIONS} estimates alone", len(by_estimate), None, "").text, flush=True)
    runs = [verify(each, contract) for each in frames]
    outcomes = {tuple((each.check_id, each.outcome, each.value) for each in run.results) for run in runs}
    computed = sum(each.is_exact for run in runs for each in run.results)
    print(Line(f"different results of {VERIFICATIONS} verifications", len(outcomes), 1, "").text, flush=True)
    print(Line("of them computed exactly", computed, None, "results").text, flush=True)


def _by_estimates(frame: Any, contract: Contract) -> tuple[bool, ...]:
    """Return whether each check holds for its estimate, which is what decided before."""
    checks = bind(contract.object("ids"), schema_of(frame))
    (bag,) = scan(frame, checks.plan).values()
    return tuple(
        each.promise.holds(each.bound.read(bag.values).value)
        for each in checks.checks
        if each.bound and isinstance(each.promise, Assertion)
    )


if __name__ == "__main__":
    main()
