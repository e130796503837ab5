"""Streams without Spark: numbers for rows, handed over batch by batch as Spark does, also after a crash."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.gates import PROMISED, SCHEMA, Crash
from support.orders import NOW, states

from treaty.contracts.document.model import Contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.disk import Disk
from treaty.engine.core.results import RunResult
from treaty.engine.session.streaming import OnRun, StreamSink, folded
from treaty.engine.spark.handlers.streaming import BatchReading
from treaty.engine.states import bag as bags
from treaty.engine.states.generations import StateFolder


class Rows(dict[str, list[int]]):
    """The numbers of a batch by partition."""

    def persist(self) -> "Rows":
        return self

    def unpersist(self) -> None:
        pass


@dataclass
class Stream:
    """A stream of batches whose checkpoint is told of a batch once its sink has returned."""

    folder: Path
    given: Contract = PROMISED
    done: int = 0
    told: list[tuple[int, RunResult]] = field(default_factory=list)

    def sink(self, disk: Disk | None = None, *, name: str = "orders", on_run: OnRun | None = None, **more: Any) -> Any:
        """The sink of a process that has just begun."""
        store = StateFolder(str(self.folder / "states"), disk or Disk())
        return StreamSink(
            contract=self.given,
            object="orders",
            store=store,
            stream=name,
            read=self.read,
            on_run=on_run or self.keep,
            now=lambda: NOW,
            **more,
        )

    def read(self, rows: Mapping[str, list[int]]) -> BatchReading:
        """What arrived, as the engine answers."""
        found = {name: states(self.given, {"id": numbers}, SCHEMA) for name, numbers in rows.items()}
        return BatchReading(bind(self.given.object("orders"), SCHEMA), found, rows)

    def keep(self, run: RunResult, _: Any, batch: int) -> None:
        """Remembers what was told."""
        self.told.append((batch, run))

    def hand_over(self, batches: list[Rows], disk: Disk | None = None, **more: Any) -> bool:
        """Hands over what the checkpoint has not ended; False where the process ended on its way."""
        sink = self.sink(disk, **more)
        try:
            for at, rows in enumerate(batches[self.done :], start=self.done):
                sink(rows, at)
                self.done = at + 1
        except Crash:
            return False
        return True

    @property
    def store(self) -> StateFolder:
        return StateFolder(str(self.folder / "states"))

    @property
    def last(self) -> int | None:
        """The last batch that is folded."""
        return folded(self.store.current(), "orders")

    @property
    def values(self) -> dict[str, Any]:
        """The folded states by partition."""
        return {name: self._values(entry.bag) for name, entry in self.store.current().entries.items()}

    def _values(self, bag: str) -> Any:
        return bags.unpack(self.store.bag(bag)).values

    def computed(self, batches: list[Rows]) -> dict[str, Any]:
        """The states of all rows of these batches, computed at once."""
        together: dict[str, list[int]] = {}
        for rows in batches:
            for name, numbers in rows.items():
                together.setdefault(name, []).extend(numbers)
        return {name: states(self.given, {"id": rows}, SCHEMA).values for name, rows in together.items()}
