"""From analyzers to one scan: which aggregates are asked together, and which groupings stand beside them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from engine.analyzers.bound import BoundAnalyzer, BoundComponent
from engine.analyzers.components import Count

ROWS = BoundComponent(Count(), ())


@dataclass(frozen=True)
class Plan:
    """What one reading of the table computes: `scan` components in one aggregation, `groupings` each in its own."""

    scan: tuple[BoundComponent, ...]
    groupings: tuple[BoundComponent, ...] = ()

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset(part.key for part in (*self.scan, *self.groupings))

    @property
    def aggregates(self) -> list[str]:
        """The SQL aggregates of the scan, component by component."""
        return [sql for part in self.scan for sql in part.aggregates]

    def read(self, values: tuple[Any, ...]) -> dict[str, Any]:
        """The states by component key, from one row of the scan's values in the order of `aggregates`."""
        states, start = {}, 0
        for part in self.scan:
            end = start + len(part.aggregates)
            states[part.key] = part.read(values[start:end])
            start = end
        return states

    def explain(self, partition_by: tuple[str, ...] = ()) -> str:
        """The plan as text: one line an aggregate or grouping."""
        by = f" by {', '.join(partition_by)}" if partition_by else ""
        lines = [f"scan{by}", *(f"  {sql}" for sql in self.aggregates)]
        lines += [f"group{by}, {', '.join(part.aggregates)}" + _condition(part) for part in self.groupings]
        return "\n".join(lines)


def _condition(part: BoundComponent) -> str:
    return f" where {part.where}" if part.where else ""


def plan(analyzers: Iterable[BoundAnalyzer], *, beside: Iterable[BoundComponent] = ()) -> Plan:
    """The plan of all analyzers together: each component once, whoever asks for it; the row count always."""
    wanted = {ROWS.key: ROWS}
    for part in (*(part for bound in analyzers for part in bound.parts.values()), *beside):
        wanted.setdefault(part.key, part)
    parts = wanted.values()
    return Plan(
        scan=tuple(part for part in parts if not part.component.grouping),
        groupings=tuple(part for part in parts if part.component.grouping),
    )
