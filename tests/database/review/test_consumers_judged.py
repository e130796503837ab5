"""Consumers' checks on the way that data take: judged with the producer's from one reading, apart from its verdict."""

from pathlib import Path

import pytest
from sqlalchemy import Engine
from support.consumers import check
from support.registered import Registered, registered

from treaty.engine.core.results import Outcome, Verdict
from treaty.registry import schemas
from treaty.registry.review.consumers import consumer_checks
from treaty.registry.tables import RunRow

A, B = "day=2026-01-01", "day=2026-01-02"
DEAR = check("dear", "minimum", column="id", mustBeGreaterThan=10)


@pytest.fixture
def table(engine: Engine, tmp_path: Path) -> Registered:
    return registered(engine, tmp_path)


def subscribed(table: Registered) -> schemas.SubscriptionOut:
    client = table.world.client("consumer")
    use = schemas.SubscriptionIn(contract_id="orders", purpose="reports", contact="me", reads={})
    made = client.subscribe(use)
    client.add_consumer_check(made.id, schemas.ConsumerCheckIn(object="orders", patch={"quality": DEAR}))
    return made


def test_a_consumers_check_fails_for_them_alone_and_is_promoted_with_how_it_went(table: Registered) -> None:
    subscription = subscribed(table)
    table.gated.gate().stage({A: [1], B: [20]}, table.gated.table, {})
    task = table.worked()
    assert task.result is not None, task.error
    client = table.world.client("consumer")
    (own,), (theirs,) = client.runs(contract_id="orders"), client.runs(subscription_id=subscription.id)
    assert (own.verdict, theirs.verdict, theirs.contract_id) == (Verdict.PASSED, Verdict.FAILED, "orders")
    found = client.run(theirs.id).results
    assert [(each.partition, each.outcome) for each in found if each.check_id == "dear"] == [
        (A, Outcome.FAILED), (B, Outcome.PASSED),
    ]  # fmt: skip
    assert {each.check_id for each in client.run(own.id).results}.isdisjoint({"dear"})
    owner = table.world.client("owner")
    assert owner.inbox().failed_runs == ()
    (suggested,) = owner.proposal(owner.promote_check(subscription.id, "dear").id).suggestions
    evidence = suggested.content["evidence"]
    assert (evidence["partitions"], evidence["held"], evidence["failed_on"]) == (2, 1, [A])
    assert [float(value) for _, value in evidence["history"]] == [1.0, 20.0]
    assert evidence["replay"] == ["would have alerted on 1 of 2 days: 2026-01-01"]


def test_a_check_that_was_never_judged_is_promoted_with_what_it_says_of_what_is_stored(table: Registered) -> None:
    table.publish({A: [1], B: [20]})
    subscription, owner = subscribed(table), table.world.client("owner")
    (suggested,) = owner.proposal(owner.promote_check(subscription.id, "dear").id).suggestions
    evidence = suggested.content["evidence"]
    assert (evidence["partitions"], evidence["history"]) == (0, [])
    assert evidence["replay"] == ["would have alerted on 1 of 2 days: 2026-01-01"]


def test_what_a_consumer_asks_cannot_stop_the_producers_validation(
    table: Registered, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribed(table)
    monkeypatch.setattr(consumer_checks.check_document, "_whole", broken)
    table.gated.gate().stage({A: [1]}, table.gated.table, {})
    task = table.worked()
    assert task.result is not None, task.error
    assert [(run.verdict, run.subscription_id) for run in table.rows(RunRow)] == [(Verdict.PASSED, None)]


def broken(*_: object) -> None:
    from treaty.contracts.errors import ContractError, Fault

    raise ContractError([Fault(code="TR-X", where="x", message="no longer fits")])
