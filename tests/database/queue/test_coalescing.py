"""However triggers and validations interleave: one task at a time, and a validation begins after every trigger."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from sqlmodel import Session, select
from support.scenes import NOON, contract_in_force

from treaty.registry.core import ids
from treaty.registry.core.database import transaction
from treaty.registry.core.enums import TaskState
from treaty.registry.queue import coalescing, task_queue
from treaty.registry.queue.coalescing import DebouncePolicy, ValidationRequest
from treaty.registry.tables import TaskRow


@dataclass
class Play:
    """Triggers come and a worker works, in any order. `seen` counts the triggers that the last begun work covers."""

    session: Session
    triggers: int = 0
    begun: int = 0
    waiting: list[TaskRow] = field(default_factory=list)
    running: TaskRow | None = None
    seen: int = 0
    covered: int = 0

    def trigger(self) -> None:
        self.triggers += 1
        self.add(coalescing.record_trigger(self.session, subject(f"run {self.triggers}"), now=NOON, task_id=ids.new()))

    def begin(self) -> None:
        if self.waiting and self.running is None:
            self.running = self.waiting.pop()
            self.begun += 1
            self.seen, self.covered = self.triggers, coalescing.sequence(self.session, "orders", "orders")

    def end(self) -> None:
        self.settle(self.covered)

    def die(self) -> None:
        """The work ends without having looked: it covers only what it was made for."""
        self.settle(self.running.payload["seq"] if self.running else 0)

    def settle(self, covered: int) -> None:
        if self.running is not None:
            self.running = None
            after = subject(f"after {self.begun}")
            self.add(coalescing.settle(self.session, after, covered, now=NOON, task_id=ids.new()))

    def add(self, task: TaskRow | None) -> None:
        self.waiting += [task] if task else []
        assert len(self.waiting) + (self.running is not None) <= 1


def subject(cause: str) -> ValidationRequest:
    return ValidationRequest(contract_id="orders", object="orders", cause=cause)


STEPS = {"trigger": Play.trigger, "begin": Play.begin, "end": Play.end, "die": Play.die}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(STEPS)), max_size=20))
def test_no_trigger_is_lost_and_never_two_tasks_wait(scene: Engine, steps: list[str]) -> None:
    with transaction(scene) as tx:
        play = Play(tx)
        for step in steps:
            STEPS[step](play)
        while play.waiting or play.running:
            play.begin()
            play.end()
    assert play.seen == play.triggers
    assert play.begun <= play.triggers


QUIET = timedelta(seconds=10)


@dataclass
class QuietPlay:
    """The same with a clock, where nobody begins before it is time."""

    session: Session
    now: datetime = NOON
    triggers: int = 0
    seen: int = 0
    covered: int = 0
    running: bool = False
    begun: list[datetime] = field(default_factory=list)

    def trigger(self) -> None:
        self.triggers += 1
        by = subject(f"run {self.triggers}")
        coalescing.record_trigger(
            self.session, by, now=self.now, task_id=ids.new(), pace=DebouncePolicy(quiet_period=QUIET)
        )

    def begin(self) -> None:
        task = (
            None if self.running else task_queue.claim(self.session, worker="w", now=self.now, lease=timedelta(hours=9))
        )
        if task is not None:
            self.running = True
            self.begun.append(task.available_at)
            self.seen, self.covered = self.triggers, coalescing.sequence(self.session, "orders", "orders")

    def end(self) -> None:
        if self.running:
            self.running = False
            task = self.session.exec(select(TaskRow).where(TaskRow.state == TaskState.RUNNING)).one()
            task_queue.finish(self.session, task.id, task.fence, result={}, now=self.now)
            after = subject(f"after {len(self.begun)}")
            coalescing.settle(self.session, after, self.covered, now=self.now, task_id=ids.new())

    def wait(self) -> None:
        self.now += timedelta(seconds=3)


QUIET_STEPS = {"trigger": QuietPlay.trigger, "begin": QuietPlay.begin, "end": QuietPlay.end, "wait": QuietPlay.wait}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(sorted(QUIET_STEPS)), max_size=25))
def test_with_a_quiet_time_no_trigger_is_lost_and_none_is_looked_at_too_soon(scene: Engine, steps: list[str]) -> None:
    with transaction(scene) as tx:
        play = QuietPlay(tx)
        for step in steps:
            QUIET_STEPS[step](play)
        for _ in range(20):
            play.begin()
            play.end()
            play.wait()
    assert play.seen == play.triggers
    assert all(later - earlier >= QUIET for earlier, later in pairwise(play.begun))


@pytest.mark.parametrize(("during", "validations"), [(0, 1), (1, 2), (9, 2)])
def test_any_number_of_triggers_during_a_validation_gives_one_more(
    scene: Engine, during: int, validations: int
) -> None:
    with transaction(scene) as tx:
        play = Play(tx)
        play.trigger()
        play.begin()
        for _ in range(during):
            play.trigger()
        play.end()
        play.begin()
        play.end()
    assert (play.begun, play.waiting) == (validations, [])


@pytest.fixture
def scene(engine: Engine) -> Engine:
    contract_in_force(engine)
    return engine
