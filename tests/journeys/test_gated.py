"""A Spark job publishes through a gate over the registry: what it published is history at once."""

from typing import Any

import pytest
from sqlmodel import col, select
from support.events import event, just_now, output
from support.loops import Services
from support.payments import COLUMNS, Payments

from treaty.engine.gate.gate import CandidateRejected, answer, gate
from treaty.registry.core import ids
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import Permission
from treaty.registry.sdk.remote_states import registered_contract
from treaty.registry.tables import TaskRow
from treaty.registry.validation.findings import NOTHING_CHANGED

MONDAY, TUESDAY = "2026-10-05", "2026-10-06"


@pytest.fixture
def payments(services: Services, producer_spark: Any, monkeypatch: pytest.MonkeyPatch) -> Payments:
    """Payments of a day, validated by the worker; the job has an address and a token."""
    made = Payments(services, services.producer(producer_spark, "day"), "gated")
    made.write(MONDAY, [(1, 5.0), (2, 6.0)])
    made.put_in_force()
    token = services.people.producer.issue_token("gate", scopes=[Permission.STATES, Permission.READ])
    monkeypatch.setenv("TREATY_API_URL", services.settings.api)
    monkeypatch.setenv("TREATY_TOKEN", token.secret)
    return made


def publish(payments: Payments, session: Any, day: str, rows: list[tuple[int, float]]) -> str:
    """How the table stands after the rows were published; raises as the gate does."""
    table = str(payments.location)
    frame = session.createDataFrame([(*each, "a note") for each in rows], COLUMNS)
    with registered_contract(payments.name) as kept:
        with gate(session, table, kept.contract, kept.store, **kept.more) as candidate:
            candidate.write(frame, {"day": day})
        return answer(table, kept.contract, kept.store, partition_by=kept.partition_by)


def test_what_a_gate_published_is_history_and_an_event_makes_no_work_of_it(
    services: Services, payments: Payments, producer_spark: Any
) -> None:
    seen, owner = services.runs(payments.name), services.people.owner
    assert publish(payments, producer_spark, TUESDAY, [(3, 7.0)]) == "passed"
    run = services.next_run(payments.name, seen)
    assert (run.verdict, owner.run(run.id).partitions) == ("passed", (f"day={TUESDAY}",))
    rows = {each.phrase: each.value for each in owner.metrics(payments.name, metrics=["size"]).metrics}
    assert rows == {"size": "3"}

    services.pipeline().send_event(event("COMPLETE", output(str(payments.location)), run=str(ids.new()), at=just_now()))
    services.settle()
    assert last_task(services).result == {"note": NOTHING_CHANGED, "covered_by": str(run.id)}
    assert services.runs(payments.name)[0].id == run.id
    assert owner.verdict(payments.name).verdict == "passed"

    with pytest.raises(CandidateRejected, match="failed, 1 check"):
        publish(payments, producer_spark, TUESDAY, [(4, -1.0)])
    with pytest.raises(CandidateRejected, match="failed"):
        publish(payments, producer_spark, TUESDAY, [(1, 1.0)])
    assert services.runs(payments.name)[0].id == run.id
    assert producer_spark.read.parquet(str(payments.location)).count() == 3


def last_task(services: Services) -> TaskRow:
    """The task that was made last."""
    with read_session(services.database) as session:
        return session.exec(select(TaskRow).order_by(col(TaskRow.id).desc()).limit(1)).one()
