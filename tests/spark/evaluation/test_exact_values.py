"""Uncertain checks are computed exactly by Spark: one more statement, and the same outcome however rows are divided."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract, result

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.components.distributions import equal_width, position
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.protocol.requests import TableSource
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.handlers.exact_values import exact_values
from treaty.engine.spark.scan import exact_metrics
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import schema_of

# Enough that every sketch of a column with distinct values is an estimate.
ROWS = 20_000


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    """Ids from 0; a code with many masks; two columns of times; a key of two columns, null in both for some rows."""
    sql = (
        "id", "cast(id as double) as amount", "sqrt(id) as root",
        "concat(repeat('a', cast(id % 32 as int)), repeat('-', cast(id div 32 % 33 as int))) as code",
        "timestamp_ntz'2026-01-01' + make_dt_interval(0, 0, 0, id) as seen",
        "timestamp_ntz'2026-01-01' + make_dt_interval(0, 0, 0, 3 * id) as arrived",
        "if(id % 10 = 0, null, id) as left", "if(id % 5 = 0, null, 'x') as right",
        "concat('part', id % 2) as part",
    )  # fmt: skip
    return spark.range(ROWS).selectExpr(*sql).cache()


# The exact value of every metric, over the rows with id < 15,000 where a filter says so.
EXACT: list[tuple[dict[str, Any], float]] = [
    ({"analyzer": "approx_count_distinct", "column": "id"}, ROWS),
    ({"analyzer": "approx_count_distinct", "column": "id", "where": "id < 15000"}, 15_000),
    ({"analyzer": "approx_count_keys", "columns": ["left", "right"]}, ROWS * 9 / 10),
    ({"analyzer": "approx_quantile", "column": "amount", "quantile": 0.5}, ROWS / 2 - 1),
    ({"analyzer": "approx_quantile", "column": "amount", "quantile": 0.25, "where": "id < 15000"}, 3749),
    ({"analyzer": "approx_interquartile_range", "column": "amount"}, ROWS / 2),
    ({"analyzer": "approx_interquartile_range", "column": "seen"}, ROWS / 2),
    ({"analyzer": "arrival_delay", "column": "seen", "arrived": "arrived", "quantile": 0.5, "measured_in": "seconds"},
     ROWS - 2),
    ({"analyzer": "pattern_share", "column": "code"}, 19 / ROWS),
    ({"analyzer": "kll_buckets", "column": "root"},
     sum(math.sqrt(at / (ROWS - 1)) >= 0.9 for at in range(ROWS)) / ROWS),
    ({"analyzer": "kll_buckets", "column": "root", "buckets": 2, "where": "id < 15000"},
     sum(math.sqrt(at / 14_999) >= 0.5 for at in range(15_000)) / 15_000),
    ({"analyzer": "approx_distinctness", "column": "code"}, 32 * 33 / ROWS),
    ({"analyzer": "approx_distinctness", "column": "left", "where": "id < 15000"}, 1.0),
]  # fmt: skip


def bordering(scope: str = "delta", only: Sequence[int] = range(len(EXACT))) -> Contract:
    """A contract whose thresholds are the exact values."""
    checks = (check(check_id=f"c{at}", scope=scope, mustBeLessOrEqualTo=EXACT[at][1], **EXACT[at][0]) for at in only)
    return contract(*checks, properties=[])


def outcomes(run: RunResult) -> list[tuple[str, str | None, Outcome, Any]]:
    return [(each.check_id, each.partition, each.outcome, each.value) for each in run.results]


def test_the_statement_gives_the_exact_values(table: Any) -> None:
    checks = bind(bordering().object("orders"), schema_of(table))
    found = exact_metrics.exact_values(table, checks, {each.check.id: ("",) for each in checks.checks})
    by_check = {each.check.id: found[each.identity or "", ""] for each in checks.checks}
    assert by_check == {f"c{at}": pytest.approx(exact) for at, (_, exact) in enumerate(EXACT)}


def test_the_values_of_partitions_and_of_all_rows_are_computed_in_one_statement_each(table: Any) -> None:
    checks = bind(bordering().object("orders"), schema_of(table))
    names = ("part=part0", "part=part1", None)
    found = exact_metrics.exact_values(table, checks, {"c0": names, "c8": names}, ["part"])
    by_check = {each.check.id: each.identity or "" for each in checks.checks}
    assert {name: found[by_check["c0"], name] for name in names} == {names[0]: 10_000, names[1]: 10_000, None: ROWS}
    assert found[by_check["c8"], None] == pytest.approx(19 / ROWS)


BUCKETS = (1, 3, 10, 1000)
# Extremes whose edges are rounded, equal to their neighbors, or farther apart than the largest double.
EXTREMES = {"a": (-0.3, 0.4), "b": (1.0, 1.0 + 2**-50), "c": (-1.5e308, 1.7e308), "d": (1e-320, 7.0), "e": (5.0, 5.0)}


def around_edges(low: float, high: float, draw: random.Random) -> list[float]:
    """Edges of all numbers of buckets, their neighboring doubles, and random numbers between the extremes."""
    edges = [float(edge) for buckets in BUCKETS for edge in draw.choices(equal_width(low, high, buckets), k=20)]
    near = [math.nextafter(edge, to) for edge in edges for to in (-math.inf, math.inf)]
    inside = [each for each in near if low <= each <= high]
    return [
        low,
        high,
        *edges,
        *inside,
        *(low * share + high * (1 - share) for share in [draw.random() for _ in "x" * 99]),
    ]


def test_values_at_the_edges_of_buckets_are_counted_like_those_of_an_exact_state(spark: Any) -> None:
    draw = random.Random(7)
    numbers = {name: around_edges(low, high, draw) for name, (low, high) in EXTREMES.items()}
    rows = [(each, name) for name, some in numbers.items() for each in [*some, math.nan, None]]
    frame = spark.createDataFrame(rows, "amount double, part string")
    given = contract(
        *(check("kll_buckets", f"b{buckets}", column="amount", buckets=buckets, mustBe=0) for buckets in BUCKETS),
        properties=[],
    )
    checks = bind(given.object("orders"), schema_of(frame))
    names = [f"part={name}" for name in numbers]
    found = exact_metrics.exact_values(frame, checks, {each.check.id: names for each in checks.checks}, ["part"])
    for each, buckets in zip(checks.checks, BUCKETS, strict=True):
        for name, some in numbers.items():
            edges = equal_width(min(some), max(some), buckets)
            fullest = max(Counter(position(edges, number) for number in some).values())
            assert found[each.identity or "", f"part={name}"] == fullest / len(some), (buckets, name)


@pytest.mark.classic("plans are read from the JVM")
def test_the_edges_of_buckets_appear_in_no_plan(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They follow from the extremes, which may be values of a classified column."""
    plans: list[str] = []
    read = exact_metrics._read

    def recorded(frame: Any, *more: Any) -> Any:
        plans.append(frame._jdf.queryExecution().toString())
        return read(frame, *more)

    monkeypatch.setattr(exact_metrics, "_read", recorded)
    frame = spark.createDataFrame([(20261.5,), (30261.5,)], "amount double").selectExpr("amount + 0 as amount")
    given = contract(check("kll_buckets", column="amount", buckets=2, mustBe=0), properties=[])
    checks = bind(given.object("orders"), schema_of(frame))
    (share,) = exact_metrics.exact_values(frame, checks, {"c": ("",)}).values()
    assert share == 0.5
    assert len(plans) == 2
    assert "treaty_edges_1" in plans[1]
    assert not any("25261.5" in plan for plan in plans)


def test_verifications_of_the_same_rows_agree_however_they_are_divided(table: Any) -> None:
    given = bordering(only=(0, 3, 5, 9))
    runs = [verify(table.repartition(1 + at % 5, "id"), given) for at in range(8)]
    assert len({tuple(outcomes(run)) for run in runs}) == 1
    assert {(each.outcome, each.is_exact) for run in runs for each in run.results} == {(Outcome.PASSED, True)}


def test_estimates_alone_leave_a_check_uncertain(table: Any) -> None:
    given = bordering("dataset", only=(0,))
    parts = measure(table.where("part = 'part0'"), given, object_name="orders", partition_by=["part"])
    run = verify(table.where("part = 'part1'"), given, partition_by=["part"], earlier=parts)
    found: CheckResult = result(run, "c0")
    assert (found.outcome, found.is_exact) == (Outcome.UNCERTAIN, False)
    assert found.lower_bound is not None
    assert found.upper_bound is not None
    assert found.lower_bound <= ROWS <= found.upper_bound


def test_partitions_that_changed_since_their_evaluation_are_left_out(table: Any, spark: Any, tmp_path: Path) -> None:
    location = str(tmp_path / "t")
    table.select("id", "part").write.partitionBy("part").parquet(location)
    source = TableSource(location, "parquet", ("part",))
    names = ("part=part0", "part=part1", None)
    request = ExactRequest(
        source=source, contract=bordering(only=(0,)).source, object="orders", uncertain_checks={"c0": names},
        fingerprints=changes.layout(spark, source).fingerprints,
    )  # fmt: skip
    assert {name for _, name in exact_values(spark, request)} == set(names)
    spark.range(3).write.mode("append").parquet(f"{location}/part=part1")
    assert {name for _, name in exact_values(spark, request)} == {"part=part0"}
    spark.range(3).write.parquet(f"{location}/part=part2")
    assert {name for _, name in exact_values(spark, request)} == {"part=part0"}
