"""Incidents: what opens, joins, closes and reopens them, and what people may do with them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from sqlmodel import select
from support.api import World, suggestion
from support.flowing import minute, ran, step
from support.harms import Fails, Harm

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.client import ClientError
from treaty.registry.core.database import read_session
from treaty.registry.core.enums import IncidentState, ManualResolution, Resolution
from treaty.registry.measurements.anomalies import false_alarms
from treaty.registry.tables import OutboxMessageRow

OPEN, ACKNOWLEDGED, RESOLVED = IncidentState


@pytest.fixture
def harm(world: World) -> Harm:
    made = Harm(world)
    made.promise("orders")
    return made


def state(harm: Harm) -> list[tuple[IncidentState, Resolution | None]]:
    return [(each.state, each.resolution) for each in harm.incidents]


def test_a_violation_opens_one_and_says_what_fails(harm: Harm) -> None:
    run = harm.judge("orders", Fails(column="amount"), at=1)
    found = harm.only
    assert (found.contract_id, found.state, found.columns, found.started_at) == ("orders", OPEN, ("amount",), minute(1))
    (part,) = found.objects
    assert (part.active, part.failing_checks, part.first_run_id) == (
        True,
        (schemas.FailingCheckOut(check="good", partition="ds=1"),),
        run,
    )
    assert "incident:opened" in harm.world.audited()


def test_data_are_bad_since_the_run_that_wrote_them_ended(harm: Harm) -> None:
    harm.events(*ran("load", 1, 3, writes=["orders"]))
    harm.judge("orders", Fails(), at=9, by=("load", 1))
    assert harm.only.started_at == minute(3)


def test_what_passes_or_only_warns_opens_none(harm: Harm) -> None:
    harm.judge("orders", at=1)
    assert harm.incidents == []


def test_what_goes_on_to_fail_stays_in_one(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    harm.judge("orders", Fails("other", "ds=2"), at=2, of=["ds=2"])
    assert (len(harm.incidents), harm.failing) == (1, {"orders": {("good", "ds=1"), ("other", "ds=2")}})


def test_another_partition_that_passes_closes_nothing(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    harm.judge("orders", at=2, of=["ds=2"])
    assert (state(harm), harm.failing) == ([(OPEN, None)], {"orders": {("good", "ds=1")}})


def test_it_closes_by_itself_once_what_failed_passes(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    harm.judge("orders", at=2)
    found = harm.only
    assert (found.state, found.resolution, found.resolved_by) == (RESOLVED, Resolution.RECOVERED, None)
    assert (found.recovered_at, found.resolved_at, harm.failing) == (minute(2), minute(2), {})


def test_a_partition_that_is_gone_and_a_check_that_a_version_dropped_fail_no_more(harm: Harm) -> None:
    harm.judge("orders", Fails(), Fails("old", None), at=1)
    del harm.partitions["ds=1"]
    harm.judge("orders", at=2, of=["ds=2"])
    assert harm.failing == {"orders": {("old", None)}}
    harm.judge("orders", at=3, of=["ds=2"], version="2.0.0")
    assert state(harm) == [(RESOLVED, Resolution.RECOVERED)]


@pytest.mark.parametrize(("after", "count"), [(timedelta(hours=23), 1), (timedelta(hours=25), 2)])
def test_what_fails_again_soon_was_not_over(harm: Harm, after: timedelta, count: int) -> None:
    harm.judge("orders", Fails(), at=1)
    harm.judge("orders", at=2)
    harm.judge("orders", Fails(), at=2 + after.total_seconds() / 60)
    assert len(harm.incidents) == count
    assert [each.reopen_count for each in harm.incidents] == ([1] if count == 1 else [0, 0])
    assert harm.incidents[-1].state is OPEN


def resolved(harm: Harm, resolution: Any, **more: Any) -> schemas.IncidentOut:
    return harm.world.client("owner").resolve_incident(harm.only.id, harm.only.revision, resolution, **more)


@pytest.mark.parametrize(
    ("resolution", "again", "found"),
    [
        (ManualResolution.FIXED, Fails(), [OPEN]),
        (ManualResolution.FIXED, Fails(partition="ds=2"), [RESOLVED, OPEN]),
        (ManualResolution.WONT_FIX, Fails(), [RESOLVED]),
        (ManualResolution.FALSE_ALARM, Fails(), [RESOLVED]),
        (ManualResolution.EXPECTED_CHANGE, Fails(), [RESOLVED]),
        (ManualResolution.FALSE_ALARM, Fails(partition="ds=2"), [RESOLVED, OPEN]),
        (ManualResolution.FALSE_ALARM, Fails(check="other"), [RESOLVED, OPEN]),
    ],
)
def test_what_somebody_said_of_it_decides_what_the_next_failure_does(
    harm: Harm, resolution: ManualResolution, again: Fails, found: list[IncidentState]
) -> None:
    harm.judge("orders", Fails(), at=1)
    assert resolved(harm, resolution).resolved_by == "owner"
    harm.judge("orders", again, at=2)
    assert [each.state for each in harm.incidents] == found


def test_what_is_no_fault_is_one_again_once_it_passed(harm: Harm) -> None:
    harm.judge("orders", Fails(partition=None), at=1)
    resolved(harm, ManualResolution.WONT_FIX)
    harm.judge("orders", Fails(partition=None), at=2)
    assert len(harm.incidents) == 1
    harm.judge("orders", at=3)
    harm.judge("orders", Fails(partition=None), at=4)
    assert [each.state for each in harm.incidents] == [RESOLVED, OPEN]


@pytest.fixture
def downstream(harm: Harm) -> Harm:
    """Orders feed a report, which feeds a summary; a job wrote bad orders, and the report was made of them."""
    for contract_id in ("report", "summary"):
        harm.promise(contract_id)
    harm.events(
        *ran("load", 0, 1, writes=["orders"]),
        *ran("report", 2, 3, reads=["orders"], writes=["report"]),
        *ran("summary", -9, -8, reads=["report"], writes=["summary"]),
    )
    return harm


def test_failures_of_one_cause_are_one_incident(downstream: Harm) -> None:
    downstream.judge("orders", Fails(), at=4, by=("load", 1))
    downstream.judge("report", Fails(), at=5, by=("report", 1))
    assert len(downstream.incidents) == 1
    assert {each.contract_id: each.active for each in downstream.only.objects} == {"orders": True, "report": True}
    assert downstream.reached == {"report": "contaminated", "summary": "at_risk"}


def test_what_was_judged_first_downstream_becomes_part_of_its_cause(downstream: Harm) -> None:
    downstream.judge("report", Fails(), at=4, by=("report", 1))
    downstream.judge("orders", Fails(), at=5, by=("load", 1))
    report, orders = downstream.incidents
    assert (report.state, report.resolution, report.duplicate_of) == (RESOLVED, Resolution.DUPLICATE, orders.id)
    assert set(downstream.failing) == {"orders", "report"}
    downstream.judge("report", Fails(), Fails("other"), at=6)
    assert [each.state for each in downstream.incidents] == [RESOLVED, OPEN]


def test_what_fails_downstream_of_a_run_before_the_bad_data_is_another_matter(downstream: Harm) -> None:
    downstream.judge("summary", Fails(), at=4, by=("summary", 1))
    downstream.judge("orders", Fails(), at=5, by=("load", 1))
    assert [each.state for each in downstream.incidents] == [OPEN, OPEN]


def test_it_is_over_once_all_that_failed_in_it_recovered(downstream: Harm) -> None:
    downstream.judge("orders", Fails(), at=4, by=("load", 1))
    downstream.judge("report", Fails(), at=5)
    downstream.events(*ran("load", 6, 7, 2, writes=["orders"]))
    downstream.judge("orders", at=8, by=("load", 2))
    assert (state(downstream), downstream.reached) == ([(OPEN, None)], {"report": "contaminated"})
    downstream.events(*ran("report", 9, 10, 2, reads=["orders"], writes=["report"]))
    assert downstream.reached == {}
    downstream.judge("report", at=11)
    assert state(downstream) == [(RESOLVED, Resolution.RECOVERED)]


def test_what_came_downstream_goes_with_the_next_runs_though_the_incident_is_over(downstream: Harm) -> None:
    downstream.judge("orders", Fails(), at=4, by=("load", 1))
    downstream.events(*ran("summary", 4, 5, 2, reads=["report"], writes=["summary"]))
    downstream.events(*ran("load", 6, 7, 2, writes=["orders"]))
    downstream.judge("orders", at=8, by=("load", 2))
    left = [downstream.reached]
    for job, at, reads in (("report", 9, "orders"), ("summary", 11, "report")):
        downstream.events(*ran(job, at, at + 1, 3, reads=[reads], writes=[job]))
        left.append(downstream.reached)
    assert left == [{"report": "contaminated", "summary": "contaminated"}, {"summary": "contaminated"}, {}]
    assert state(downstream) == [(RESOLVED, Resolution.RECOVERED)]


def upstream(harm: Harm, contract_id: str, who: str = "viewer") -> list[tuple[str, str | None]]:
    return [(each.contamination.value, each.cause) for each in harm.world.client(who).upstream(contract_id)]


def test_contracts_downstream_are_told_and_their_verdict_stays(downstream: Harm) -> None:
    downstream.judge("report", at=3.5)
    downstream.judge("orders", Fails(), at=4, by=("load", 1))
    assert upstream(downstream, "report") == [("contaminated", "orders.orders")]
    assert upstream(downstream, "summary") == []
    downstream.events(step("summary", "START", 5, 2, reads=["report"], writes=["summary"]))
    assert upstream(downstream, "summary") == [("in_flight", "orders.orders")]
    downstream.events(step("summary", "COMPLETE", 6, 2))
    assert upstream(downstream, "summary") == [("contaminated", "orders.orders")]
    assert {each.contract_id: each.verdict.value for each in downstream.world.client("viewer").runs()} == {
        "report": "passed",
        "orders": "failed",
    }


@pytest.mark.parametrize(
    ("resolution", "left"),
    [
        (ManualResolution.FALSE_ALARM, {}),
        (ManualResolution.WONT_FIX, {}),
        (ManualResolution.FIXED, {"report": "contaminated"}),
    ],
)
def test_what_was_no_fault_came_to_nobody(downstream: Harm, resolution: ManualResolution, left: dict[str, str]) -> None:
    downstream.judge("orders", Fails(), at=4, by=("load", 1))
    resolved(downstream, resolution)
    assert downstream.reached == left


def test_people_take_its_steps_in_turn(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    client, seen = harm.world.client("owner"), harm.only
    seen = client.acknowledge_incident(seen.id, seen.revision)
    assert (seen.state, seen.acknowledged_by) == (ACKNOWLEDGED, "owner")
    seen = client.assign_incident(seen.id, seen.revision, "producer")
    assert seen.assignee == "producer"
    until = clock.now() + timedelta(hours=1)
    seen = client.snooze_incident(seen.id, seen.revision, until)
    assert [client.incidents(snoozed=False), len(client.incidents())] == [[], 1]
    seen = client.snooze_incident(seen.id, seen.revision, None)
    assert len(client.incidents(snoozed=False)) == 1
    assert [len(harm.world.client(who).incidents(mine=True)) for who in ("producer", "owner")] == [1, 0]
    seen = client.resolve_incident(seen.id, seen.revision, ManualResolution.FIXED, comment="the loader")
    assert (seen.state, seen.comment, seen.resolved_by) == (RESOLVED, "the loader", "owner")
    seen = client.reopen_incident(seen.id, seen.revision)
    assert (seen.state, seen.reopen_count, [each.active for each in seen.objects]) == (OPEN, 1, [True])
    assert [each for each in harm.world.audited() if each.startswith("incident:")] == [
        "incident:opened", "incident:acknowledged", "incident:assigned", "incident:snoozed", "incident:snoozed",
        "incident:resolved", "incident:reopened",
    ]  # fmt: skip


def test_what_nobody_looks_after_any_more_is_open_again(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    client, seen = harm.world.client("owner"), harm.only
    seen = client.acknowledge_incident(seen.id, seen.revision)
    seen = client.reopen_incident(seen.id, seen.revision)
    assert (seen.state, seen.acknowledged_by, seen.reopen_count, seen.objects[0].active) == (OPEN, None, 0, True)


Needs = Callable[[Any, schemas.IncidentOut], Any]


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        (lambda c, i: i, {"owner": 1, "producer": 0}),
        (lambda c, i: c.acknowledge_incident(i.id, i.revision), {"owner": 1}),
        (lambda c, i: c.assign_incident(i.id, i.revision, "owner"), {"owner": 1}),
        (lambda c, i: c.assign_incident(i.id, i.revision, "producer"), {"owner": 0}),
        (lambda c, i: c.snooze_incident(i.id, i.revision, clock.now() + timedelta(hours=1)), {"owner": 0}),
        (lambda c, i: c.resolve_incident(i.id, i.revision, ManualResolution.FALSE_ALARM), {"owner": 0}),
    ],
)
def test_a_failed_run_is_in_the_inbox_of_whom_it_needs(harm: Harm, step: Needs, shown: dict[str, int]) -> None:
    run = harm.judge("orders", Fails(), at=1)
    step(harm.world.client("owner"), harm.only)
    inboxes = {who: harm.world.client(who).inbox() for who in shown}
    assert {who: len(each.failed_runs) for who, each in inboxes.items()} == shown
    assert [part.last_run_id for each in inboxes["owner"].incidents for part in each.objects] == [run] * shown["owner"]


Step = Callable[[Any, schemas.IncidentOut], Any]


@pytest.mark.parametrize(
    ("step", "status", "words"),
    [
        (lambda c, i: c.acknowledge_incident(i.id, i.revision + 1), 409, "is now at revision 1"),
        (lambda c, i: c.reopen_incident(i.id, i.revision), 409, "Cannot reopen this incident: its state is open"),
        (lambda c, i: c.assign_incident(i.id, i.revision, "nobody-here"), 422, "No active user of that name can read"),
        (lambda c, i: c.snooze_incident(i.id, i.revision, minute(0)), 422, "in the future"),
        (lambda c, i: c.resolve_incident(i.id, i.revision, ManualResolution.DUPLICATE), 422, "this one duplicates"),
        (
            lambda c, i: c.resolve_incident(i.id, i.revision, ManualResolution.FIXED, duplicate_of=i.id),
            422,
            "this one duplicates",
        ),
        (
            lambda c, i: c.resolve_incident(i.id, i.revision, ManualResolution.DUPLICATE, duplicate_of=i.id),
            422,
            "a duplicate of another incident",
        ),
    ],
)
def test_a_step_that_cannot_be_taken_is_refused_and_says_why(harm: Harm, step: Step, status: int, words: str) -> None:
    harm.judge("orders", Fails(), at=1)
    with pytest.raises(ClientError) as refused:
        step(harm.world.client("owner"), harm.only)
    assert (refused.value.status, words in refused.value.message, state(harm)) == (status, True, [(OPEN, None)])


def test_that_it_recovered_is_not_told(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    body = {"revision": 1, "resolution": "recovered"}
    assert harm.world.call("owner", "POST", f"/incidents/{harm.only.id}/resolve", json=body).status_code == 422


def test_of_two_who_take_a_step_at_once_one_is_told_so(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    seen, start = harm.only, Barrier(2)

    def race(who: str) -> int:
        start.wait()
        body = {"revision": seen.revision}
        return int(harm.world.call(who, "POST", f"/incidents/{seen.id}/acknowledge", json=body).status_code)

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(race, ["owner", "producer"])) == [200, 409]


def test_a_duplicate_is_part_of_what_it_is_a_duplicate_of(harm: Harm) -> None:
    harm.promise("report")
    harm.judge("orders", Fails(), at=1)
    harm.judge("report", Fails(), at=2)
    orders, report = harm.incidents
    client = harm.world.client("owner")
    client.resolve_incident(report.id, report.revision, ManualResolution.DUPLICATE, duplicate_of=orders.id)
    assert {each.contract_id for each in client.incident(orders.id).objects} == {"orders", "report"}
    harm.judge("report", at=3)
    assert [each.state for each in harm.incidents] == [OPEN, RESOLVED]
    harm.judge("orders", at=4)
    assert [each.state for each in harm.incidents] == [RESOLVED, RESOLVED]


def test_an_object_fails_in_one_incident_when_it_is_opened_again(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    resolved(harm, ManualResolution.FALSE_ALARM)
    harm.judge("orders", Fails(partition="ds=2"), at=2, of=["ds=2"])
    first, second = harm.incidents
    reopened = harm.world.client("owner").reopen_incident(first.id, first.revision)
    assert ([each.active for each in reopened.objects], second.state) == ([False], OPEN)


def test_a_state_that_was_not_seen_is_not_changed(harm: Harm) -> None:
    harm.judge("orders", Fails(), at=1)
    seen = harm.only
    body = {"revision": seen.revision}
    path = f"/incidents/{seen.id}/acknowledge"
    assert harm.world.call("owner", "POST", path, {"If-Match": '"other"'}, json=body).status_code == 412
    assert harm.world.call("owner", "POST", path, {"If-Match": seen.etag}, json=body).status_code == 200


def test_a_check_that_alarmed_for_nothing_is_drafted_as_a_warning(harm: Harm) -> None:
    harm.judge("orders", Fails("id-range"), Fails("id-required", None), at=1)
    resolved(harm, ManualResolution.FALSE_ALARM)
    words = suggestion("id", required=True)
    entry = suggestion("id", quality={"id": "id-range", "severity": "error"})
    other = suggestion("day", quality={"id": "day-range", "severity": "error"})
    with read_session(harm.world.engine) as tx:
        found = false_alarms.with_false_alarms(tx, "orders", [words, entry, other])
        assert false_alarms.with_false_alarms(tx, "elsewhere", [entry]) == [entry]
    assert [(each["severity"], each["evidence"].get("false_alarms")) for each in found] == [
        ("error", 1),
        ("warning", 1),
        ("error", None),
    ]
    assert (found[1]["patch"]["quality"]["severity"], found[2]) == ("warning", other)


def notified(harm: Harm) -> list[str]:
    """The kinds of the messages about incidents, oldest first."""
    with read_session(harm.world.engine) as tx:
        query = select(OutboxMessageRow).order_by(OutboxMessageRow.created_at)
        kinds = [each.key.split("/")[1] for each in tx.exec(query)]
    return [each for each in kinds if each in {"violation", "recovery"}]


def snapshots(harm: Harm, rows: Callable[[int], int | None]) -> list[int]:
    """Judge a snapshot of each of 30 days, and return the days on which somebody was notified."""
    assert (
        harm.world.call("owner", "POST", "/channels", json={"kind": "email", "target": "ada@shop.example"}).status_code
        == 201
    )
    days: list[int] = []
    for day in range(1, 31):
        partition, before = f"ds={day}", len(notified(harm))
        harm.partitions[partition] = str(day)
        harm.judge("orders", Fails(partition=partition, rows=rows(day)), at=1440 * day, of=[partition])
        days += [day] * (len(notified(harm)) - before)
    return days


@pytest.mark.parametrize(
    ("rows", "days"),
    [
        (lambda _: 1, [1]),
        (lambda _: None, [1]),
        (lambda day: 1 if day < 20 else 2, [1, 20]),
        (lambda day: 5 if day == 3 else 2, [1, 3]),
        (lambda day: {1: 3, 9: 4, 10: 1, 11: 4, 30: 5}.get(day, 2), [1, 9, 30]),
    ],
)
def test_an_odd_row_that_stays_is_one_incident_and_one_notification_until_it_grows(
    harm: Harm, rows: Callable[[int], int | None], days: list[int]
) -> None:
    assert snapshots(harm, rows) == days
    assert (harm.only.state, harm.only.growth_count, harm.only.reopen_count) == (OPEN, len(days) - 1, 0)
    assert harm.world.audited().count("incident:grew") == len(days) - 1
    assert len(harm.failing["orders"]) == 30


def test_a_metric_grows_by_its_distance_from_the_threshold(harm: Harm) -> None:
    harm.judge("orders", Fails(value=12, threshold=10), at=1)
    harm.judge("orders", Fails(value=8, threshold=10), at=2)
    assert harm.only.growth_count == 0
    harm.judge("orders", Fails(value=7, threshold=[10, 20]), at=3)
    assert harm.only.growth_count == 1


def test_people_are_told_once_of_an_incident_and_once_that_it_is_over(harm: Harm) -> None:
    body = {"kind": "email", "target": "ada@shop.example"}
    assert harm.world.call("owner", "POST", "/channels", json=body).status_code == 201
    harm.judge("orders", Fails(), at=1)
    harm.judge("orders", Fails("other", "ds=2"), at=2, of=["ds=2"])
    harm.judge("orders", Fails("other", "ds=2"), at=3)
    harm.judge("orders", at=4, of=["ds=2"], version="2.0.0")
    assert notified(harm) == ["violation", "recovery"]
