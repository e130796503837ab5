"""Promises of when data come, and files that no event told of: what the clock alone brings about."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import select
from support.events import event
from support.scenes import DOCUMENT, LOCATION, NOON, Scene, add, described, rows

from treaty.contracts.document.reader import read
from treaty.engine.core.errors import EngineError, UnreadableTable
from treaty.engine.core.results import Outcome, Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import RunKind, TaskState, VersionState
from treaty.registry.datasets.names import location, normalise
from treaty.registry.tables import (
    CheckResultRow,
    ContractRow,
    ContractVersionRow,
    DatasetRow,
    PendingValidationRow,
    RunRow,
    ScheduleEntryRow,
    TaskRow,
    UserRow,
)
from treaty.registry.validation import schedule, timetable
from treaty.registry.worker.periodic import keep_appointments

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# NOON is a Sunday, in winter. The first deadline is on Monday at half past six, as UTC has it.
MONDAY = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)
BY = "{object: orders, by: '07:30', zone: Europe/Warsaw, days: weekdays}"
FRESH = "slaProperties:\n  - {property: freshness, value: 4, unit: h, element: orders.id}\n"


def terms(*deadlines: str, sweep: float = 0) -> str:
    own = f"value: {{deadlines: [{', '.join(deadlines)}], lineage: {{sweep: {sweep}}}}}"
    return f"customProperties:\n  - property: treaty\n    {own}\n"


def version(number: str, more: str, owner: UserRow) -> ContractVersionRow:
    body = (DOCUMENT.format(version=number) + more).encode()
    return ContractVersionRow(
        id=ids.new(), contract_id="orders", version=number, body=body, fingerprint=read(body).fingerprint,
        state=VersionState.ACTIVE, approved_by_id=owner.id, approved_at=NOON,
    )  # fmt: skip


def promised(database: Engine, home: Path, more: str) -> Scene:
    """A scene in which the contract of the orders promises that, and two partitions are there and validated."""
    owner = UserRow(id=ids.new(), name="owner", roles=["owner"], created_at=NOON)
    contract = ContractRow(id="orders", name="orders", owner_id=owner.id, active_version="1.0.0", created_at=NOON)
    name = normalise("file", LOCATION)
    dataset = DatasetRow(id=ids.new(), namespace=name.namespace, name=name.name, location=location("file", LOCATION))
    add(database, owner, contract, version("1.0.0", more, owner), *described(dataset, ("orders", "orders")))
    scene = Scene(database, home)
    scene.write("ds=1", "good")
    scene.ask(all=True)
    scene.work()
    look(scene)
    return scene


def look(scene: Scene, at: datetime | None = None) -> int:
    """What workers do of themselves at that time, and then what there is to do."""
    scene.clock.now = at or scene.clock.now
    kept = keep_appointments(scene.worker())
    scene.work()
    return kept


def told(scene: Scene) -> list[tuple[Verdict, str | None]]:
    """What was said of deadlines."""
    return [(run.verdict, run.reason) for run in scene.runs if run.kind is RunKind.DEADLINE]


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return promised(engine, tmp_path, terms(BY))


@pytest.fixture
def fresh(engine: Engine, tmp_path: Path) -> Scene:
    return promised(engine, tmp_path, FRESH + terms())


def test_data_of_the_weekend_are_in_time_on_monday(scene: Scene) -> None:
    look(scene, MONDAY)
    assert told(scene) == [(Verdict.PASSED, "arrived at 2026-03-01 12:00 UTC")]
    assert len(scene.engine.requests) == 1


def test_data_that_did_not_come_are_missed_once_and_told_late_when_they_come(scene: Scene) -> None:
    look(scene, MONDAY)
    tuesday = MONDAY + DAY
    look(scene, tuesday)
    missed = "no data arrived since 2026-03-02 06:30 UTC; last data arrived at 2026-03-01 12:00 UTC"
    assert told(scene)[1:] == [(Verdict.FAILED, missed)]
    for minutes in (1, 5, 60):
        look(scene, tuesday + timedelta(minutes=minutes))
    assert len(told(scene)) == 2
    scene.clock.now = tuesday + timedelta(minutes=72)
    scene.write("ds=2", "good")
    scene.send(event(at="2026-03-03T07:42:00Z"))
    scene.work()
    assert told(scene)[2:] == [(Verdict.PASSED, "arrived at 2026-03-03 07:42 UTC, 1 h 12 min late")]
    look(scene)
    assert len(told(scene)) == 3


def test_the_result_of_a_deadline_is_that_of_a_check(scene: Scene) -> None:
    look(scene, MONDAY + DAY)
    (run,) = [run for run in scene.runs if run.kind is RunKind.DEADLINE]
    (row,) = [row for row in rows(scene.database, CheckResultRow) if row.run_id == run.id]
    assert (row.check_id, row.outcome, row.dimension) == (
        "deadline: by 07:30 Europe/Warsaw",
        Outcome.FAILED,
        "timeliness",
    )
    assert row.sentence == "data of orders must arrive by 07:30 Europe/Warsaw on weekdays"
    assert (run.started_at, run.dataset_id, run.dataset_fingerprint) == (MONDAY + DAY, None, None)


def test_data_that_no_event_told_of_are_found_before_anybody_is_alarmed(scene: Scene) -> None:
    look(scene, MONDAY)
    scene.write("ds=2", "good")
    look(scene, MONDAY + DAY + timedelta(minutes=1))
    assert told(scene)[1:] == [(Verdict.PASSED, "had arrived by the scan at 2026-03-03 06:31 UTC")]
    assert [run.partitions for run in scene.runs if run.kind is RunKind.DATA] == [["ds=1"], ["ds=2"]]


def test_what_was_found_long_after_a_deadline_is_not_called_in_time(scene: Scene) -> None:
    look(scene, MONDAY)
    scene.write("ds=2", "good")
    look(scene, MONDAY + DAY + HOUR)
    assert told(scene)[1:] == [(Verdict.NOT_EVALUATED, "arrived before 2026-03-03 07:30 UTC; no earlier scan")]


def test_data_known_to_have_come_late_are_told_late_by_the_deadline_itself(scene: Scene) -> None:
    look(scene, MONDAY)
    scene.clock.now = MONDAY + DAY + HOUR
    scene.write("ds=2", "good")
    scene.send(event(at="2026-03-03T07:00:00Z"))
    scene.work()
    look(scene)
    assert told(scene)[1:] == [(Verdict.FAILED, "arrived at 2026-03-03 07:00 UTC, 30 min late")]
    scene.write("ds=3", "good")
    scene.send(event(run="b", at="2026-03-03T07:10:00Z"))
    scene.work()
    assert len(told(scene)) == 2


def test_after_a_long_time_away_the_last_deadline_is_judged_and_no_other(scene: Scene) -> None:
    look(scene, MONDAY + 3 * DAY + HOUR)
    missed = "no data arrived since 2026-03-04 06:30 UTC; last data arrived at 2026-03-01 12:00 UTC"
    assert told(scene) == [(Verdict.FAILED, missed)]


def test_several_workers_judge_a_deadline_once(scene: Scene) -> None:
    scene.clock.now = MONDAY
    workers = [scene.worker(name=name) for name in "abc"]
    assert [keep_appointments(each) for each in workers] == [1, 0, 0]
    scene.work()
    assert len(told(scene)) == 1


@pytest.mark.parametrize("error", [UnreadableTable("gone"), EngineError("no", retry=False)])
def test_a_deadline_at_which_nobody_can_look_is_not_evaluated_and_ends_when_data_come(
    scene: Scene, error: Exception
) -> None:
    look(scene, MONDAY)
    scene.engine.errors = [error] * 3
    look(scene, MONDAY + DAY)
    for _ in range(3):
        look(scene, scene.clock() + timedelta(minutes=10))
    scene.engine.errors.clear()
    ((verdict, reason),) = told(scene)[1:]
    assert (verdict, (reason or "").partition(":")[0]) == (Verdict.NOT_EVALUATED, "could not check for new data")
    scene.write("ds=2", "good")
    scene.send(event(at="2026-03-03T06:00:00Z"))
    scene.work()
    assert told(scene)[2:] == [(Verdict.PASSED, "arrived at 2026-03-03 06:00 UTC, on time")]


def test_freshness_is_missed_once_a_silence_and_begins_anew_when_data_come(fresh: Scene) -> None:
    look(fresh, NOON + 4 * HOUR)
    silence = "no data arrived since 2026-03-01 12:00 UTC; last data arrived at 2026-03-01 12:00 UTC"
    assert told(fresh) == [(Verdict.FAILED, silence)]
    look(fresh, NOON + 20 * HOUR)
    assert len(told(fresh)) == 1
    fresh.write("ds=2", "good")
    fresh.clock.now = NOON + 21 * HOUR
    fresh.send(event(at="2026-03-02T09:00:00Z"))
    fresh.work()
    assert told(fresh)[1:] == [(Verdict.PASSED, "arrived at 2026-03-02 09:00 UTC, 17 h late")]
    look(fresh, NOON + 24 * HOUR)
    assert len(told(fresh)) == 2
    look(fresh, NOON + 25 * HOUR)
    assert [verdict for verdict, _ in told(fresh)[2:]] == [Verdict.FAILED]


def test_data_that_keep_coming_are_never_late(fresh: Scene) -> None:
    for hour in range(3, 30, 3):
        fresh.clock.now = NOON + hour * HOUR
        fresh.write(f"ds={hour}", "good")
        fresh.send(event(run=f"{hour}", at=fresh.clock().isoformat()))
        fresh.work()
        look(fresh)
    assert told(fresh) == []


def test_a_new_version_waits_on_for_what_the_old_one_waited_for(scene: Scene) -> None:
    look(scene, MONDAY + DAY)
    with transaction(scene.database) as tx:
        for old in tx.exec(select(ContractVersionRow)):
            old.state = VersionState.SUPERSEDED
        tx.add(version("1.0.1", terms(BY), tx.exec(select(UserRow)).one()))
        tx.commit()
    look(scene)
    scene.write("ds=2", "good")
    scene.clock.advance(7200)
    scene.send(event(at="2026-03-03T08:30:00Z"))
    scene.work()
    (late,) = [run for run in scene.runs if run.kind is RunKind.DEADLINE and run.version == "1.0.1"]
    assert late.reason == "arrived at 2026-03-03 08:30 UTC, 2 h late"


def test_a_version_that_is_over_has_no_deadlines(scene: Scene) -> None:
    with transaction(scene.database) as tx:
        tx.exec(select(ContractVersionRow)).one().state = VersionState.RETIRED
        tx.commit()
    assert look(scene, MONDAY + DAY) == 0
    assert told(scene) == []


def test_a_deadline_whose_version_ended_meanwhile_is_not_judged(scene: Scene) -> None:
    scene.clock.now = MONDAY
    keep_appointments(scene.worker())
    with transaction(scene.database) as tx:
        tx.exec(select(ContractVersionRow)).one().state = VersionState.RETIRED
        tx.commit()
    scene.work()
    assert (scene.last_task.state, scene.last_task.result) == (
        TaskState.DONE,
        {"note": "the version is no longer in force"},
    )


def test_nothing_due_costs_no_writing(scene: Scene) -> None:
    with read_session(scene.database) as tx:
        assert not schedule.waiting(tx, now=NOON + HOUR)
    assert keep_appointments(scene.worker()) == 0


def test_a_service_level_that_means_nothing_keeps_nothing_from_being_watched(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene = promised(engine, tmp_path, FRESH.replace("h,", "moons,") + terms(BY))
    assert "has an unsupported unit" in caplog.text
    look(scene, MONDAY + DAY)
    assert len(told(scene)) == 1


def swept(scene: Scene) -> list[TaskRow]:
    return [
        task for task in rows(scene.database, TaskRow) if str(task.payload.get("why")).startswith("not scanned for")
    ]


@pytest.fixture
def daily(engine: Engine, tmp_path: Path) -> Scene:
    return promised(engine, tmp_path, terms(sweep=24))


def test_files_that_no_event_told_of_are_looked_at_once_a_day(daily: Scene) -> None:
    look(daily, NOON + DAY - HOUR)
    assert swept(daily) == []
    daily.write("ds=2", "good")
    look(daily, NOON + DAY)
    (task,) = swept(daily)
    assert (task.state, task.priority, task.payload["why"]) == (TaskState.DONE, 8, "not scanned for 1 d")
    assert [run.partitions for run in daily.runs] == [["ds=1"], ["ds=2"]]
    assert look(daily, NOON + DAY + HOUR) == 0


def test_files_that_are_what_they_were_are_no_run(daily: Scene) -> None:
    look(daily, NOON + DAY)
    assert daily.last_task.result == {"note": "no changes"}
    assert len(daily.runs) == 1


def test_what_was_looked_at_within_the_day_is_not_swept(daily: Scene) -> None:
    daily.clock.now = NOON + 20 * HOUR
    daily.send(event())
    daily.work()
    look(daily, NOON + DAY)
    assert swept(daily) == []
    look(daily, NOON + 44 * HOUR)
    assert len(swept(daily)) == 1


def test_a_table_that_cannot_be_read_is_swept_once_a_day_too(daily: Scene) -> None:
    daily.engine.errors = [EngineError("no", retry=False)]
    for hours in range(24, 40):
        look(daily, NOON + hours * HOUR)
    assert len(swept(daily)) == 1


def test_a_sweep_and_triggers_are_one_task(daily: Scene) -> None:
    daily.send(event())
    daily.worker().take_in()
    daily.clock.now = NOON + DAY
    keep_appointments(daily.worker())
    daily.work()
    (mark,) = rows(daily.database, PendingValidationRow)
    assert (mark.trigger_sequence, mark.validated_sequence) == (2, 2)
    assert swept(daily) == []


def names(found: Sequence[Any]) -> list[str]:
    return sorted(each.name for each in found)


def test_a_contract_that_wants_no_sweep_has_none(scene: Scene, engine: Engine) -> None:
    assert names(rows(engine, ScheduleEntryRow)) == ["*made", "by 07:30 Europe/Warsaw"]
    assert [run.kind for run in rows(engine, RunRow)] == [RunKind.DATA]


def test_it_is_told_when_data_are_due_and_what_is_missed(engine: Engine, tmp_path: Path) -> None:
    levels = FRESH + "  - {property: latency, value: soon, unit: h}\n"
    scene = promised(engine, tmp_path, levels + terms(BY))
    look(scene, NOON + 4 * HOUR)
    with read_session(engine) as tx:
        by_time, fresh, unwatched = timetable.of_contract(tx, "orders")
    assert (by_time.sentence, by_time.due_at) == (
        "data of orders must arrive by 07:30 Europe/Warsaw on weekdays",
        MONDAY,
    )
    assert (fresh.name, fresh.due_at, fresh.missed_at, fresh.last_arrival_at) == (
        "freshness",
        None,
        NOON + 4 * HOUR,
        NOON,
    )
    assert unwatched.fault == "has a value that is not a number: it is not monitored"


def test_of_a_contract_that_is_not_there_nothing_is_due(engine: Engine) -> None:
    with read_session(engine) as tx:
        assert timetable.of_contract(tx, "lost") == []
