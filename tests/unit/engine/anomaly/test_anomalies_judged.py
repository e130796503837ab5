"""Checks of anomalies, judged beside the past of their metric: from stored states, and from what was measured."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from support.orders import NOW, SCHEMA, check, contract, states

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.contracts.document.writer import write
from treaty.contracts.errors import ContractError
from treaty.engine.anomaly.baselines import of_runs
from treaty.engine.anomaly.closed_form import OnlineNormal
from treaty.engine.anomaly.series import SeriesPoint
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import CheckResult, Outcome
from treaty.engine.dsl import Check, no_anomalies
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.request import EvaluationRequest

SIZES = [100, 104, 98, 101, 103, 97, 99, 102, 100, 101]
START = datetime(2026, 4, 1, tzinfo=UTC)
DAY = timedelta(days=1)


def watched(detector: Any = "auto", analyzer: str = "size", **words: Any) -> Contract:
    return contract(check(analyzer, "watched", mustHaveNoAnomalies=detector, **words))


def packed(of: Contract, size: int) -> bytes:
    rows = {"id": list(range(size)), "amount": [float(each) for each in range(size)], "status": ["new"] * size}
    return states(of, rows, SCHEMA).pack()


def named(at: int, segment: str = "") -> str:
    return f"day={(START + at * DAY).date()}{segment}"


def judged(of: Contract, sizes: Sequence[int], *delta: str, **given: Any) -> list[CheckResult]:
    table = {named(at): packed(of, size) for at, size in enumerate(sizes)}
    return list(on(of, table, *(delta or (named(len(sizes) - 1),)), **given))


def on(of: Contract, table: Mapping[str, bytes], *delta: str, **given: Any) -> list[CheckResult]:
    run = evaluate(
        EvaluationRequest(
            contract=of, object_name="orders", states=table, delta=delta, started_at=NOW, finished_at=NOW, **given
        )
    )
    return [each for each in run.results if each.check_id == "watched"]


def test_nothing_is_learned_from_partitions_that_are_spoilt() -> None:
    [with_all] = judged(watched("online_normal"), [*SIZES, 5000, 700])
    [without] = judged(watched("online_normal"), [*SIZES, 5000, 700], excluded_partitions=frozenset({named(10)}))
    assert (with_all.outcome, without.outcome) == (Outcome.PASSED, Outcome.FAILED)
    assert (without.band or {})["points"] == len(SIZES)


@pytest.mark.parametrize("detector", ["auto", "online_normal", {"detector": "robust", "std_devs": 4}])
@pytest.mark.parametrize(("size", "outcome"), [(101, Outcome.PASSED), (700, Outcome.FAILED), (5, Outcome.FAILED)])
def test_a_partition_is_judged_beside_the_states_of_those_before_it(detector: Any, size: int, outcome: Outcome) -> None:
    [found] = judged(watched(detector), [*SIZES, size])
    assert found.outcome is outcome
    assert found.band is not None
    assert found.threshold == [found.band["lower"], found.band["upper"]]
    assert found.threshold[0] < 100 < found.threshold[1]
    assert found.band["points"] == len(SIZES)


def test_the_verdict_says_what_was_expected_and_how_often_that_is_a_false_alarm() -> None:
    [found] = judged(watched(), [*SIZES, 700])
    assert found.finding is not None
    assert "); expected 100" in found.finding
    assert "4 false alarms per year" in found.finding


def test_what_comes_later_is_not_the_past_of_a_partition() -> None:
    [first, last] = judged(watched(), [*SIZES, 700, 900], named(10), named(11))
    assert first.outcome is Outcome.FAILED
    assert first.band is not None
    assert last.band is not None
    assert (first.band["points"], last.band["points"]) == (10, 11)


def test_while_there_is_too_little_past_nothing_is_judged() -> None:
    [found] = judged(watched(), SIZES[:4])
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, "learning: 3 of 7 values")


def test_each_segment_has_a_past_of_its_own() -> None:
    of = watched("online_normal")
    table = {
        named(at, f"/land={land}"): packed(of, size)
        for land, factor in (("DE", 1), ("US", 3))
        for at, size in enumerate([*(each * factor for each in SIZES), 300])
    }
    found = {each.partition: each.outcome for each in on(of, table, named(10, "/land=DE"), named(10, "/land=US"))}
    assert found == {named(10, "/land=DE"): Outcome.FAILED, named(10, "/land=US"): Outcome.PASSED}


def test_points_of_incidents_are_not_learned_from() -> None:
    of, sizes = watched("online_normal"), [*SIZES, 5000, 5000, 300]
    identity = bind(of.object("orders"), SCHEMA).checks[-1].identity or ""
    bad = [SeriesPoint(time=START + at * DAY, value=5000.0, partition=named(at), excluded=True) for at in (10, 11)]
    [poisoned], [clean] = judged(of, sizes), judged(of, sizes, history={identity: bad})
    assert (poisoned.outcome, clean.outcome) == (Outcome.PASSED, Outcome.FAILED)


def test_a_dataset_as_a_whole_is_judged_beside_earlier_runs() -> None:
    of = watched("online_normal", scope="dataset")
    identity = bind(of.object("orders"), SCHEMA).checks[-1].identity or ""
    runs = [SeriesPoint(time=NOW - (20 - at) * DAY, value=float(size)) for at, size in enumerate(SIZES)]
    found = {
        size: on(of, {named(0): packed(of, size)}, named(0), history={identity: runs})[0].outcome for size in (100, 400)
    }
    assert found == {100: Outcome.PASSED, 400: Outcome.FAILED}


def test_what_earlier_runs_measured_is_a_past() -> None:
    of = watched("online_normal", scope="dataset")
    earlier = [
        evaluate(
            EvaluationRequest(
                contract=of,
                object_name="orders",
                states={named(0): packed(of, size)},
                delta=[named(0)],
                started_at=at,
                finished_at=at,
            )
        )
        for size, at in ((size, NOW - (20 - number) * DAY) for number, size in enumerate(SIZES))
    ]
    [found] = on(of, {named(0): packed(of, 400)}, named(0), history=of_runs(earlier))
    assert (found.outcome, found.band and found.band["points"]) == (Outcome.FAILED, len(SIZES))


def test_a_metric_that_is_a_text_has_no_past_of_numbers() -> None:
    [found] = judged(watched("online_normal", "minimum", column="status"), SIZES)
    assert (found.outcome, found.reason) == (Outcome.NOT_APPLICABLE, "learning: 0 of 3 values")


@pytest.mark.parametrize(
    ("detector", "told"),
    [
        ("onlinenormal", "unknown detector 'onlinenormal' (did you mean 'online_normal'?)"),
        ({"detector": "robust", "std_devs": -1}, "should be greater than 0"),
        ({"detector": "threshold"}, "give at least one limit"),
        ({"detector": "difference", "detector_": "auto"}, "not permitted"),
    ],
)
def test_what_is_no_detector_is_a_fault_of_the_contract(detector: Any, told: str) -> None:
    with pytest.raises(ContractError) as caught:
        bind(watched(detector).object("orders"), SCHEMA)
    assert told in " ".join(f"{each.message} ({each.remedy})" for each in caught.value.faults)


def test_code_and_document_promise_the_same() -> None:
    code = (
        Check.warning("orders")
        .has_no_anomalies("size", OnlineNormal(std_devs=4), scope="delta")
        .has_mean("amount", no_anomalies("auto", sides="lower"))
    )
    again = read(code.document(SCHEMA)).object("orders")
    assert [each.assertion for each in again.checks] == [each.assertion for each in code.promises]
    assert read(write(read(code.document(SCHEMA)).document)).object("orders").checks == again.checks
