"""Whose turn it is: urgency, lines of producers, one worker a dataset, and a second life for what was given up."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import select
from support.events import event
from support.scenes import NOON, Scene, add, contract_in_force, orders, rows, user

from treaty.engine.core import clock
from treaty.engine.core.errors import EngineError
from treaty.engine.core.results import Verdict
from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import Role, SubscriptionState, TaskState
from treaty.registry.core.errors import Conflict
from treaty.registry.queue import priorities, task_queue
from treaty.registry.queue.task_queue import Priority
from treaty.registry.tables import LineageEventRow, SubscriptionRow, TaskRow
from treaty.registry.worker.database_clock import DatabaseClock

LEASE = timedelta(seconds=60)


def put(engine: Engine, key: str, priority: int = Priority.NORMAL, kind: str = "draft", **payload: Any) -> None:
    with transaction(engine) as tx:
        task_queue.enqueue(tx, kind=kind, payload=payload, key=key, now=NOON, task_id=ids.new(), priority=priority)
        tx.commit()


def take(engine: Engine, now: datetime = NOON) -> TaskRow | None:
    with transaction(engine) as tx:
        task = task_queue.claim(tx, worker="w", now=now, lease=LEASE)
        tx.commit()
    return task


def end(engine: Engine, task: TaskRow) -> None:
    with transaction(engine) as tx:
        task_queue.finish(tx, task.id, task.fence, result={}, now=NOON)
        tx.commit()


def served(engine: Engine) -> list[str]:
    """The keys of what waits, in the order in which one worker does it."""
    keys = []
    while task := take(engine):
        keys.append(task.key)
        end(engine, task)
    return keys


def aged(priority: int, waited: timedelta) -> int:
    """A step more urgent with every `AGES`, until it is as urgent as any."""
    return max(priority - waited // task_queue.AGES, 0)


def test_whoever_waits_longer_becomes_no_less_urgent_and_in_the_end_as_urgent_as_any(engine: Engine) -> None:
    moment = timedelta(microseconds=1)
    ages = [step * task_queue.AGES + off for step in range(max(Priority) + 2) for off in (-moment, 0 * moment, moment)][
        1:
    ]
    waiting = {f"{each.name} {age}": (each, age) for each in Priority for age in ages}
    with transaction(engine) as tx:
        for key, (priority, age) in waiting.items():
            task_queue.enqueue(
                tx, kind="draft", payload={}, key=key, now=NOON - age, task_id=ids.new(), priority=priority
            )
        tx.commit()
        found = dict(tx.exec(select(TaskRow.key, task_queue._urgency(NOON))).all())
    assert found == {key: aged(*each) for key, each in waiting.items()}
    for each in Priority:
        line = [found[f"{each.name} {age}"] for age in ages]
        assert (line[0], line[-1]) == (each, 0)
        assert line == sorted(line, reverse=True)


def test_what_waits_is_served_by_its_urgency_and_what_is_as_urgent_as_any_by_its_age(engine: Engine) -> None:
    minutes = {"new": 0, "an hour": 60, "two hours": 120, "a day": 1440}
    waiting = {
        f"{each.name} {name}": (each, timedelta(minutes=at)) for each in Priority for name, at in minutes.items()
    }
    with transaction(engine) as tx:
        for key, (priority, age) in waiting.items():
            task_queue.enqueue(
                tx, kind="draft", payload={}, key=key, now=NOON - age, task_id=ids.new(), priority=priority
            )
        tx.commit()
    found = [(aged(*waiting[key]), waiting[key]) for key in served(engine)]
    assert [urgent for urgent, _ in found] == sorted(urgent for urgent, _ in found)
    oldest = [age for urgent, (_, age) in found if urgent == 0]
    assert oldest == sorted(oldest, reverse=True)


def test_nothing_waits_for_ever_behind_what_keeps_coming(engine: Engine) -> None:
    put(engine, "upkeep", Priority.UPKEEP)
    for step in range(1, 12):
        now, done = NOON + step * task_queue.AGES, set()
        with transaction(engine) as tx:
            for each in range(2):
                task_queue.enqueue(tx, kind="draft", payload={}, key=f"{step}-{each}", now=now, task_id=ids.new(),
                              priority=Priority.DRAFT)  # fmt: skip
            tx.commit()
        task = take(engine, now)
        assert task is not None
        done.add(task.key)
        end(engine, task)
        if "upkeep" in done:
            return
    pytest.fail("the upkeep of the day was never done")


def test_what_people_wait_for_comes_first_and_what_nobody_waits_for_last(engine: Engine) -> None:
    for each in sorted(Priority, key=lambda one: one.name):
        put(engine, each.name, each)
    assert served(engine) == ["DRAFT", "BLOCKING", "NORMAL", "ORPHAN", "SWEEP", "UPKEEP"]


def test_who_sends_much_waits_behind_themselves_alone(engine: Engine) -> None:
    for number in range(4):
        put(engine, f"much-{number}", producer="much")
    for number in range(2):
        put(engine, f"little-{number}", producer="little")
    assert served(engine) == ["much-0", "little-0", "much-1", "little-1", "much-2", "much-3"]


def test_who_comes_anew_is_not_behind_all_that_was_sent_before(engine: Engine) -> None:
    for number in range(4):
        put(engine, f"much-{number}", producer="much")
    first = take(engine)
    assert first is not None
    end(engine, first)
    put(engine, "new", producer="new")
    put(engine, "much-4", producer="much")
    assert served(engine) == ["much-1", "new", "much-2", "much-3", "much-4"]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["a", "b", "c", "serve"]), max_size=30))
def test_lines_that_wait_all_the_time_are_served_in_turns(engine: Engine, steps: list[str]) -> None:
    with transaction(engine) as tx:
        waiting: Counter[str] = Counter()
        ahead: dict[str, Counter[str]] = {each: Counter() for each in "abc"}
        for number, step in enumerate([*steps, *["serve"] * len(steps)]):
            if step != "serve":
                payload = {"producer": step}
                task_queue.enqueue(tx, kind="draft", payload=payload, key=f"{number}", now=NOON, task_id=ids.new())
                waiting[step] += 1
            elif task := task_queue.claim(tx, worker="w", now=NOON, lease=LEASE):
                waiting[task.producer] -= 1
                ahead[task.producer].clear()
                for each in ahead.keys() - {task.producer}:
                    ahead[each][task.producer] += 1 if waiting[each] else 0
                    # Who has just come may wait for one of each line, and for one that came at the same turn.
                    assert ahead[each][task.producer] <= 2
        assert not +waiting


def test_a_dataset_is_validated_by_one_worker_at_a_time(engine: Engine) -> None:
    contract_in_force(engine)
    for number in range(2):
        put(engine, f"orders-{number}", kind="validate", contract_id="orders", object="orders")
    put(engine, "other", kind="validate", contract_id="lost", object="lines")
    first, second = take(engine), take(engine)
    assert first is not None
    assert second is not None
    assert [first.key, second.key, take(engine)] == ["orders-0", "other", None]
    end(engine, first)
    third = take(engine)
    assert third is not None
    assert third.key == "orders-1"


def test_a_worker_that_fell_silent_holds_no_dataset(engine: Engine) -> None:
    contract_in_force(engine)
    for number in range(2):
        put(engine, f"orders-{number}", kind="validate", contract_id="orders", object="orders")
    assert take(engine) is not None
    later = NOON + LEASE + timedelta(seconds=1)
    again = take(engine, later)
    assert again is not None
    assert (again.key, again.fence) == ("orders-0", 2)
    assert take(engine, later) is None


def test_workers_that_claim_at_once_never_have_one_dataset_together(engine: Engine) -> None:
    contract_in_force(engine)
    for number in range(12):
        put(engine, f"orders-{number}", kind="validate", contract_id="orders", object="orders")
    with ThreadPoolExecutor(6) as pool:
        found = [task for task in pool.map(lambda _: take(engine), range(12)) if task]
    assert len(found) == 1


def test_it_is_told_how_many_tasks_wait_for_a_worker(engine: Engine) -> None:
    for key in "abc":
        put(engine, key)
    take(engine)
    with transaction(engine) as tx:
        task_queue.enqueue(tx, kind="draft", payload={}, key="d", now=NOON, task_id=ids.new(), delay=LEASE)
        assert [task_queue.waiting(tx, now=NOON, most=most) for most in (1, 9)] == [1, 2]


def test_the_longer_the_queue_the_longer_the_quiet_time(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(priorities, "HIGH_WATER", 2)
    seen = []
    for number in range(8):
        with transaction(engine) as tx:
            seen.append(priorities.quiet(tx, timedelta(seconds=5), now=NOON).total_seconds())
        put(engine, f"{number}")
    assert seen == [5, 5, 10, 10, 20, 20, 40, 40]


@pytest.mark.parametrize(
    ("usual", "doublings", "seconds"), [(0, 0, 0), (0, 1, 10), (5, 6, 320), (5, 7, 600), (5, 8, 600), (3600, 3, 3600)]
)
def test_a_quiet_time_is_doubled_up_to_ten_minutes(usual: int, doublings: int, seconds: int) -> None:
    assert priorities.widened(timedelta(seconds=usual), doublings).total_seconds() == seconds


@pytest.mark.parametrize(("state", "priority"), [("active", Priority.BLOCKING), ("ended", Priority.NORMAL)])
def test_what_somebody_builds_on_is_more_urgent(scene: Scene, state: str, priority: Priority) -> None:
    reader = user(scene.database, Role.CONSUMER)
    subscription = SubscriptionRow(
        id=ids.new(), contract_id="orders", user_id=reader.id, purpose="p", contact="c", created_at=NOON,
        state=SubscriptionState(state),
    )  # fmt: skip
    add(scene.database, subscription)
    scene.send(event())
    scene.work()
    assert scene.last_task.priority == priority


def test_a_validation_that_was_given_up_is_done_when_it_is_tried_anew(scene: Scene) -> None:
    scene.engine.errors = [EngineError("no", retry=False)]
    scene.send(event())
    scene.work()
    with transaction(scene.database) as tx:
        task_queue.retry(tx, tx.get_one(TaskRow, scene.last_task.id), now=scene.clock())
        tx.commit()
    scene.work()
    assert [run.verdict for run in scene.runs] == [Verdict.NOT_EVALUATED, Verdict.PASSED]
    assert (scene.last_task.state, scene.last_task.error) == (TaskState.DONE, None)


@pytest.mark.parametrize("state", [TaskState.QUEUED, TaskState.RUNNING, TaskState.DONE])
def test_only_what_was_given_up_is_tried_anew(engine: Engine, state: TaskState) -> None:
    task = TaskRow(id=ids.new(), kind="draft", payload={}, key="a", state=state, created_at=NOON, available_at=NOON)
    add(engine, task)
    with transaction(engine) as tx, pytest.raises(Conflict, match=f"The task is {state.value}"):
        task_queue.retry(tx, tx.get_one(TaskRow, task.id), now=NOON)


def test_an_event_knows_the_run_that_it_was_folded_into(scene: Scene) -> None:
    scene.send(event("START"), event())
    scene.work()
    sent = [row for row in rows(scene.database, LineageEventRow) if row.producer == "spark"]
    assert {str(row.lineage_run_id) for row in sent} == {scene.last_task.payload["lineage_run_id"]}


def test_the_time_is_the_database_s(engine: Engine) -> None:
    wrong = timedelta(hours=3)

    there = DatabaseClock(engine, lambda: clock.now() - wrong)
    ahead = there.adjust()
    if engine.dialect.name == "sqlite":
        assert ahead == timedelta(0)
        return
    assert abs(ahead - wrong) < timedelta(seconds=5)
    assert abs(there() - clock.now()) < timedelta(seconds=5)


@pytest.fixture
def scene(engine: Engine, tmp_path: Path) -> Scene:
    return orders(engine, tmp_path)
