"""The main job on PostgreSQL: a shop's history is drafted and approved, days arrive, and what went wrong is caught."""

from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import pytest
from support.events import event, just_now, output
from support.loops import Services, looped, told

from treaty.engine.core.results import Outcome
from treaty.registry.demo import shop_data
from treaty.registry.demo.deliveries import DemoDelivery, shop_lake
from treaty.registry.demo.producer import DemoProducer
from treaty.registry.demo.scenario import DeliveryResult, DemoLoop
from treaty.registry.schemas import CheckResultOut

HISTORY, DAYS = 25, 32
TABLES = [each for each in shop_data.TABLES if each.name != "customers"]


@dataclass(frozen=True)
class Done:
    """The loop after its last delivery, and the pipeline that could deliver more."""

    services: Services
    producer: DemoProducer
    loop: DemoLoop

    def hit_by(self, incident: str) -> DeliveryResult:
        """The delivery that the incident hit."""
        (found,) = [each for each in self.loop.results if incident in [one.name for one in each.delivery.incidents]]
        return found

    def out_of_turn(self, name: str) -> DeliveryResult:
        """What arrived late, or again."""
        (found,) = [
            each
            for each in self.loop.results
            if each.delivery.late_delivery and each.delivery.late_delivery.name == name
        ]
        return found


@pytest.fixture(scope="module")
def done(services: Services, producer_spark: Any) -> Done:
    lake = shop_lake(days=DAYS, history=HISTORY, tables=TABLES)
    return Done(services, services.producer(producer_spark, lake.column), looped(services, producer_spark, lake))


def kinds(broken: tuple[CheckResultOut, ...]) -> set[tuple[str | None, str | None]]:
    """The column and the dimension of each check that failed."""
    assert {each.outcome for each in broken} == {Outcome.FAILED}
    return {(each.column, each.dimension) for each in broken}


@pytest.mark.parametrize(
    ("incident", "column", "dimension"),
    [("nulls", "customer_id", "completeness"), ("truncated load", None, "coverage")],
)
def test_a_documented_incident_is_caught_by_the_check_of_its_kind(
    done: Done, incident: str, column: str | None, dimension: str
) -> None:
    judged = done.hit_by(incident)

    assert judged.alarmed
    assert kinds(judged.broken) == {(column, dimension)}


def test_a_partition_that_came_late_is_judged_for_itself(done: Done) -> None:
    late = done.out_of_turn("late partition")

    assert late.delivery.target == ("orders", "2026-09-29")
    assert "day=2026-09-29" in late.run.partitions
    assert not late.alarmed


def test_a_partition_that_is_delivered_again_is_judged_again_and_the_table_recovers(done: Done) -> None:
    broken, again = done.hit_by("truncated load"), done.out_of_turn("re-delivery")

    assert again.delivery.target == broken.delivery.target == ("order_items", "2026-10-01")
    assert "day=2026-10-01" in again.run.partitions
    assert broken.run.partitions == ("day=2026-10-01",)
    assert (broken.alarmed, again.alarmed) == (True, False)
    # While an event or a task waits, the gate knows nothing of the newest data.
    done.services.settle()
    assert done.services.people.owner.gate("order_items", partition="day=2026-10-01").answer.value == "allow"


def test_no_alarm_is_false(done: Done) -> None:
    clean = [each for each in done.loop.results if not each.delivery.incidents]

    assert len(clean) == len(TABLES) * (DAYS - HISTORY) - 2 + 1
    assert [told(each) for each in clean if each.alarmed] == []


def test_the_audit_is_as_it_was_written(done: Done) -> None:
    done.services.settle()

    chain = done.services.people.admin.audit_chain()
    assert chain.broken_at is None
    assert chain.entries > 20


def test_an_event_that_comes_twice_is_judged_once(done: Done) -> None:
    services, producer, table = done.services, done.producer, "order_items"
    late = delivery(done.loop, table)
    told_once = event("COMPLETE", output(producer.location(table)), run=str(uuid4()), at=just_now())
    with services.pipeline() as pipeline:
        before = services.runs(table)
        producer.write(late)
        pipeline.send_event(told_once)
        assert services.next_run(table, before).partitions == (f"day={late.partition}",)

        before = services.runs(table)
        producer.write(replace(late, partition="2026-10-31"))
        pipeline.send_event(told_once)
        services.settle()
        assert services.runs(table) == before

        pipeline.send_event({**told_once, "run": {"runId": str(uuid4()), "facets": {}}})
        assert services.next_run(table, before).partitions == ("day=2026-10-31",)


def delivery(loop: DemoLoop, table: str) -> DemoDelivery:
    """The table's last clean delivery, as if it came again on a later day."""
    last = next(each.delivery for each in reversed(loop.results) if each.delivery.table == table)
    return replace(last, partition="2026-10-30")
