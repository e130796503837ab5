"""The partitions of one column that a program is learned from, in the order in which they came; their statistics."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from engine.avh.stationarity import Cadence, cadence
from engine.avh.statistics import STATISTICS, measured
from engine.avh.summaries import Summary

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Batch:
    """A partition of a column: its name, what is kept of it, and the time of its data where that is known.

    `excluded`: it belongs to an incident that nobody has said to be expected; nothing is learned from it, and nothing
    compared with it."""

    name: str
    summary: Summary
    time: datetime | None = None
    excluded: bool = False


@dataclass(frozen=True, eq=False)
class History:
    """Batches in the order of their runs: in that of their times where all have one, else as given."""

    batches: tuple[Batch, ...] = ()
    known: dict[str, Array] = field(default_factory=dict)

    @staticmethod
    def of(batches: Iterable[Batch]) -> "History":
        """The history of these batches: of several with one name the last one counts."""
        given = tuple({batch.name: batch for batch in batches}.values())
        timed = [(batch.time, at) for at, batch in enumerate(given) if batch.time is not None]
        return History(tuple(given[at] for _, at in sorted(timed)) if len(timed) == len(given) else given)

    @staticmethod
    def with_rows(batches: tuple[Batch, ...], rows: Iterable[dict[str, float | None]]) -> "History":
        """The history of these batches, whose statistics are known already, a row each."""
        return History(batches, _columns(rows))

    @cached_property
    def learned(self) -> tuple[Batch, ...]:
        """What is learned from: neither excluded nor of another type than the newest of these."""
        kept = [batch for batch in self.batches if not batch.excluded]
        return tuple(batch for batch in kept if batch.summary.is_text is kept[-1].summary.is_text)

    @property
    def newest(self) -> Summary | None:
        """The last of what is learned from; None where there is nothing."""
        return self.learned[-1].summary if self.learned else None

    @cached_property
    def compared(self) -> Summary | None:
        """The last of what is learned from that has values: what distances are told from."""
        return next((each.summary for each in reversed(self.learned) if each.summary.present), None)

    @cached_property
    def series(self) -> dict[str, Array]:
        """Every statistic of what is learned from, by name; NaN where a batch has none."""
        return self.known or _columns(self.rows)

    @cached_property
    def rows(self) -> tuple[dict[str, float | None], ...]:
        """The statistics of each batch that is learned from, distances from the last one before that has values."""
        found, before = [], None
        for batch in self.learned:
            found.append(measured(batch.summary, before))
            before = batch.summary if batch.summary.present else before
        return tuple(found)

    @property
    def points(self) -> int:
        """How many batches are learned from."""
        return len(self.learned) or max(map(len, self.known.values()), default=0)

    @cached_property
    def cadence(self) -> Cadence:
        """How often the batches came."""
        return cadence([batch.time for batch in self.batches])

    def arriving(self, summary: Summary) -> dict[str, float | None]:
        """The statistics of a batch that comes next."""
        return measured(summary, self.compared)

    def floor(self, statistic: str) -> float:
        """By how much the statistic moves when something changes in the newest batch that is nothing to speak of."""
        return 0.0 if self.newest is None else STATISTICS[statistic].floor(self.newest)


def _columns(rows: Iterable[dict[str, float | None]]) -> dict[str, Array]:
    listed = list(rows)
    names = listed[0] if listed else ()
    return {name: numpy.array([numpy.nan if row[name] is None else row[name] for row in listed]) for name in names}
