"""Files of states that nothing names are removed, and no other, whatever writers do meanwhile."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from treaty.engine.states.state_files import StoredFile
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.measurements.states.file_collection import RemovedFiles, grace, sweep

START = datetime(2026, 3, 1, tzinfo=UTC)
GRACE = timedelta(hours=10)
NAMES = ("a", "b", "c", "d")


class Killed(BaseException):
    """The process ended here."""


@dataclass
class Shelf:
    """Files with the times that they were written at. `meanwhile` is what others do while the sweep does its steps."""

    clock: Callable[[], datetime]
    files: dict[str, datetime] = field(default_factory=dict)
    meanwhile: Callable[[], None] = lambda: None

    def list_files(self) -> list[StoredFile]:
        found = [StoredFile(name, written) for name, written in self.files.items()]
        self.meanwhile()
        return found

    def write(self, name: str) -> None:
        self.files[name] = self.clock()

    def remove(self, name: str, *, before: datetime) -> int | None:
        self.meanwhile()
        if name not in self.files or self.files[name] >= before:
            return None
        del self.files[name]
        return 7


@dataclass
class Registry:
    """Writers that write files first and name them later, within the grace; rows that are forgotten."""

    now: datetime = START
    named: set[str] = field(default_factory=set)
    writing: dict[str, datetime] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shelf = Shelf(lambda: self.now)

    def act(self, action: str, name: str) -> None:
        """One step of a writer, of time, or of whoever forgets a generation."""
        {"write": self._write, "name": self._name, "forget": self.named.discard, "wait": self._wait}[action](name)

    def _write(self, name: str) -> None:
        self.shelf.write(name)
        self.writing.setdefault(name, self.now)

    def _name(self, name: str) -> None:
        # A writer that took longer than the grace has lost its task.
        if self.now - self.writing.pop(name, START - GRACE) < GRACE:
            self.named.add(name)

    def _wait(self, _: str) -> None:
        self.now += GRACE / 3

    def sweep(self, meanwhile: list[tuple[str, str]]) -> RemovedFiles:
        """Sweeps, while these steps are done one by one."""
        left = iter(meanwhile)
        self.shelf.meanwhile = lambda: self.act(*next(left, ("forget", "nothing")))
        return sweep(self.shelf, self.asked, before=self.now - GRACE)

    def asked(self) -> set[str]:
        self.shelf.meanwhile()
        return set(self.named)


STEPS = st.lists(st.tuples(st.sampled_from(["write", "name", "forget", "wait"]), st.sampled_from(NAMES)), max_size=12)


@pytest.mark.search
@settings(max_examples=300, deadline=None)
@given(rounds=st.lists(st.tuples(STEPS, STEPS), max_size=6))
def test_no_file_that_is_named_is_ever_removed_whoever_writes_meanwhile(
    rounds: list[tuple[list[tuple[str, str]], list[tuple[str, str]]]],
) -> None:
    registry = Registry()
    for steps, meanwhile in rounds:
        for step in steps:
            registry.act(*step)
        registry.sweep(meanwhile)
        assert registry.named <= registry.shelf.files.keys()


@pytest.mark.search
@settings(max_examples=200, deadline=None)
@given(steps=STEPS, ended=st.integers(0, 5))
def test_a_sweep_that_was_killed_is_finished_by_the_next(steps: list[tuple[str, str]], ended: int) -> None:
    registry = Registry()
    for step in steps:
        registry.act(*step)
    registry.writing.clear()
    registry.now += 2 * GRACE
    left = iter(range(ended))

    def end() -> None:
        if next(left, None) is None:
            raise Killed

    registry.shelf.meanwhile = end
    try:
        sweep(registry.shelf, lambda: registry.named, before=registry.now - GRACE)
    except Killed:
        assert registry.named <= registry.shelf.files.keys()
    registry.sweep([])
    assert registry.shelf.files.keys() == registry.named


def test_what_was_removed_is_counted() -> None:
    registry = Registry()
    for name in NAMES:
        registry.act("write", name)
    registry.act("name", "a")
    registry.now += GRACE
    registry.act("write", "b")
    registry.now += timedelta(seconds=1)
    assert registry.sweep([]) == RemovedFiles(2, 14)
    assert set(registry.shelf.files) == {"a", "b"}


@pytest.mark.parametrize("seconds", [60.0, 86400.0])
def test_the_grace_is_longer_than_a_validation_can_take(seconds: float) -> None:
    # The table is read twice where a stored state is damaged, then once for rows of failed checks.
    assert grace(RegistrySettings(engine_timeout_seconds=seconds)) > timedelta(seconds=3 * seconds + 60)
