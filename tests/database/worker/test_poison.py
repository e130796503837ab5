"""Work that kills its worker or never ends is parked with the reason, whatever its kind, and all other work goes on."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from support.events import event
from support.poison import send, supervised, url, work_of_each_kind
from support.poison_worker import POISON, SOUND, TRIES
from support.scenes import add, orders, rows

from treaty.registry.core import ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import connect
from treaty.registry.core.enums import LineageEventState, OutboxState, TaskKind, TaskState
from treaty.registry.lineage.events import event_store
from treaty.registry.notifications.delivery import SENDERS
from treaty.registry.tables import AuditEntryRow, LineageEventRow, OutboxMessageRow, PeriodicJobRow, TaskRow, UserRow
from treaty.registry.worker.intake import event_processing
from treaty.registry.worker.periodic import DUTIES

REASONS = {
    "kill": "ended its worker process by signal 9, in attempt 3",
    "hang": "took longer than 1 s, in attempt 3",
    "freeze": "blocked its worker process for 0.8 s, in attempt 3",
}


@pytest.mark.parametrize("harm", ["kill", "hang"])
def test_work_of_every_kind_is_parked_and_the_rest_goes_on(engine: Engine, tmp_path: Path, harm: str) -> None:
    work_of_each_kind(engine)
    endings, reason = supervised(engine, tmp_path, harm), REASONS[harm]
    events = {(POISON in each.body.decode(), each.state, each.error) for each in rows(engine, LineageEventRow)}
    assert events == {(True, LineageEventState.PARKED, reason), (False, LineageEventState.PROCESSED, None)}
    assert {each.key: (each.state, each.error) for each in rows(engine, TaskRow)} == {
        f"{kind} {word}": ended
        for kind in TaskKind
        for word, ended in ((POISON, (TaskState.FAILED, reason)), (SOUND, (TaskState.DONE, None)))
    }
    assert {each.key: (each.state, each.error) for each in rows(engine, OutboxMessageRow)} == {
        f"{kind} {word}": ended
        for kind in SENDERS
        for word, ended in ((POISON, (OutboxState.DEAD, reason)), (SOUND, (OutboxState.SENT, None)))
    }
    paused = {each.name: each.error for each in rows(engine, PeriodicJobRow) if each.paused_until}
    assert paused == {each.name: reason for each in DUTIES}
    assert Counter(each.action for each in rows(engine, AuditEntryRow)) == {
        AuditAction.EVENT_PARKED: 1,
        AuditAction.TASK_FAILED: len(TaskKind),
        AuditAction.MESSAGE_FAILED: len(SENDERS),
        AuditAction.JOB_PAUSED: len(DUTIES),
    }
    # The event, a task and a message of each kind, and each job ended as many processes as it may.
    assert len(endings) >= TRIES * (1 + len(TaskKind) + len(SENDERS) + len(DUTIES))


def test_an_event_that_lets_no_other_thread_run_is_parked(engine: Engine, tmp_path: Path) -> None:
    for run in (SOUND, POISON):
        send(engine, run)
    supervised(engine, tmp_path, "freeze")
    events = {POISON in each.body.decode(): (each.state, each.error) for each in rows(engine, LineageEventRow)}
    assert events == {
        True: (LineageEventState.PARKED, REASONS["freeze"]),
        False: (LineageEventState.PROCESSED, None),
    }


def test_others_write_while_an_event_is_parsed(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, parse_event, other = orders(engine, tmp_path), event_processing.model.parse_event, connect(url(engine))

    def meanwhile(document: Any) -> Any:
        with other.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("pragma busy_timeout=100")
        user = UserRow(id=ids.new(), name="other", roles=[], created_at=scene.clock())
        add(other, user)
        return parse_event(document)

    scene.send(event())
    monkeypatch.setattr(event_processing.model, "parse_event", meanwhile)
    assert scene.worker().take_in()
    other.dispose()
    assert "other" in {each.name for each in rows(engine, UserRow)}
    assert {each.state for each in rows(engine, LineageEventRow)} == {LineageEventState.PROCESSED}


class Killed(BaseException):
    """The process ends here, and nobody tells the next one."""


def test_an_event_whose_workers_vanish_is_parked_when_its_attempts_have_ended(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, parsed = orders(engine, tmp_path), event_processing._parsed

    def vanish(row: LineageEventRow) -> Any:
        if POISON.encode() in row.body:
            raise Killed
        return parsed(row)

    monkeypatch.setattr(event_processing, "_parsed", vanish)
    scene.send(event(run=SOUND), event(run=POISON))
    for attempt in range(event_store.TRIES):
        with pytest.raises(Killed):
            scene.worker(name=f"w{attempt}").take_in()
        assert not scene.worker().take_in() or attempt == 0
        scene.clock.advance(61)
    while scene.worker().take_in():
        pass
    events = {POISON in each.body.decode(): each for each in rows(engine, LineageEventRow)}
    assert (events[True].state, events[True].attempts, events[True].error) == (
        LineageEventState.PARKED,
        3,
        "ended with its worker, in attempt 3",
    )
    assert events[False].state is LineageEventState.PROCESSED
