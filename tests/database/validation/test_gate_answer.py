"""What the gate answers of data that were judged, were not, or may be others by now; and as a command that waits."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support import engines
from support.api import counted_queries
from support.engines import marker
from support.events import event
from support.scenes import LOCATION, NOON, Scene, add, document, next_version, orders

from treaty.contracts.document.reader import read
from treaty.contracts.fingerprint import fingerprint
from treaty.engine.core.errors import UnreadableTable
from treaty.engine.core.results import Outcome, RunResult, Verdict
from treaty.engine.evaluation.request import EvaluationRequest
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import GateAnswer, PinKind
from treaty.registry.core.errors import NotFound
from treaty.registry.datasets import related_datasets
from treaty.registry.review.consumers.consumer_checks import ConsumerDocument
from treaty.registry.tables import ContractVersionRow, DatasetRow, PartitionStateRow, SubscriptionRow, UserRow
from treaty.registry.validation.gate import gate_answer, staleness
from treaty.registry.validation.gate.gate_answer import ContractGateStatus
from treaty.registry.validation.gate.staleness import ReadinessQuery

PASS, WARN, BLOCK, UNKNOWN = GateAnswer.ALLOW, GateAnswer.WARN, GateAnswer.BLOCK, GateAnswer.UNKNOWN


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)


def ask(
    scene: Scene, partition: str | None = None, consumer: str | None = None, **look: Any
) -> tuple[ContractGateStatus, ...]:
    """What is answered of the orders."""
    with read_session(scene.database) as tx:
        found = related_datasets.resolve_dataset(tx, "orders")
        assert found is not None
        return gate_answer.contract_statuses(tx, found, ReadinessQuery(partition, **look), consumer)


def answer(scene: Scene, partition: str | None = None, **look: Any) -> tuple[GateAnswer, str | None]:
    (told,) = ask(scene, partition, **look)
    return told.answer, told.reason


def validated(scene: Scene, run: str = "a", **how: Any) -> None:
    scene.send(event(run=run))
    scene.work(**how)


def otherwise(outcome: Outcome, severity: str = "error", scope: str = "delta") -> Callable[..., RunResult]:
    """A judge that finds this of the first result of that scope."""

    def judge(request: EvaluationRequest) -> RunResult:
        run = engines.judge(request)
        at = next(at for at, each in enumerate(run.results) if each.scope == scope)
        told = {"outcome": outcome, "severity": severity, "reason": "it lies so"}
        results = [each.model_copy(update=told if place == at else {}) for place, each in enumerate(run.results)]
        return run.model_copy(update={"results": tuple(results)})

    return judge


def test_data_that_keep_the_contract_pass_and_say_what_was_judged(scene: Scene) -> None:
    validated(scene)
    (told,) = ask(scene)
    assert (told.answer, told.reason, told.about, told.version) == (PASS, None, ("orders", "orders"), "1.0.0")
    assert told.run is not None
    assert told.run.dataset_fingerprint == fingerprint({"ds=1": marker("good"), "ds=2": marker("good")})
    assert answer(scene, dataset_fingerprint=told.run.dataset_fingerprint) == (PASS, None)


@pytest.mark.parametrize(
    ("outcome", "severity", "expected"),
    [
        (Outcome.FAILED, "error", BLOCK),
        (Outcome.FAILED, "warning", WARN),
        (Outcome.NOT_EVALUATED, "error", BLOCK),
        (Outcome.UNCERTAIN, "error", BLOCK),
        (Outcome.UNCERTAIN, "warning", WARN),
        (Outcome.NOT_APPLICABLE, "error", PASS),
    ],
)
@pytest.mark.parametrize("scope", ["delta", "dataset"])
def test_what_a_check_found_decides(
    scene: Scene, scope: str, outcome: Outcome, severity: str, expected: GateAnswer
) -> None:
    validated(scene, evaluate=otherwise(outcome, severity, scope))
    told, reason = answer(scene)
    assert (told, reason is None) == (expected, expected is PASS)
    assert expected is PASS or "good" in str(reason)


@pytest.mark.parametrize(
    ("term", "outcome"), [("on_unknown", Outcome.NOT_EVALUATED), ("on_uncertain", Outcome.UNCERTAIN)]
)
@pytest.mark.parametrize("said", ["allow", "warn", "block"])
def test_of_what_could_not_be_decided_the_contract_decides(
    scene: Scene, said: str, term: str, outcome: Outcome
) -> None:
    terms = f"\ncustomProperties:\n  - property: treaty\n    value:\n      {term}: {said}\n".encode()
    body = document("1.1.0") + terms[1:]
    assert getattr(read(body).terms, term) == said
    with transaction(scene.database) as tx:
        old = tx.exec(select(ContractVersionRow)).one()
        fields = old.model_dump(exclude={"id", "body", "fingerprint", "version"})
        tx.add(
            ContractVersionRow(id=ids.new(), body=body, fingerprint=read(body).fingerprint, version="1.1.0", **fields)
        )
        tx.commit()
    validated(scene, evaluate=otherwise(outcome))
    assert {told.version: told.answer.value for told in ask(scene)} == {"1.0.0": "block", "1.1.0": said}


def test_of_all_data_counts_every_partition_that_is_there_as_it_was_judged_last(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    validated(scene)
    scene.write("ds=3", "good")
    validated(scene, "b")
    told, reason = answer(scene)
    assert (told, "in ds=2" in str(reason), scene.runs[-1].verdict) == (BLOCK, True, Verdict.PASSED)
    scene.write("ds=2", "better")
    validated(scene, "c")
    assert answer(scene) == (PASS, None)


def test_a_bad_partition_that_is_gone_is_in_nobody_s_way(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    validated(scene)
    del scene.engine.tables[LOCATION]["ds=2"]
    validated(scene, "b")
    assert [answer(scene)[0], answer(scene, "ds=1")[0]] == [PASS, PASS]


def test_of_a_partition_count_its_own_checks_and_those_of_all_data(scene: Scene) -> None:
    scene.write("ds=2", "bad")
    validated(scene)
    assert [answer(scene, each)[0] for each in ("ds=1", "ds=2", None)] == [PASS, BLOCK, BLOCK]
    scene.write("ds=3", "good")
    validated(scene, "b")
    assert [answer(scene, each)[0] for each in ("ds=1", "ds=2", "ds=3")] == [PASS, BLOCK, PASS]
    scene.write("ds=3", "better")
    validated(scene, "c", evaluate=otherwise(Outcome.FAILED, scope="dataset"))
    assert [answer(scene, each)[0] for each in ("ds=1", "ds=3")] == [BLOCK, BLOCK]


@pytest.mark.parametrize("name", ["ds=4", "DS=1", 'ds="1', "ds=%", ""])
def test_of_a_partition_that_there_is_not_nothing_is_known(scene: Scene, name: str) -> None:
    validated(scene)
    assert answer(scene, name)[0] is UNKNOWN


def test_names_of_partitions_are_told_apart_by_every_letter(scene: Scene) -> None:
    for name, text in (("ds=a_b", "bad"), ("ds=aXb", "good"), ("ds=A_B", "good"), ("ds=ä", "bad")):
        scene.write(name, text)
    validated(scene)
    scene.write("ds=3", "good")
    validated(scene, "b")
    found = {name: answer(scene, name)[0] for name in ("ds=a_b", "ds=aXb", "ds=A_B", "ds=ä")}
    assert found == {"ds=a_b": BLOCK, "ds=aXb": PASS, "ds=A_B": PASS, "ds=ä": BLOCK}


def written(scene: Scene) -> None:
    scene.send(event(run="b"))
    scene.worker().take_in()


def opened(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        tx.exec(select(DatasetRow)).one().publishing_version = 1
        tx.commit()


def superseded(scene: Scene) -> None:
    next_version(scene.database, "2.0.0")


def stored_by_others(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        tx.exec(select(PartitionStateRow).where(PartitionStateRow.partition == "ds=1")).one().fingerprint = "other"
        tx.exec(select(DatasetRow)).one().states_version += 1
        tx.commit()


def unreadable(scene: Scene) -> None:
    scene.engine.errors = [UnreadableTable("the table is not there")] * 3
    scene.send(event(run="b"))
    for _ in range(3):
        scene.work()
        scene.clock.advance(3600)


DOUBTS: dict[str, tuple[Callable[[Scene], None], str]] = {
    "it was written to since": (written, staleness.WRITTEN),
    "a publication is open": (opened, staleness.OPEN),
    "another version came into force": (superseded, staleness.SUPERSEDED),
    "its states were replaced": (stored_by_others, staleness.SINCE),
    "it could not be read any more": (unreadable, "could not evaluate the data"),
}


@pytest.mark.parametrize("name", DOUBTS)
def test_where_other_data_may_be_there_nothing_is_known(scene: Scene, name: str) -> None:
    change, reason = DOUBTS[name]
    assert answer(scene) == (UNKNOWN, staleness.UNJUDGED)
    validated(scene)
    assert answer(scene)[0] is PASS
    change(scene)
    told, said = answer(scene)
    assert (told, reason in str(said)) == (UNKNOWN, True), said


def test_states_that_were_merged_or_filled_up_are_of_the_same_data(scene: Scene) -> None:
    validated(scene)
    with transaction(scene.database) as tx:
        tx.exec(select(DatasetRow)).one().states_version += 1
        tx.commit()
    assert answer(scene) == (PASS, None)


def test_who_sees_other_data_or_asks_for_newer_ones_is_told_nothing_of_these(scene: Scene) -> None:
    validated(scene)
    assert answer(scene, dataset_fingerprint="other") == (UNKNOWN, staleness.OTHER_DATA)
    assert answer(scene, as_of=NOON) == (PASS, None)
    assert answer(scene, as_of=NOON + timedelta(hours=1))[0] is UNKNOWN
    scene.clock.advance(7200)
    validated(scene, "b")
    assert answer(scene, as_of=NOON + timedelta(hours=1)) == (PASS, None)


def of_consumer(scene: Scene, **pin: Any) -> SubscriptionRow:
    with read_session(scene.database) as tx:
        owner = tx.exec(select(UserRow).where(UserRow.name == "owner")).one()
    row = SubscriptionRow(
        id=ids.new(), contract_id="orders", user_id=owner.id, purpose="reports", contact="here", created_at=NOON, **pin
    )
    add(scene.database, row)
    return row


def test_a_consumer_is_told_of_what_they_check_besides(scene: Scene) -> None:
    subscription = of_consumer(scene)
    body = document("7.0.0")

    def judge(request: EvaluationRequest) -> RunResult:
        how = otherwise(Outcome.FAILED) if request.contract.version == "7.0.0" else engines.judge
        return how(request)

    def consumers(*_: Any) -> list[ConsumerDocument]:
        return [ConsumerDocument(subscription.id, body, read(body).fingerprint)]

    validated(scene, evaluate=judge, consumers=consumers)
    assert answer(scene) == (PASS, None)
    for consumer in ("owner", str(subscription.id)):
        first, second = ask(scene, consumer=consumer)
        assert (first.answer, first.subscription_id) == (BLOCK, subscription.id)
        assert (second.answer, second.subscription_id) == (PASS, None)
    with pytest.raises(NotFound, match="nobody has no subscription"):
        ask(scene, consumer="nobody")


def test_a_consumer_who_is_pinned_is_told_of_that_version_or_that_it_is_in_force_no_more(scene: Scene) -> None:
    validated(scene)
    of_consumer(scene, pin=PinKind.VERSION, pinned_to="1.0.0")
    assert [(each.answer, each.version) for each in ask(scene, consumer="owner")] == [(PASS, "1.0.0")]
    next_version(scene.database, "2.0.0")
    validated(scene, "b")
    told = ask(scene, consumer="owner")
    assert [(each.answer, each.version) for each in told] == [(WARN, "2.0.0"), (PASS, "2.0.0")]
    assert "pinned to version 1.0.0" in str(told[0].reason)


def test_an_answer_takes_as_many_questions_to_the_database_however_much_there_is(scene: Scene) -> None:
    counts = []
    for at in range(4):
        scene.write(f"ds=x{at}", "bad")
        validated(scene, f"run {at}")
        with counted_queries(scene.database) as statements:
            ask(scene)
        counts.append(len(statements))
    # What was found of partitions before is asked once something was found.
    assert counts[0] < counts[1] == counts[2] == counts[3] <= 12
