"""Uncertain checks are computed exactly by Spark: one more statement, and the same outcome however rows are divided."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.orders import check, contract, result

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
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
        "id", "cast(id as double) as amount",
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


def test_verifications_of_the_same_rows_agree_however_they_are_divided(table: Any) -> None:
    given = bordering(only=(0, 3, 5))
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
