"""The queue: each task is done once, by whoever holds its lease."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import Session
from support.scenes import NOON, add, rows

from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.queue import task_queue
from treaty.registry.queue.task_queue import ATTEMPTS, LeaseLost
from treaty.registry.tables import TaskRow, UserRow

LEASE = timedelta(seconds=60)
LATER = NOON + LEASE + timedelta(seconds=1)


def put(engine: Engine, key: str = "a", **options: Any) -> TaskRow | None:
    with transaction(engine) as tx:
        task = task_queue.enqueue(
            tx, **({"kind": "draft", "payload": {"n": 1}, "key": key, "now": NOON, "task_id": ids.new()} | options)
        )
        tx.commit()
    return task


def take(engine: Engine, worker: str = "w", now: Any = NOON) -> TaskRow | None:
    with transaction(engine) as tx:
        task = task_queue.claim(tx, worker=worker, now=now, lease=LEASE)
        tx.commit()
    return task


def taken(engine: Engine, **options: Any) -> TaskRow:
    task = take(engine, **options)
    assert task is not None
    return task


def only(engine: Engine) -> TaskRow:
    (task,) = rows(engine, TaskRow)
    return task


def test_a_key_is_accepted_once(engine: Engine) -> None:
    assert put(engine, "a") is not None
    assert put(engine, "a") is None
    assert len(rows(engine, TaskRow)) == 1


def test_a_refused_key_leaves_the_transaction_usable(engine: Engine) -> None:
    put(engine, "a")
    with transaction(engine) as tx:
        for key in ("b", "a", "c"):
            task_queue.enqueue(tx, kind="draft", payload={}, key=key, now=NOON, task_id=ids.new())
        tx.commit()
    assert {task.key for task in rows(engine, TaskRow)} == {"a", "b", "c"}


def test_of_writers_at_the_same_moment_one_enqueues(engine: Engine) -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: put(engine, "same"), range(8)))
    assert sum(task is not None for task in made) == 1


def test_the_most_urgent_then_the_oldest_comes_first(engine: Engine) -> None:
    for key, priority, seconds in [("early", 5, 1), ("late", 5, 2), ("urgent", 1, 3)]:
        put(engine, key, priority=priority, now=NOON + timedelta(seconds=seconds))
    order = [taken(engine, now=LATER).key for _ in range(3)]
    assert order == ["urgent", "early", "late"]
    assert take(engine, now=LATER) is None


def test_a_delayed_task_waits(engine: Engine) -> None:
    put(engine, delay=timedelta(seconds=10))
    assert take(engine, now=NOON + timedelta(seconds=9)) is None
    assert taken(engine, now=NOON + timedelta(seconds=10)).attempts == 1


def test_a_leased_task_is_nobody_elses(engine: Engine) -> None:
    put(engine)
    task = taken(engine, worker="one")
    assert (task.state, task.worker, task.fence, task.lease_expires_at) == (TaskState.RUNNING, "one", 1, NOON + LEASE)
    assert take(engine, worker="two") is None


def test_many_workers_do_each_task_once(engine: Engine) -> None:
    for number in range(24):
        put(engine, str(number))
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda number: take(engine, f"w{number % 3}"), range(30)))
    done = Counter(task.key for task in found if task)
    # A worker that meets only locked rows goes away empty-handed, and would ask again.
    while task := take(engine):
        done[task.key] += 1
    assert done == Counter(map(str, range(24)))


def test_a_finished_task_keeps_its_result(engine: Engine) -> None:
    put(engine)
    task = taken(engine)
    with transaction(engine) as tx:
        task_queue.finish(tx, task.id, task.fence, result={"run": 1}, now=NOON)
        tx.commit()
    done = only(engine)
    assert (done.state, done.result, done.finished_at, done.lease_expires_at) == (
        TaskState.DONE,
        {"run": 1},
        NOON,
        None,
    )


def test_an_expired_lease_is_claimed_anew_under_a_new_fence(engine: Engine) -> None:
    put(engine)
    taken(engine, worker="one")
    again = taken(engine, worker="two", now=LATER)
    assert (again.worker, again.fence, again.attempts) == ("two", 2, 2)


def test_a_heartbeat_keeps_the_lease(engine: Engine) -> None:
    put(engine)
    task = taken(engine)
    with transaction(engine) as tx:
        task_queue.heartbeat(tx, task.id, task.fence, until=LATER + LEASE)
        tx.commit()
    assert take(engine, now=LATER) is None


def finish(tx: Session, task: TaskRow) -> None:
    task_queue.finish(tx, task.id, task.fence, result={}, now=NOON)


def fail(tx: Session, task: TaskRow) -> None:
    task_queue.fail(tx, task.id, task.fence, error="no", now=NOON, retry_at=None)


def beat(tx: Session, task: TaskRow) -> None:
    task_queue.heartbeat(tx, task.id, task.fence, until=LATER)


def release(tx: Session, task: TaskRow) -> None:
    task_queue.release(tx, task.id, task.fence, now=NOON)


@pytest.mark.parametrize("late", [finish, fail, beat, release])
def test_a_zombie_is_refused_and_its_effects_are_undone(engine: Engine, late: Any) -> None:
    put(engine)
    zombie = taken(engine, worker="zombie")
    owner = taken(engine, worker="owner", now=LATER)
    with transaction(engine) as tx:
        tx.add(UserRow(id=ids.new(), name="effect", roles=[], created_at=NOON))
        with pytest.raises(LeaseLost):
            late(tx, zombie)
    assert rows(engine, UserRow) == []
    assert (only(engine).worker, only(engine).state) == ("owner", TaskState.RUNNING)
    with transaction(engine) as tx:
        finish(tx, owner)
        tx.commit()
    assert only(engine).state is TaskState.DONE


def test_nothing_finishes_twice(engine: Engine) -> None:
    put(engine)
    task = taken(engine)
    with transaction(engine) as tx:
        finish(tx, task)
        with pytest.raises(LeaseLost):
            finish(tx, task)


def test_a_failed_attempt_is_tried_again_in_time(engine: Engine) -> None:
    put(engine)
    task = taken(engine)
    with transaction(engine) as tx:
        task_queue.fail(tx, task.id, task.fence, error="down", now=NOON, retry_at=LATER)
        tx.commit()
    assert take(engine) is None
    again = taken(engine, now=LATER)
    assert (again.attempts, again.error) == (2, "down")


def test_a_released_task_was_not_tried(engine: Engine) -> None:
    put(engine)
    task = taken(engine)
    with transaction(engine) as tx:
        release(tx, task)
        tx.commit()
    assert taken(engine).attempts == 1


@pytest.mark.parametrize(("state", "lease"), [(TaskState.RUNNING, NOON), (TaskState.QUEUED, None)])
def test_a_task_whose_workers_all_died_is_buried(engine: Engine, state: TaskState, lease: Any) -> None:
    spent = {"attempts": ATTEMPTS, "fence": 7, "state": state, "lease_expires_at": lease, "available_at": NOON}
    add(engine, TaskRow(id=ids.new(), kind="draft", payload={}, key="a", created_at=NOON, **spent))
    assert take(engine, now=LATER) is None
    with transaction(engine) as tx:
        (dead,) = task_queue.fail_abandoned(tx, now=LATER)
        tx.commit()
    assert (dead.state, dead.fence, dead.finished_at) == (TaskState.FAILED, 8, LATER)
    assert "in attempt 5" in (only(engine).error or "")


@pytest.mark.parametrize(
    ("attempts", "jitter", "seconds"),
    [(1, 0, 30), (2, 0, 60), (3, 0, 120), (4, 0, 240), (7, 0, 1800), (900, 0, 1800), (1, 1, 15), (2, 0.5, 45)],
)
def test_pauses_double_up_to_half_an_hour(attempts: int, jitter: float, seconds: float) -> None:
    assert task_queue.pause(attempts, jitter) == timedelta(seconds=seconds)
