"""A check whose threshold lies within the error of its estimate is uncertain, unless it is computed exactly."""

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import example, settings
from hypothesis import given as drawn
from hypothesis import strategies as st
from support.orders import NOW, check, contract, result, states

from treaty.contracts.assertions import Assertion
from treaty.contracts.document.model import Contract
from treaty.engine.analyzers.bound import MetricValue
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.results import CheckResult, MetricKey, Outcome, RunResult, Value, Verdict, fold, gate_verdict
from treaty.engine.dsl.limits import satisfying
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.exact_evaluation import UncertainChecks, evaluate_exactly
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.evaluation.uncertainty import uncertain_bounds
from treaty.engine.states.bag import StateBag

ROWS = 20_000
IDS = {"id": list(range(ROWS))}
MEDIAN = ROWS / 2 - 1


def median(**assertion: Any) -> Contract:
    return contract(check("approx_quantile", column="id", quantile=0.5, **assertion))


def request(of: Contract, parts: Mapping[str, StateBag]) -> EvaluationRequest:
    return EvaluationRequest(
        contract=of, object_name="orders", states=parts, delta=sorted(parts), started_at=NOW, finished_at=NOW
    )


def at_border(severity: str = "error") -> EvaluationRequest:
    """The evaluation of a check whose threshold is the exact median of the ids."""
    entry = check("approx_quantile", column="id", quantile=0.5, severity=severity, mustBeLessOrEqualTo=MEDIAN)
    of = contract(entry)
    return request(of, {"": states(of, IDS)})


def test_a_threshold_within_the_error_is_neither_passed_nor_failed() -> None:
    found = result(evaluate(at_border()))
    assert found.outcome is Outcome.UNCERTAIN
    assert found.lower_bound is not None
    assert found.upper_bound is not None
    assert found.lower_bound <= MEDIAN <= found.upper_bound
    assert found.finding
    assert "uncertain: the exact value is between" in found.finding


@pytest.mark.parametrize("away", [-1500, 1500])
def test_a_threshold_beyond_the_error_decides(away: int) -> None:
    of = median(mustBeLessOrEqualTo=MEDIAN + away)
    found = result(evaluate(request(of, {"": states(of, IDS)})))
    assert found.outcome is (Outcome.PASSED if away > 0 else Outcome.FAILED)
    assert (found.lower_bound, found.upper_bound) == (None, None)


@pytest.mark.parametrize(("exact", "outcome"), [(MEDIAN, Outcome.PASSED), (MEDIAN + 1, Outcome.FAILED)])
def test_an_exact_value_decides_and_the_bounds_of_the_estimate_stay(exact: float, outcome: Outcome) -> None:
    asked: list[UncertainChecks] = []

    def compute(uncertain: UncertainChecks) -> Mapping[MetricKey, Value]:
        asked.append(uncertain)
        return {(identity, ""): exact}

    of = at_border()
    identity = result(evaluate(of)).measurement or ""
    run = evaluate_exactly(of, compute)
    found = result(run)
    assert asked == [{"c": ("",)}]
    assert (found.outcome, found.value, found.is_exact) == (outcome, exact, True)
    assert found.finding
    assert "computed exactly" in found.finding
    assert "about" not in found.finding
    assert [each.value for each in run.measurements] == [exact]


def test_rows_are_not_read_if_no_check_is_uncertain() -> None:
    of = median(mustBeLessOrEqualTo=ROWS)

    def compute(_: UncertainChecks) -> Mapping[MetricKey, Value]:
        raise AssertionError("nothing is uncertain")

    assert evaluate_exactly(request(of, {"": states(of, IDS)}), compute).verdict is Verdict.PASSED


def test_a_check_stays_uncertain_if_the_rows_cannot_be_read() -> None:
    def compute(_: UncertainChecks) -> Mapping[MetricKey, Value]:
        raise UnreadableTable("the files are gone")

    assert result(evaluate_exactly(at_border(), compute)).outcome is Outcome.UNCERTAIN
    assert result(evaluate_exactly(at_border(), lambda _: {})).outcome is Outcome.UNCERTAIN


VERDICTS = [
    ("error", "block", Verdict.UNCERTAIN, Verdict.UNCERTAIN),
    ("error", "warn", Verdict.UNCERTAIN, Verdict.WARNED),
    ("error", "allow", Verdict.UNCERTAIN, Verdict.PASSED),
    ("warning", "block", Verdict.WARNED, Verdict.WARNED),
    ("warning", "warn", Verdict.WARNED, Verdict.WARNED),
    ("warning", "allow", Verdict.WARNED, Verdict.PASSED),
]


@pytest.mark.parametrize(("severity", "on_uncertain", "of_run", "of_gate"), VERDICTS)
def test_the_contract_decides_what_the_gate_makes_of_it(
    severity: str, on_uncertain: str, of_run: Verdict, of_gate: Verdict
) -> None:
    run = evaluate(at_border(severity))
    assert (run.verdict, gate_verdict(run.results, on_uncertain)) == (of_run, of_gate)


@pytest.mark.parametrize("on_uncertain", ["allow", "warn", "block"])
def test_the_gate_never_hides_a_failed_check(on_uncertain: str) -> None:
    results: list[CheckResult] = list(evaluate(at_border()).results)
    failed = results[0].model_copy(update={"outcome": Outcome.FAILED})
    assert gate_verdict([*results, failed], on_uncertain) is Verdict.FAILED is fold([*results, failed])


def test_the_outcome_does_not_depend_on_the_order_of_merging() -> None:
    of = contract(check("approx_quantile", column="id", quantile=0.5, scope="dataset", mustBeLessOrEqualTo=MEDIAN))
    ids = IDS["id"]
    parts = {f"day={at}": states(of, {"id": ids[at::4]}) for at in range(4)}

    def outcome(names: list[str]) -> tuple[Outcome, Value, float | None, float | None]:
        found = result(evaluate(request(of, {name: parts[name] for name in names})))
        return found.outcome, found.value, found.lower_bound, found.upper_bound

    expected = outcome(sorted(parts))
    assert expected[0] is Outcome.UNCERTAIN
    draw = random.Random(1)
    assert {outcome(draw.sample(sorted(parts), 4)) for _ in range(5)} == {expected}


LIMIT = st.integers(-4, 4) | st.floats(-4, 4).map(lambda each: round(each, 2))
ASSERTION = st.one_of(
    st.builds(
        Assertion,
        st.sampled_from(
            ["mustBe", "mustNotBe", "mustBeLessThan", "mustBeLessOrEqualTo", "mustBeGreaterThan",
             "mustBeGreaterOrEqualTo"]
        ),
        LIMIT,
    ),
    st.builds(
        Assertion,
        st.sampled_from(["mustBeBetween", "mustNotBeBetween"]),
        st.tuples(LIMIT, LIMIT),
    ),
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@drawn(assertion=ASSERTION, ends=st.tuples(LIMIT, LIMIT, LIMIT))
@example(assertion=Assertion("mustBeBetween", (-1, 1.41)), ends=(0, -1, 1.41))
def test_a_check_is_uncertain_if_and_only_if_values_of_the_interval_differ(
    assertion: Assertion, ends: tuple[float, float, float]
) -> None:
    low, value, high = sorted(ends)
    reading = MetricValue(value=value, rows=9, bounds=(low, high) if low < high else None)
    # The last step is cut, because it may be rounded to a value beyond the interval.
    steps = [min(low + (high - low) * at / 160, high) for at in range(161)]
    limits = assertion.limit if isinstance(assertion.limit, tuple) else (assertion.limit,)
    # Just beside and at each limit, where outcomes change.
    near = [each + nudge for each in limits for nudge in (-1e-9, 0, 1e-9) if low <= each + nudge <= high]
    differ = len({assertion.holds(each) for each in (*steps, *near, low, high, value)}) > 1
    assert (uncertain_bounds(assertion, reading) is not None) is differ


def test_a_function_is_called_with_the_bounds() -> None:
    reading = MetricValue(value=103, rows=9, bounds=(98, 108))
    assert uncertain_bounds(satisfying(lambda n: n > 100), reading) == (98, 108)
    assert uncertain_bounds(satisfying(lambda n: n > 90), reading) is None
    assert uncertain_bounds(satisfying(lambda n: n < 1 / 0), reading) is None


def test_a_run_keeps_its_bounds_as_json() -> None:
    run = evaluate(at_border())
    assert RunResult.model_validate_json(run.model_dump_json()) == run
