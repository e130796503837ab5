"""Limits of units of work: which unit has exceeded its own, and whose turn it is."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from treaty.registry.worker.recovery import BATCH, Ending
from treaty.registry.worker.watchdog import TURN_SECONDS, UnitKind, Watchdog


@dataclass
class Seconds:
    """A clock that stands until it is moved."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Iterator[Seconds]:
    return Seconds()


def exceeded(watchdog: Watchdog) -> str | None:
    unit = watchdog.exceeded()
    return unit.key if unit else None


def test_a_unit_exceeds_its_limit_unless_it_makes_progress(seconds: Seconds) -> None:
    watchdog = Watchdog(seconds)
    with watchdog.limit(UnitKind.TASK, "a", 10):
        seconds.now = 9
        assert exceeded(watchdog) is None
        watchdog.renew()
        seconds.now = 18
        assert exceeded(watchdog) is None
        seconds.now = 19
        assert exceeded(watchdog) == "a"
    assert exceeded(watchdog) is None


def test_the_limit_of_a_unit_starts_again_after_one_within_it(seconds: Seconds) -> None:
    handed_over: list[str] = []
    watchdog = Watchdog(seconds)
    with watchdog.limit(UnitKind.JOB, "outer", 10, hand_over=lambda: handed_over.append("outer")):
        with watchdog.limit(UnitKind.MESSAGE, "inner", 20):
            seconds.now = 19
            assert exceeded(watchdog) is None
            seconds.now = 20
            assert exceeded(watchdog) == "inner"
        assert exceeded(watchdog) is None
        seconds.now = 30
        assert exceeded(watchdog) == "outer"
    assert handed_over == ["outer"]


def test_a_request_to_spark_has_another_limit_than_its_task(seconds: Seconds) -> None:
    watchdog = Watchdog(seconds)
    with watchdog.extended(5):
        seconds.now = 6
        assert exceeded(watchdog) is None
    with watchdog.limit(UnitKind.TASK, "a", 10):
        with watchdog.extended(100):
            seconds.now = 105
            assert exceeded(watchdog) is None
        seconds.now = 115
        assert exceeded(watchdog) == "a"


def test_a_suspect_is_alone_for_a_while(seconds: Seconds) -> None:
    watchdog = Watchdog(seconds)
    with watchdog.turn() as first:
        assert first
        assert not watchdog.is_free()
        with watchdog.turn() as second:
            assert not second
        assert not watchdog.is_free()
        seconds.now = TURN_SECONDS
        assert watchdog.is_free()
        with watchdog.turn() as third:
            assert third
            watchdog.leave(third)
            assert watchdog.is_free()
    assert watchdog.is_free()


@pytest.mark.parametrize(
    ("words", "reason", "blamed"),
    [
        ("signal 9", "ended its worker process by signal 9", {"event 1", "event 2", "task 1", "job 1"}),
        ("code 1", "ended its worker process with exit code 1", {"event 1", "event 2", "task 1", "job 1"}),
        ("silent 120", "blocked its worker process for 120 s", {"event 1", "event 2", "task 1", "job 1"}),
        ("overdue event 1 60", "took longer than 60 s", {"event 1"}),
        (f"overdue event {BATCH} 60", "took longer than 60 s", {"event 1", "event 2"}),
        ("overdue job 1 300", "took longer than 300 s", {"job 1"}),
        ("overdue claim task 1800", "took longer than 1800 s", set()),
    ],
)
def test_an_ending_blames_what_may_have_ended_the_process(words: str, reason: str, blamed: set[str]) -> None:
    ending = Ending.parse(words)
    assert ending is not None
    units = [(UnitKind.EVENT, 1), (UnitKind.EVENT, 2), (UnitKind.TASK, 1), (UnitKind.JOB, 1)]
    assert ending.reason == reason
    assert {f"{kind} {key}" for kind, key in units if ending.blames(kind, key)} == blamed


@pytest.mark.parametrize("words", ["", "overdue", "signal", "what else"])
def test_no_ending_is_read_from_other_words(words: str) -> None:
    assert Ending.parse(words) is None
