"""A distance whose threshold lies within its bounds is computed from exact states of the rows at hand."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from support.orders import NOW, check, contract, states

from treaty.contracts.document.model import Contract
from treaty.engine.components.sketches import QuantileSketch
from treaty.engine.components.unions import rank_union
from treaty.engine.core.results import CheckResult, ExactValue, MetricKey, Outcome, RunResult
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.exact_evaluation import UncertainChecks, evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.states.bag import StateBag

ROWS = 8000
DAYS = ["day=2026-04-01", "day=2026-04-02"]
# All numbers of the second day are larger by a fifth of the range.
NUMBERS = [[float(at) for at in range(ROWS)], [at + ROWS / 5 for at in range(ROWS)]]
DISTANCE = 0.2


def numbered(values: Sequence[float]) -> dict[str, list[Any]]:
    return {"id": [*range(len(values))], "amount": [*values], "status": [None] * len(values)}


def bounded(limit: float = DISTANCE) -> Contract:
    return contract(check("distance", column="amount", by="kolmogorov_smirnov", mustBeLessOrEqualTo=limit))


def learned(distances: str) -> Contract:
    clause = {"detector": "program", "of": "amount", "upper": DISTANCE}
    metric = check("distance", column="amount", by="kolmogorov_smirnov", mustHaveNoAnomalies=clause)
    return contract(metric, anomalies={"distances": distances})


def request(of: Contract, delta: Sequence[str] = tuple(DAYS), **more: Any) -> EvaluationRequest:
    parts = {name: states(of, numbered(values)) for name, values in zip(DAYS, NUMBERS, strict=True)}
    return EvaluationRequest(
        contract=of, object_name="orders", states=parts, delta=delta, started_at=NOW, finished_at=NOW, **more
    )


def exact_state(at: int) -> bytes:
    return rank_union.of_running_counts(NUMBERS[at], range(1, ROWS + 1)).dump()


class Rows:
    """The rows at hand: gives the exact states of every requested partition."""

    def __init__(self, of: Contract) -> None:
        self.identity = second_day(evaluate(request(of))).measurement or ""
        self.requests: list[UncertainChecks] = []

    def compute(self, uncertain: UncertainChecks) -> Mapping[MetricKey, ExactValue]:
        self.requests.append(uncertain)
        names = {name for some in uncertain.values() for name in some}
        return {(self.identity, name): exact_state(DAYS.index(name)) for name in names if name is not None}


def second_day(run: RunResult) -> CheckResult:
    return next(each for each in run.results if each.check_id == "c" and each.partition == DAYS[1])


@pytest.mark.parametrize(("limit", "outcome"), [(DISTANCE + 1e-4, Outcome.PASSED), (DISTANCE - 1e-4, Outcome.FAILED)])
def test_both_partitions_that_arrived_are_computed_from_their_rows(limit: float, outcome: Outcome) -> None:
    rows = Rows(bounded(limit))
    run = evaluate_exactly(request(bounded(limit)), rows.compute)
    assert rows.requests == [{"c": (DAYS[1], DAYS[0])}]
    found = second_day(run)
    assert (found.outcome, found.value, found.is_exact) == (outcome, pytest.approx(DISTANCE, abs=1e-12), True)
    assert "computed from all values" in (found.finding or "")
    assert [each.value for each in run.measurements if each.partition == DAYS[1]] == [found.value]


def test_a_previous_partition_of_an_earlier_run_is_compared_by_its_stored_state() -> None:
    rows = Rows(bounded())
    given = request(bounded(), delta=[DAYS[1]])
    found = second_day(evaluate_exactly(given, rows.compute))
    assert rows.requests == [{"c": (DAYS[1],)}]
    assert found.is_exact
    assert found.value == pytest.approx(DISTANCE, abs=0.02)
    assert found.value != pytest.approx(DISTANCE, abs=1e-12)
    assert second_day(evaluate_exactly(given, rows.compute)) == found


def test_older_rows_of_a_previous_partition_are_not_at_hand() -> None:
    """Of a stream's earlier partition, only the new rows are in the batch."""
    rows, given = Rows(bounded()), request(bounded())
    evaluate_exactly(request(bounded(), parts={DAYS[0]: given.states[DAYS[0]]}), rows.compute)
    assert rows.requests == [{"c": (DAYS[1],)}]


def test_a_rerun_uses_the_recorded_value() -> None:
    identity = Rows(bounded()).identity
    found = second_day(evaluate(request(bounded(), exact_values={(identity, DAYS[1]): 0.25})))
    assert (found.outcome, found.value, found.is_exact) == (Outcome.FAILED, 0.25, True)


def test_states_alone_leave_the_threshold_uncertain() -> None:
    found = second_day(evaluate(request(bounded())))
    assert found.outcome is Outcome.UNCERTAIN
    assert found.lower_bound is not None
    assert found.upper_bound is not None
    assert found.lower_bound < DISTANCE < found.upper_bound
    assert found.upper_bound - found.lower_bound < 0.06


def test_an_estimate_decides_about_a_learned_limit_if_the_contract_says_so() -> None:
    def compute(_: UncertainChecks) -> Mapping[MetricKey, ExactValue]:
        raise AssertionError("the rows are read again")

    given = request(learned("estimated"))
    by_estimate = second_day(evaluate(given))
    assert by_estimate.outcome in (Outcome.PASSED, Outcome.FAILED)
    assert second_day(evaluate_exactly(given, compute)) == by_estimate


@pytest.mark.parametrize("values", [[1.0], [1.0, 2.0, 2.0, 5.0], [float("-inf"), 0.0, float("inf")]])
def test_exact_ranks_are_those_of_the_values(values: list[float]) -> None:
    distinct = sorted(set(values))
    state = rank_union.of_running_counts(distinct, [sum(each <= value for each in values) for value in distinct]).dump()
    ranks = QuantileSketch.ranks(state)
    assert ranks is not None
    assert (ranks.rows, ranks.low, ranks.high, ranks.error()) == (len(values), min(values), max(values), 0)
    assert [*ranks.values] == distinct
    assert ranks.shares[-1] == 1


def test_few_rows_are_compared_exactly_without_reading_them_again() -> None:
    def compute(_: UncertainChecks) -> Mapping[MetricKey, ExactValue]:
        raise AssertionError("nothing is uncertain")

    of = bounded(0.0)
    few: dict[str, StateBag] = {name: states(of, numbered([1.0, 2.0, 3.0])) for name in DAYS}
    given = EvaluationRequest(
        contract=of, object_name="orders", states=few, delta=DAYS, started_at=NOW, finished_at=NOW
    )
    found = second_day(evaluate_exactly(given, compute))
    assert (found.outcome, found.value, found.is_exact) == (Outcome.PASSED, 0.0, False)
