"""Figures of benchmarks with their units and goals."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Line:
    """A figure with its unit. `goal`: its upper limit; None means none."""

    name: str
    figure: float
    goal: float | None
    unit: str

    @property
    def text(self) -> str:
        """Return the figure with its goal, as printed."""
        goal_text = "" if self.goal is None else f"; goal <= {self.goal:g}: {self._verdict}"
        return f"{self.name:48} {self.figure:9.3f} {self.unit}{goal_text}"

    @property
    def _verdict(self) -> str:
        return "met" if self.goal is not None and self.figure <= self.goal else "MISSED"


def lines(parts: Mapping[str, Callable[..., Iterator[Line]]], only: Sequence[str], *arguments: Any) -> list[Line]:
    """Return the figures of the selected parts, printing each when available."""
    figures = []
    for name in only:
        for line in parts[name](*arguments):
            print(line.text, flush=True)
            figures.append(line)
    return figures
