"""The verdict of a run, and its JSON."""

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.orders import NOW, ROWS, check, contract, run, states

from treaty.engine.core.results import CheckResult, Outcome, RunResult, Verdict, fold

ENDINGS = list(product(Outcome, ("warning", "error")))
VERDICT = {
    (Outcome.FAILED, "error"): "failed",
    (Outcome.FAILED, "warning"): "warned",
    (Outcome.NOT_EVALUATED, "error"): "not_evaluated",
    (Outcome.NOT_EVALUATED, "warning"): "not_evaluated",
    (Outcome.UNCERTAIN, "error"): "uncertain",
    (Outcome.UNCERTAIN, "warning"): "warned",
}


def ended(outcome: Outcome, severity: str) -> CheckResult:
    return CheckResult(
        check_id="c", name="c", outcome=outcome, severity=severity, scope="delta", partition=None, sentence="c"
    )


@pytest.mark.parametrize(("outcome", "severity"), ENDINGS)
def test_one_result_is_the_verdict(outcome: Outcome, severity: str) -> None:
    assert fold([ended(outcome, severity)]) == VERDICT.get((outcome, severity), "passed")


def test_no_result_is_a_pass() -> None:
    assert fold([]) is Verdict.PASSED


@given(st.lists(st.sampled_from(ENDINGS), max_size=12), st.randoms())
def test_the_worst_result_is_the_verdict_in_whatever_order(endings: list[tuple[Outcome, str]], rng: object) -> None:
    results = [ended(*each) for each in endings]
    shuffled = results.copy()
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    worst = min((list(Verdict).index(fold([each])) for each in results), default=len(Verdict) - 1)
    assert fold(results) is fold(shuffled) is list(Verdict)[worst]


@given(st.lists(st.sampled_from(ENDINGS)), st.sampled_from(ENDINGS))
def test_one_more_result_never_makes_a_verdict_better(
    endings: list[tuple[Outcome, str]], more: tuple[Outcome, str]
) -> None:
    before = [ended(*each) for each in endings]
    rank = list(Verdict).index
    assert rank(fold([*before, ended(*more)])) <= rank(fold(before))


def test_a_run_survives_its_json() -> None:
    promised = contract(check("mean", column="amount", mustBe=2.5), check("minimum", "m", column="status", mustBe="a"))
    given_run = run(promised, {"day=1": states(promised, ROWS)})
    assert RunResult.model_validate_json(given_run.model_dump_json()) == given_run
    assert given_run.started_at == NOW


def test_a_decimal_is_written_without_rounding() -> None:
    exact = ended(Outcome.PASSED, "error").model_copy(update={"value": Decimal("12345678901234567890.12")})
    assert '"12345678901234567890.12"' in exact.model_dump_json()
