"""Segments: a metric of each, and each judged beside its own past, in runs and in replays."""

from collections.abc import Mapping
from typing import Any

import pytest
from support.orders import NOW, SCHEMA, check, contract, on, states

from treaty.contracts.document.model import Contract
from treaty.contracts.document.reader import read
from treaty.engine.analyzers.segments import Segments
from treaty.engine.anomaly.baselines import of_runs
from treaty.engine.anomaly.closed_form import OnlineNormal
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import CheckResult, Outcome, RunResult
from treaty.engine.dsl import Check
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.evaluation.request import EvaluationRequest


def watched(detector: Any = "online_normal", **words: Any) -> Contract:
    return contract(check("segments", "watched", by="status", mustHaveNoAnomalies=detector, **words))


def rows(**sizes: int) -> Mapping[str, list[Any]]:
    """So many rows of each status; amounts are 1 where the id is even, else 0."""
    status = [name for name, many in sizes.items() for _ in range(many)]
    return {
        "id": list(range(len(status))),
        "amount": [float(at % 2 == 0) for at in range(len(status))],
        "status": status,
    }


def day(at: int) -> str:
    return f"day=2026-04-{at + 1:02d}"


def run(of: Contract, table: Mapping[str, bytes], *delta: str, **given: Any) -> RunResult:
    return evaluate(
        EvaluationRequest(
            contract=of, object_name="orders", states=table, delta=delta, started_at=NOW, finished_at=NOW, **given
        )
    )


def result(found: RunResult) -> CheckResult:
    return next(each for each in found.results if each.check_id == "watched")


def packed(of: Contract, **sizes: int) -> bytes:
    return states(of, rows(**sizes), SCHEMA).pack()


PAST = [{"new": 30 + at % 3, "paid": 10 + at % 2, "sent": 20 - at % 4} for at in range(9)]


def judged(of: Contract, **last: int) -> CheckResult:
    table = {day(at): packed(of, **sizes) for at, sizes in enumerate([*PAST, last])}
    return result(run(of, table, day(len(PAST))))


@pytest.mark.parametrize(
    ("last", "told"),
    [
        ({"new": 31, "paid": 10, "sent": 19}, None),
        ({"new": 31, "paid": 40, "sent": 19}, "status=paid 40, at least"),
        ({"new": 31, "sent": 19}, "status=paid 0, at least"),
        ({}, "status=new 0"),
    ],
)
def test_each_segment_is_judged_beside_its_own_past_and_one_that_is_gone_too(
    last: dict[str, int], told: str | None
) -> None:
    found = judged(watched(), **last)
    assert found.outcome is (Outcome.FAILED if told else Outcome.PASSED), found
    assert (told or "of 3 segments are anomalies") in (found.finding or "")


def test_a_segment_that_is_new_is_learned_and_the_others_are_judged() -> None:
    found = judged(watched(), new=31, paid=10, sent=19, lost=5)
    assert found.outcome is Outcome.PASSED
    assert "1 still learning" in (found.finding or "")


def test_of_many_segments_the_largest_are_judged() -> None:
    found = judged(watched(most=2), new=31, paid=40, sent=19)
    assert (found.outcome, found.value) == (Outcome.FAILED, 1)
    assert "of 2 segments are anomalies" in (found.finding or "")
    assert "status=paid 40" in (found.finding or "")


def test_earlier_runs_are_the_past_where_nothing_is_stored() -> None:
    of = watched(scope="dataset")
    earlier = []
    for at, sizes in enumerate(PAST):
        moment = NOW.replace(day=at + 1)
        earlier.append(
            evaluate(
                EvaluationRequest(
                    contract=of,
                    object_name="orders",
                    states={"": packed(of, **sizes)},
                    delta=[""],
                    started_at=moment,
                    finished_at=moment,
                )
            )
        )
    table = {"": packed(of, new=31, paid=40, sent=19)}
    found = result(run(of, table, "", history=of_runs(earlier)))
    assert (found.outcome, found.value) == (Outcome.FAILED, 1)


def test_replays_judge_segments_as_runs_do() -> None:
    of = watched()
    replaying = ReplayRunner(old=None, new=of, object_name="orders", counting=True)
    for at, sizes in enumerate([*PAST, {"new": 31, "paid": 40, "sent": 19}]):
        replaying.take(ReplayStep(added={day(at): packed(of, **sizes)}, time=NOW))
    [line] = [each for each in replaying.report(10).lines if each.check_id == "watched"]
    assert line.new is not None
    assert line.new.alerts == (day(9),)


def test_false_alarms_are_shared_among_segments() -> None:
    found = judged(watched({"detector": "auto", "false_alarms": 6}), new=31, paid=10, sent=19)
    assert found.band is not None
    assert found.band["per_year"] == pytest.approx(6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"metric": "mean"}, "completeness and mean need a column"),
        ({"column": "amount"}, "size must not have one"),
        ({"metric": "mean", "column": "status"}, "one of the columns in by"),
    ],
)
def test_what_makes_no_segments_is_refused(words: dict[str, Any], told: str) -> None:
    with pytest.raises(Exception, match=told):
        bind(watched(**words).object("orders"), SCHEMA)


def test_code_and_document_mean_the_same_segments() -> None:
    """As in Deequ's paper: the mean controversiality of each subreddit."""
    upper = OnlineNormal(sides="upper")
    code = Check.warning("orders").has_no_anomalies("mean", upper, column="amount", group_by="status")
    again = read(code.document(SCHEMA)).object("orders")
    [bound] = bind(again, SCHEMA).checks
    assert bound.analyzer == Segments(by=("status",), metric="mean", column="amount")
    assert bound.detector == upper


@pytest.mark.parametrize(("column", "words"), [("status", {}), ("amount", {"metric": "mean", "column": "amount"})])
def test_of_columns_that_are_classified_no_segments_are_told(column: str, words: dict[str, str]) -> None:
    promised = check("segments", "watched", by="status", mustHaveNoAnomalies="auto", **words)
    of = contract(promised, properties=on(column, classification="pii"))
    bound = next(each for each in bind(of.object("orders"), SCHEMA).checks if each.check.id == "watched")
    assert bound.bound is None
    assert "classified" in (bound.reason or "")
