"""Checks of distances: a partition's stored states held against those of the one before, in judgements and replays."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from pydantic import ValidationError
from support.orders import NOW, check, contract, states

from treaty.contracts.document.model import Contract
from treaty.engine.analyzers.distribution_distance import DistributionDistance
from treaty.engine.anomaly.series import SeriesPoint, moment
from treaty.engine.core.results import CheckResult, Outcome
from treaty.engine.evaluation.evaluator import evaluate
from treaty.engine.evaluation.replay.runner import ReplayRunner, ReplayStep
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.programs.analyzer_mapping import OF_NUMBERS, OF_TEXTS
from treaty.engine.statistics.column_values import column
from treaty.engine.statistics.statistics import STATISTICS, compute_statistics
from treaty.engine.statistics.summaries import summary

Values = Sequence[Any]
DAY = "day=2026-04-{:02d}"
CODES = ["A1", "A2", "B-1", "A1"]


def bounded(of: str = "values", by: str = "l1", limit: float = 0.6) -> Contract:
    return contract(check("distance", column="status", by=by, of=of, mustBeLessOrEqualTo=limit))


def packed(of: Contract, values: Values) -> bytes:
    numbers = values if all(isinstance(each, float) for each in values if each is not None) else [None] * len(values)
    texts = [None] * len(values) if numbers is values else values
    return states(of, {"id": list(range(len(values))), "amount": numbers, "status": texts}).pack()


def judged(of: Contract, table: Mapping[str, Values], **given: Any) -> CheckResult:
    """What the check says of the last of these partitions."""
    bags = {name: packed(of, values) for name, values in table.items()}
    run = evaluate(
        EvaluationRequest(
            contract=of,
            object_name="orders",
            states=bags,
            delta=[list(table)[-1]],
            started_at=NOW,
            finished_at=NOW,
            **given,
        )
    )
    return next(each for each in run.results if each.check_id == "c")


def days(*values: Values) -> dict[str, Values]:
    return {DAY.format(at): each for at, each in enumerate(values, start=1)}


NUMBERS = ([1.0, 2.0, 3.0, 4.0, 40.0], [2.0, 2.0, 3.0, 5.0, -7.0])
TEXTS = (["A1", "A2", "B-1", "", "A1"], ["A1", "c9", "B-12", "A1", "Ä é"])


@pytest.mark.parametrize("name", [name for name in (*OF_NUMBERS, *OF_TEXTS) if STATISTICS[name].is_distance])
def test_each_distance_of_states_is_that_of_the_values(name: str) -> None:
    before, now = NUMBERS if name in OF_NUMBERS else TEXTS
    by, _, of = name.partition("_of_")
    where = {"column": "amount" if name in OF_NUMBERS else "status", **({"of": of} if of else {})}
    given = contract(check("distance", by=by, mustBeLessOrEqualTo=10**6, **where))
    found = judged(given, days(before, now))
    assert found.outcome is Outcome.PASSED
    assert found.value == pytest.approx(
        compute_statistics(summary(column(now)), summary(column(before)))[name], abs=1e-12
    )


NO_TIME = {"part=a": CODES, "part=b": ["x"]}
CASES: dict[str, tuple[Mapping[str, Values], Outcome, float | None]] = {
    "alike": (days(CODES, CODES[::-1]), Outcome.PASSED, 0.0),
    "others": (days(CODES, ["x", "y"]), Outcome.FAILED, 2.0),
    "the newest before": (days(["x"], CODES, CODES), Outcome.PASSED, 0.0),
    "one without values is passed over": (days(CODES, [None, None], CODES), Outcome.PASSED, 0.0),
    "later ones are not looked at": ({**days(CODES), DAY.format(9): ["x"], DAY.format(4): CODES}, Outcome.PASSED, 0.0),
    "the first": (days(CODES), Outcome.NOT_APPLICABLE, None),
    "no values": (days(CODES, [None]), Outcome.NOT_APPLICABLE, None),
    "no time": (NO_TIME, Outcome.NOT_APPLICABLE, None),
    "another segment": (
        {"day=2026-04-01/c=de": CODES, "day=2026-04-02/c=fr": ["x"], "day=2026-04-03/c=de": CODES},
        Outcome.PASSED, 0.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_partition_is_compared_with_the_one_before(case: str) -> None:
    table, outcome, value = CASES[case]
    found = judged(bounded(), table)
    assert (found.outcome, found.value) == (outcome, value)
    if value is None:
        assert found.reason == DistributionDistance.no_value_reason


def watched() -> Contract:
    clause = {"detector": "program", "of": "status", "upper": 0.6}
    return contract(check("distance", column="status", by="l1", of="values", mustHaveNoAnomalies=clause))


def test_a_partition_of_an_incident_is_not_compared_with() -> None:
    table, told = days(CODES, ["x", "y"], CODES), "2026-04-02"
    at = moment(told)
    assert at is not None
    of_incident = {"any": [SeriesPoint(time=at, value=2.0, partition=DAY.format(2), excluded=True)]}
    assert judged(watched(), table).outcome is Outcome.FAILED
    assert judged(watched(), table, history=of_incident).outcome is Outcome.PASSED
    mended = {"any": [*of_incident["any"], SeriesPoint(time=at, value=2.0, partition=DAY.format(2))]}
    assert judged(watched(), table, history=mended).outcome is Outcome.FAILED


def replayed(of: Contract, table: Mapping[str, Values], spoilt: frozenset[str | None] = frozenset()) -> tuple[str, ...]:
    replaying = ReplayRunner(old=None, new=of, object_name="orders")
    for name, values in table.items():
        replaying.take(ReplayStep(added={name: packed(of, values)}, time=NOW, excluded_partitions=spoilt & {name}))
    [line] = [each for each in replaying.report(len(table)).lines if each.check_id == "c"]
    assert line.new is not None
    return line.new.alerts


@pytest.mark.parametrize("of", [bounded(), watched()])
def test_a_replay_compares_each_partition_with_the_one_before(of: Contract) -> None:
    assert replayed(of, days(CODES, CODES, ["x"], CODES, CODES)) == (DAY.format(3), DAY.format(4))


@pytest.mark.parametrize("of", [bounded(), watched()])
def test_a_replay_does_not_compare_with_what_is_spoilt(of: Contract) -> None:
    table = days(CODES, CODES, ["x"], CODES)
    assert replayed(of, table, frozenset({DAY.format(3)})) == (DAY.format(3),)


@pytest.mark.parametrize("of", [bounded(), watched()])
def test_a_replay_compares_with_what_is_spoilt_no_more(of: Contract) -> None:
    replaying = ReplayRunner(old=None, new=of, object_name="orders")
    spoilt, mended = DAY.format(2), {DAY.format(2): packed(of, CODES)}
    replaying.take(
        ReplayStep(
            added={DAY.format(1): packed(of, CODES), spoilt: packed(of, ["x"])},
            time=NOW,
            excluded_partitions=frozenset({spoilt}),
        )
    )
    replaying.take(ReplayStep(added=mended, time=NOW))
    replaying.take(ReplayStep(added={DAY.format(3): packed(of, ["x"])}, time=NOW))
    [line] = [each for each in replaying.report(3).lines if each.check_id == "c"]
    assert line.new is not None
    assert line.new.alerts == (spoilt, DAY.format(3))


def test_a_replay_compares_those_of_one_arrival_in_the_order_of_their_time() -> None:
    of = bounded()
    replaying = ReplayRunner(old=None, new=of, object_name="orders")
    names = {DAY.format(2): ["x"], DAY.format(1): CODES, DAY.format(3): ["x"]}
    replaying.take(ReplayStep(added={name: packed(of, values) for name, values in names.items()}, time=NOW))
    [line] = [each for each in replaying.report(3).lines if each.check_id == "c"]
    assert line.new is not None
    assert (line.new.alerts, line.new.evaluated) == ((DAY.format(2),), 2)


@pytest.mark.parametrize(("by", "of"), [("l1", None), ("cohens_d", "values"), ("l1", "shapes"), ("nothing", None)])
def test_a_distance_that_there_is_not_is_refused(by: str, of: str | None) -> None:
    with pytest.raises(ValidationError):
        DistributionDistance.model_validate({"column": "status", "by": by, "of": of})
