"""Plan one scan for many analyzers: joint aggregates, groupings, and separate statements."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from treaty.engine.analyzers.bound import BoundAnalyzer, BoundComponent
from treaty.engine.components.base import CountComponent
from treaty.engine.core.hash_key import HashKey
from treaty.engine.states.planning.count_packing import PackedQuery

ROWS = BoundComponent(CountComponent(), ())
# Spark plans a few thousand aggregates at once without trouble; very wide tables are scanned several times.
MOST_AGGREGATES = 2000


class Derivation(NamedTuple):
    """A grouping derived from a finer one.

    `key_positions`: positions of its keys among those of the finer grouping."""

    finer: BoundComponent
    key_positions: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The work of one scan of a table.

    - `scan`: components of one aggregation.
    - `groupings`: components with an aggregation each.
    - `separate`: components with a statement per partition; `whole_table`: components with one statement over all rows.
    - `metrics_by_key`: by component key, phrases of the metrics that need it.
    - `key`: hashes values of classified columns; None means a temporary key."""

    scan: tuple[BoundComponent, ...]
    groupings: tuple[BoundComponent, ...] = ()
    separate: tuple[BoundComponent, ...] = ()
    whole_table: tuple[BoundComponent, ...] = ()
    metrics_by_key: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    key: HashKey | None = field(default=None, compare=False)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Return the keys of the states stored per partition: all except those of the whole table."""
        return frozenset(part.key for part in (*self.scan, *self.groupings, *self.separate))

    @cached_property
    def passing(self) -> frozenset[str]:
        """Return the keys of states with values of classified columns, which are never stored."""
        return frozenset(part.key for part in (*self.scan, *self.groupings, *self.separate) if part.is_transient)

    @cached_property
    def keyed(self) -> frozenset[str]:
        """Return the keys of states that count hashed values, made with the dataset's key."""
        return frozenset(part.key for part in (*self.scan, *self.groupings) if part.keyed)

    @property
    def aggregates(self) -> list[str]:
        """Return the SQL aggregates of the scan, component by component."""
        return [sql for part in self.scan for sql in part.aggregates]

    def chunks(self, most: int = MOST_AGGREGATES) -> list[tuple[BoundComponent, ...]]:
        """Split the scan's components into chunks of at most `most` aggregates; most tables need one."""
        portions: list[list[BoundComponent]] = [[]]
        room = most
        for part in self.scan:
            if len(part.aggregates) > room and portions[-1]:
                portions.append([])
                room = most
            portions[-1].append(part)
            room -= len(part.aggregates)
        return [tuple(portion) for portion in portions]

    def without(self, stored: frozenset[str]) -> "Plan":
        """Return the plan without states that are already stored; the row count is always included."""
        scan, groupings, separate = (
            tuple(part for part in parts if part.key not in stored - {ROWS.key})
            for parts in (self.scan, self.groupings, self.separate)
        )
        return replace(self, scan=scan, groupings=groupings, separate=separate)

    @cached_property
    def derived(self) -> Mapping[str, Derivation]:
        """Return the groupings that are derived from a finer one, by key."""
        derivations = ((part.key, self._finer(part)) for part in self.groupings)
        return {key: derivation for key, derivation in derivations if derivation}

    def _finer(self, part: BoundComponent) -> Derivation | None:
        columns = set(part.aggregates)
        wider = [
            each
            for each in self.groupings
            if each.where == part.where and columns < set(each.aggregates) and len(columns) == len(part.aggregates)
        ]
        if not wider:
            return None
        # The narrowest of the groupings that no other contains: it is computed directly, so nothing is derived twice.
        maximal = [each for each in wider if not any(set(each.aggregates) < set(other.aggregates) for other in wider)]
        finer = min(maximal, key=lambda each: len(each.aggregates))
        return Derivation(finer, tuple(finer.aggregates.index(sql) for sql in part.aggregates))

    def explain(self, partition_by: tuple[str, ...] = ()) -> str:
        """Return the plan as text: one line per aggregate or grouping, with the metrics that need it."""
        by = f" by {', '.join(partition_by)}" if partition_by else ""
        return "\n".join([*self._scans(by), *self._groups(by), *self._separate_lines(by)])

    def _scans(self, by: str) -> Iterator[str]:
        chunks = self.chunks()
        for number, chunk in enumerate(chunks, start=1):
            yield f"scan{by}" if len(chunks) == 1 else f"scan {number} of {len(chunks)}{by}"
            query = PackedQuery.of(chunk)
            yield from self._aggregate_lines(query.rest)
            for word in query.words:
                yield "  counted together:"
                yield from self._aggregate_lines(word.parts)

    def _aggregate_lines(self, parts: Iterable[BoundComponent]) -> Iterator[str]:
        yield from (f"  {sql}{self._for(part)}" for part in parts for sql in part.aggregates)

    def _groups(self, by: str) -> Iterator[str]:
        for part in self.groupings:
            finer = self.derived.get(part.key)
            keys = ", ".join(part.aggregates) + (f" where {part.where}" if part.where else "")
            prefix = f"  from the grouping of {', '.join(finer.finer.aggregates)}:" if finer else f"group{by},"
            yield f"{prefix} {keys}{self._for(part)}"

    def _separate_lines(self, by: str) -> Iterator[str]:
        yield from (f"separately{by}, {part.described}{self._for(part)}" for part in self.separate)
        yield from (f"separately, {part.described}{self._for(part)}" for part in self.whole_table)

    def _for(self, part: BoundComponent) -> str:
        metrics = self.metrics_by_key.get(part.key, ())
        suffix = f" and {len(metrics) - 3} more" if len(metrics) > 3 else ""
        return f"    -- {'; '.join(metrics[:3])}{suffix}" if metrics and part != ROWS else ""


def plan(
    analyzers: Iterable[BoundAnalyzer],
    *,
    of_all: Iterable[BoundAnalyzer] = (),
    components: Iterable[BoundComponent] = (),
) -> Plan:
    """Plan all analyzers together; each component is computed once, and the row count always.

    `of_all`: analyzers of the whole dataset; components that need all rows at once are not computed by partition.
    `components`: further components."""
    bound_analyzers, whole_table = tuple(analyzers), tuple(of_all)
    parts, phrases_by_key = {ROWS.key: ROWS}, dict[str, list[str]]()
    for bound in (*bound_analyzers, *whole_table):
        for part in bound.parts.values():
            parts.setdefault(part.key, part)
            phrases_by_key.setdefault(part.key, []).append(bound.analyzer.phrase)
    parts.update({part.key: part for part in components if part.key not in parts})
    scanned = [part for part in parts.values() if not part.component.needs_own_statement]
    return Plan(
        scan=tuple(part for part in scanned if not part.component.grouping),
        groupings=tuple(part for part in scanned if part.component.grouping),
        separate=_separate_components(bound_analyzers),
        whole_table=_separate_components(whole_table),
        metrics_by_key={key: tuple(dict.fromkeys(phrases)) for key, phrases in phrases_by_key.items()},
    )


def _separate_components(analyzers: Iterable[BoundAnalyzer]) -> tuple[BoundComponent, ...]:
    parts = (part for bound in analyzers for part in bound.parts.values() if part.component.needs_own_statement)
    return tuple({part.key: part for part in parts}.values())
