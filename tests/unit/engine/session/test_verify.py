"""Judging: from the states of partitions to results, without the data."""

import random

import pytest
from support.orders import NOW, ROWS, SCHEMA, check, contract, judged, on, result, run, states

from treaty.contracts.document.model import Contract
from treaty.contracts.errors import ContractError
from treaty.contracts.schema import Column, Schema
from treaty.engine.core.errors import StateError
from treaty.engine.evaluation.evaluator import evaluate, missing_states
from treaty.engine.evaluation.metric_values import UNKNOWN
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.engine.states.bag import ALL, StateBag

AMOUNT = contract(check("mean", column="amount", mustBeGreaterThan=2))
GOOD, BAD = {**ROWS, "amount": [9.0] * 4}, {**ROWS, "amount": [1.0] * 4}

OUTCOMES = [
    (check("size", mustBe=4), 4, "passed"),
    (check("size", mustBe=5), 4, "failed"),
    (check("size", where="status = 'gone'", mustBe=0), 0, "passed"),
    (check("mean", column="amount", mustBe=2.5), 2.5, "passed"),
    (check("mean", column="amount", where="status = 'gone'", mustBe=2.5), None, "not_applicable"),
    (check("completeness", column="amount", where="status = 'gone'", mustBe=1), None, "not_applicable"),
    (check("compliance", predicate="amount > 0", where="status = 'gone'", mustBe=1), None, "not_applicable"),
    (check("uniqueness", column="id", where="status = 'gone'", mustBe=1), None, "not_applicable"),
    (check("uniqueness", column="id", where="status = 'new'", mustBe=1), 1.0, "passed"),
    (check("uniqueness", columns=["status", "id"], mustBe=1), 1.0, "passed"),
    (check("uniqueness", column="status", mustBe=1), 0.0, "failed"),
    (check("minimum", column="status", mustBe="new"), "new", "passed"),
    (check("minimum", column="status", mustBeGreaterThan=3), "new", "not_evaluated"),
    (check("compliance", predicate="amount > 0 OR amount IS NULL", mustBe=0.75), 0.75, "passed"),
]


@pytest.mark.parametrize(("entry", "value", "outcome"), OUTCOMES)
def test_a_check_ends_as_its_value_says(entry: dict[str, object], value: object, outcome: str) -> None:
    found = judged(contract(entry))
    assert (found.value, found.outcome) == (value, outcome)
    assert (found.reason is None) == (outcome in ("passed", "failed"))


def test_checks_of_what_arrived_are_judged_partition_by_partition() -> None:
    found = run(AMOUNT, {"day=2": states(AMOUNT, GOOD), "day=3": states(AMOUNT, BAD)}, {"day=1": states(AMOUNT, BAD)})
    checked = [each for each in found.results if each.check_id == "c"]
    assert [(each.partition, each.outcome) for each in checked] == [("day=2", "passed"), ("day=3", "failed")]
    assert (found.partitions, found.rows, found.verdict) == (("day=2", "day=3"), 8, "failed")


def test_checks_of_the_dataset_are_judged_once_on_all_partitions() -> None:
    given = contract(check("uniqueness", column="id", mustBe=1))
    found = result(run(given, {"day=2": states(given, ROWS)}, {"day=1": states(given, ROWS)}))
    assert (found.partition, found.scope, found.outcome) == (None, "dataset", "failed")


def test_a_check_says_another_scope_than_its_analyzer() -> None:
    given = contract(check("uniqueness", column="id", scope="delta", mustBe=1))
    found = result(run(given, {"day=2": states(given, ROWS)}, {"day=1": states(given, ROWS)}))
    assert (found.partition, found.outcome) == ("day=2", "passed")


def test_a_dataset_is_judged_when_only_partitions_vanished() -> None:
    given = contract(check("size", scope="dataset", mustBeGreaterThan=5))
    found = run(given, {}, {"day=1": states(given, ROWS)}, schema=SCHEMA)
    assert (result(found).value, found.partitions, found.rows) == (4, (), 0)


def test_nothing_at_all_is_judged_on_no_partition() -> None:
    given = contract(check("size", scope="dataset", mustBe=1))
    assert result(run(given, {})).reason == UNKNOWN


def test_a_failure_of_one_metric_leaves_the_others_judged() -> None:
    given = contract(check("mean", "lost", column="amount", mustBe=1), check("minimum", "kept", column="id", mustBe=1))
    broken = next(key for key in states(given, ROWS).entries if key.startswith("sum"))
    found = run(given, {"": states(given, ROWS, failures={broken: "Spark could not compute it: CAST_INVALID_INPUT"})})
    assert (result(found, "lost").outcome, result(found, "kept").outcome) == ("not_evaluated", "passed")
    assert result(found, "lost").reason == "Spark could not compute it: CAST_INVALID_INPUT"
    assert found.verdict == "not_evaluated"


def test_a_partition_that_could_not_be_read_is_not_evaluated_and_the_others_are() -> None:
    unread = StateBag({}, failures={ALL: "the rows cannot be read"})
    found = run(AMOUNT, {"day=1": states(AMOUNT, GOOD), "day=2": unread})
    checked = [(each.partition, each.outcome, each.reason) for each in found.results if each.check_id == "c"]
    assert checked == [("day=1", "passed", None), ("day=2", "not_evaluated", "the rows cannot be read")]
    assert found.rows == 4
    assert run(AMOUNT, {"day=2": unread}, schema=SCHEMA).rows is None


def test_a_state_that_one_partition_lacks_cannot_be_said_of_the_dataset() -> None:
    given = contract(check("mean", column="amount", scope="dataset", mustBe=1))
    older = states(contract(check("size", mustBe=4)), ROWS)
    assert result(run(given, {"day=2": states(given, ROWS)}, {"day=1": older})).reason == UNKNOWN


def test_a_column_of_two_types_is_not_merged() -> None:
    given = contract(check("minimum", column="id", scope="dataset", mustBe=1), properties=[])
    text = Schema((Column("id", "string"),))
    older = states(given, {"id": ["a", "b"]}, text)
    found = result(run(given, {"day=2": states(given, ROWS)}, {"day=1": older}))
    told = "id is of type string in day=1 and of type bigint in day=2: rewrite them with one type"
    assert (found.outcome, found.reason) == ("not_evaluated", f"{told}, or use a view of partitions with equal columns")


def test_partitions_of_two_schemas_are_each_judged_on_their_own() -> None:
    given = contract(check("approx_quantile", column="amount", quantile=0, mustBe=9))
    text = Schema((*SCHEMA.columns[:1], Column("amount", "string"), *SCHEMA.columns[2:]))
    found = run(given, {"day=1": states(given, {**ROWS, "amount": ["9"] * 4}, text), "day=2": states(given, GOOD)})
    outcomes = {
        (each.check_id, each.partition): str(each.outcome) for each in found.results if each.outcome != "passed"
    }
    assert outcomes == {("c", "day=1"): "not_evaluated", ("schema-types", "day=1"): "failed"}


def damaged(packed: bytes) -> bytes:
    return packed[:-40] + b"!" + packed[-39:]


@pytest.mark.parametrize("where", ["day=1", "day=2"])
def test_a_damaged_state_is_named_by_its_partition(where: str) -> None:
    given = contract(check("size", scope="dataset", mustBe=8))
    packed = {name: states(given, ROWS).pack() for name in ("day=1", "day=2")}
    packed[where] = damaged(packed[where])
    with pytest.raises(StateError, match=f"partition {where}: .* compute the partition again"):
        evaluate(
            EvaluationRequest(
                contract=given, object_name="orders", states=packed, delta=["day=2"], started_at=NOW, finished_at=NOW
            )
        )


def test_the_whole_table_is_named_where_there_are_no_partitions() -> None:
    with pytest.raises(StateError, match="the whole table: "):
        evaluate(
            EvaluationRequest(
                contract=AMOUNT, object_name="orders", states={"": b"TRTY"}, delta=[""], started_at=NOW, finished_at=NOW
            )
        )


def test_two_thresholds_on_one_metric_share_its_measurement() -> None:
    given = contract(check("size", "a", mustBe=4), check("size", "b", "warning", mustBe=5))
    found = run(given, {"": states(given, ROWS)})
    assert [(each.analyzer, each.value) for each in found.measurements] == [("size", 4)]
    assert result(found, "a").measurement == result(found, "b").measurement == found.measurements[0].identity
    assert found.verdict == "warned"


def test_what_has_no_value_is_measured_all_the_same() -> None:
    given = contract(check("mean", column="amount", where="status = 'gone'", mustBe=1))
    (measured,) = run(given, {"": states(given, ROWS)}).measurements
    assert (measured.value, measured.arguments) == (None, {"column": "amount", "where": "status = 'gone'"})


def test_the_order_of_partitions_does_not_matter() -> None:
    given = contract(check("uniqueness", column="id", mustBe=1), check("mean", "m", column="amount", mustBe=1))
    bags = {f"day={day}": states(given, {**ROWS, "id": range(day, day + 4)}) for day in range(8)}
    packed = [(name, each.pack()) for name, each in bags.items()]
    first = evaluate(
        EvaluationRequest(
            contract=given, object_name="orders", states=dict(packed), delta=["day=7"], started_at=NOW, finished_at=NOW
        )
    )
    random.Random(7).shuffle(packed)
    assert (
        evaluate(
            EvaluationRequest(
                contract=given,
                object_name="orders",
                states=dict(packed),
                delta=["day=7"],
                started_at=NOW,
                finished_at=NOW,
            )
        )
        == first
    )


def test_faults_of_the_contract_are_raised() -> None:
    given = contract(check("zzz", mustBe=1))
    with pytest.raises(ContractError, match="unknown analyzer 'zzz'"):
        evaluate(
            EvaluationRequest(
                contract=given, object_name="orders", states={}, delta=[], started_at=NOW, finished_at=NOW
            )
        )


HELD = frozenset(states(AMOUNT, ROWS).entries)
LACKING = [
    (AMOUNT, states(AMOUNT, ROWS).pack(), None),
    (contract(properties=on("id", unique=True)), states(AMOUNT, ROWS).pack(), HELD),
    (AMOUNT, damaged(states(AMOUNT, ROWS).pack()), frozenset()),
    (AMOUNT, StateBag({}, SCHEMA, {ALL: "the rows cannot be read"}).pack(), None),
]


@pytest.mark.parametrize(("given", "packed", "expected"), LACKING)
def test_stored_states_are_told_where_they_do_not_answer_all_checks(
    given: Contract, packed: bytes, expected: frozenset[str] | None
) -> None:
    stored = {"day=7": packed, "day=8": states(given, ROWS).pack()}
    assert missing_states(given, "orders", stored) == ({} if expected is None else {"day=7": expected})
