"""Numbers in Prometheus' text format, and counters of one process that several threads count with.

Labels are routes, states, kinds and verdicts: closed words of ours, in which nothing needs escaping; never the name of
a contract, a dataset or a person."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
Labels = tuple[tuple[str, str], ...]


@dataclass
class Counts:
    """A counter of this process: a number for each combination of labels, since the process started.

    `of`: labels that tell this process from others that count for themselves."""

    name: str
    told: str
    of: Labels = ()
    numbers: Counter[Labels] = field(default_factory=Counter)
    lock: Any = field(default_factory=Lock, repr=False)

    def add(self, by: float = 1, **labels: str) -> None:
        """Counts."""
        with self.lock:
            self.numbers[(*self.of, *labels.items())] += by  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        """The numbers as lines of the format."""
        with self.lock:
            found = dict(self.numbers)
        yield from family(self.name, "counter", self.told, found)


def page(lines: Iterable[str]) -> str:
    """The lines as they are sent."""
    return "\n".join((*lines, ""))


def by(name: str, counts: Mapping[Any, float]) -> dict[Labels, float]:
    """The counts, each under its word as the label of that name."""
    return {((name, str(word)),): count for word, count in counts.items()}


def family(name: str, kind: str, told: str, values: Mapping[Labels, float]) -> Iterator[str]:
    """What the numbers are, and a line for each."""
    yield from head(name, kind, told)
    yield from (line(name, labels, value) for labels, value in values.items())


def head(name: str, kind: str, told: str) -> Iterator[str]:
    """What the numbers that follow are."""
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} {kind}"


def line(name: str, labels: Labels, value: float) -> str:
    """One number, whole numbers to their last digit."""
    listed = ",".join(f'{key}="{word}"' for key, word in labels)
    number = str(int(value)) if value == int(value) else repr(value)
    return f"{name}{{{listed}}} {number}" if listed else f"{name} {number}"
