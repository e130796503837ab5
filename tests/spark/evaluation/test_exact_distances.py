"""Distances at their thresholds are computed from all values: the same outcome however rows are divided."""

from typing import Any

import pytest
from support.orders import NOW, check, contract

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.components.sketches import HeavyHitters, QuantileSketch
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.session.verify import measure, verify
from treaty.engine.spark.scan import exact_metrics
from treaty.engine.spark.sources.readers import schema_of

ROWS = 20_000
DAYS = ("day=2026-11-01", "day=2026-11-02")
NEVER = 10.0**6


@pytest.fixture(scope="module")
def table(spark: Any) -> Any:
    """Two days of numbers, of codes with 5,000 values of unequal frequency, and of masks."""
    share = "pmod(hash(id), 100003) / 100003"
    rank = f"cast(5000 * pow({share}, 2 + id % 2) as int)"
    sql = (
        "concat('2026-11-0', 1 + id % 2) as day", f"cast(1000 * {share} * (1 + 0.02 * (id % 2)) as double) as amount",
        f"concat('c', {rank}) as code", f"{rank} as at",
    )  # fmt: skip
    masked = "concat(repeat('a', at % 16), repeat('-', at div 16 % 16), repeat('0', at div 256)) as masked"
    return spark.range(2 * ROWS).selectExpr(*sql).selectExpr("*", masked).cache()


DISTANCES: list[dict[str, Any]] = [
    {"column": "amount", "by": "kolmogorov_smirnov"},
    {"column": "amount", "by": "earth_movers_distance"},
    {"column": "amount", "by": "jensen_shannon"},
    {"column": "amount", "by": "kullback_leibler", "where": "amount > 10"},
    {"column": "code", "by": "l1", "of": "values"},
    {"column": "code", "by": "new", "of": "values"},
    {"column": "masked", "by": "jensen_shannon", "of": "masks"},
    {"column": "masked", "by": "new", "of": "masks"},
]


def bounded(limits: list[float]) -> Contract:
    checks = (
        check("distance", f"d{at}", mustBeLessOrEqualTo=limit, **arguments)
        for at, (arguments, limit) in enumerate(zip(DISTANCES, limits, strict=True))
    )
    return contract(*checks, properties=[])


def learned(limits: list[float], distances: str = "exact") -> Contract:
    """The same limits, in clauses of a program."""
    checks = (
        check(
            "distance", f"d{at}",
            mustHaveNoAnomalies={"detector": "program", "of": str(arguments["column"]), "upper": limit}, **arguments,
        )
        for at, (arguments, limit) in enumerate(zip(DISTANCES, limits, strict=True))
    )  # fmt: skip
    return contract(*checks, properties=[], anomalies={"distances": distances})


def second_day(run: RunResult) -> list[CheckResult]:
    return [each for each in run.results if each.check_id.startswith("d") and each.partition == DAYS[1]]


def divided(table: Any, at: int) -> Any:
    """The same rows in another order and in other tasks."""
    return table.repartition(1 + at % 5, "amount").sortWithinPartitions("code" if at % 2 else "masked")


@pytest.fixture(scope="module")
def limits(table: Any) -> list[float]:
    """The values from exact states, of a verification whose thresholds are the estimates."""
    estimates = second_day(verify(table, bounded([NEVER] * len(DISTANCES)), partition_by=["day"]))
    exact = second_day(verify(table, bounded([value_of(each) for each in estimates]), partition_by=["day"]))
    assert all(each.is_exact for each in exact)
    return [value_of(each) for each in exact]


def value_of(found: CheckResult) -> float:
    assert isinstance(found.value, float)
    return found.value


def test_verifications_of_the_same_rows_agree_however_they_are_divided(table: Any, limits: list[float]) -> None:
    given = bounded(limits)
    runs = [verify(divided(table, at), given, partition_by=["day"]) for at in range(10)]
    found = {tuple((each.check_id, each.outcome, each.value) for each in second_day(run)) for run in runs}
    assert len(found) == 1
    assert {each.outcome for run in runs for each in second_day(run)} == {Outcome.PASSED}
    assert all(each.is_exact for run in runs for each in second_day(run))


def test_learned_limits_agree_however_rows_are_divided(table: Any, limits: list[float]) -> None:
    given = learned(limits)
    runs = [verify(divided(table, at), given, partition_by=["day"]) for at in range(10)]
    assert {each.outcome for run in runs for each in second_day(run)} == {Outcome.PASSED}
    assert all(each.is_exact for run in runs for each in second_day(run))


def test_a_contract_can_let_estimates_decide_about_learned_limits(table: Any, limits: list[float]) -> None:
    run = verify(table, learned(limits, "estimated"), partition_by=["day"])
    assert not any(each.is_exact for each in second_day(run))
    assert {each.outcome for each in second_day(run)} <= {Outcome.PASSED, Outcome.FAILED}


def test_estimates_decide_about_learned_limits_from_states(table: Any, limits: list[float]) -> None:
    given = learned(limits)
    stored = measure(table, given, object_name="orders", partition_by=["day"])
    request = EvaluationRequest(
        contract=given, object_name="orders", states=stored, delta=[DAYS[1]], started_at=NOW, finished_at=NOW
    )
    assert {each.outcome for each in second_day(evaluate(request))} <= {Outcome.PASSED, Outcome.FAILED}


def test_a_threshold_just_below_the_value_fails(table: Any, limits: list[float]) -> None:
    given = bounded([limit * (1 - 1e-9) for limit in limits])
    assert {each.outcome for each in second_day(verify(table, given, partition_by=["day"]))} == {Outcome.FAILED}


def test_only_the_partition_at_hand_is_computed_again(table: Any, limits: list[float]) -> None:
    """The previous partition has stored states, which are the same for every verification."""
    first, second = (table.where(f"day = '{name[4:]}'") for name in DAYS)
    given = bounded(limits)
    earlier = measure(first, given, object_name="orders", partition_by=["day"])
    values = {
        tuple((each.outcome, each.value) for each in second_day(run))
        for run in (verify(divided(second, at), given, partition_by=["day"], earlier=earlier) for at in range(4))
    }
    assert len(values) == 1


def test_states_alone_leave_the_check_uncertain_with_the_same_bounds(table: Any, limits: list[float]) -> None:
    given = bounded(limits)
    stored = measure(table, given, object_name="orders", partition_by=["day"])
    request = EvaluationRequest(
        contract=given, object_name="orders", states=stored, delta=[DAYS[1]], started_at=NOW, finished_at=NOW
    )
    runs = [evaluate(request) for _ in range(3)]
    assert {each.outcome for each in second_day(runs[0])} == {Outcome.UNCERTAIN}
    assert all(run.results == runs[0].results for run in runs)
    for each in second_day(runs[0]):
        assert each.lower_bound is not None
        assert each.upper_bound is not None
        assert each.lower_bound <= each.threshold <= each.upper_bound


def test_the_states_have_the_exact_counts(spark: Any) -> None:
    """Of 10,000 numbers every rank at which one is listed is exact; of 6,000 texts the most frequent are listed."""
    sql = ("cast(id as double) as amount", "concat('c', lpad(id % 6000, 4, '0')) as code")
    frame = spark.range(10_000).selectExpr(*sql)
    given = contract(
        check("distance", "ranks", column="amount", by="kolmogorov_smirnov", mustBeLessThan=1),
        check("distance", "texts", column="code", by="l1", of="values", mustBeLessThan=1),
        properties=[],
    )
    checks = bind(given.object("orders"), schema_of(frame))
    found = exact_metrics.exact_values(frame, checks, {"ranks": ("",), "texts": ("",)})
    state = {each.check.id: found[each.identity or "", ""] for each in checks.checks}
    ranks = QuantileSketch.ranks(state["ranks"])
    assert ranks is not None
    assert (ranks.rows, ranks.low, ranks.high, ranks.error()) == (10_000, 0, 9999, 0)
    assert 4096 <= len(ranks.values) <= 4098
    assert ranks.shares == pytest.approx((ranks.values + 1) / 10_000, abs=0)
    counts, error = HeavyHitters.values(state["texts"])
    assert (HeavyHitters.rows(state["texts"]), len(counts), error) == (10_000, 4096, 1)
    assert {count - error for value, count in counts.items() if value < "c4000"} == {2}
    assert sorted(value for value, count in counts.items() if count - error == 1) == [
        f"c{at}" for at in range(4000, 4096)
    ]


def test_the_plan_lists_the_statement(table: Any) -> None:
    lines = bind(bounded([NEVER] * len(DISTANCES)).object("orders"), schema_of(table)).explain(("day",))
    assert "only checks that are uncertain" in lines
    assert (
        "kolmogorov smirnov of amount from the previous partition" in lines.split("only checks that are uncertain")[1]
    )
