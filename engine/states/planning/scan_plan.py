"""From analyzers to one scan: which aggregates are asked together, and which groupings stand beside them."""

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
    """A grouping that is read from a finer one: `key_positions` are the positions of its keys among those of the
    finer."""

    finer: BoundComponent
    key_positions: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What one reading of the table computes: `scan` components in one aggregation, `groupings` each in its own.

    `separate` are read by a statement of their own for each partition, `whole_table` by one over all rows there are.
    `metrics_by_key` says in words, by component key, which metrics want it. `key`: what values of classified columns
    are hashed with; None: with one that is forgotten."""

    scan: tuple[BoundComponent, ...]
    groupings: tuple[BoundComponent, ...] = ()
    separate: tuple[BoundComponent, ...] = ()
    whole_table: tuple[BoundComponent, ...] = ()
    metrics_by_key: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    key: HashKey | None = field(default=None, compare=False)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Of the states that are kept of each partition: all but those read of the whole table."""
        return frozenset(part.key for part in (*self.scan, *self.groupings, *self.separate))

    @cached_property
    def passing(self) -> frozenset[str]:
        """Of the states that hold values of classified columns: they are never stored."""
        return frozenset(part.key for part in (*self.scan, *self.groupings, *self.separate) if part.is_transient)

    @cached_property
    def keyed(self) -> frozenset[str]:
        """Of the states that count values by hashes with the dataset's key."""
        return frozenset(part.key for part in (*self.scan, *self.groupings) if part.keyed)

    @property
    def aggregates(self) -> list[str]:
        """The SQL aggregates of the scan, component by component."""
        return [sql for part in self.scan for sql in part.aggregates]

    def chunks(self, most: int = MOST_AGGREGATES) -> list[tuple[BoundComponent, ...]]:
        """The scan's components in portions of at most `most` aggregates, each scanned at once: one for most tables."""
        portions: list[list[BoundComponent]] = [[]]
        room = most
        for part in self.scan:
            if len(part.aggregates) > room and portions[-1]:
                portions.append([])
                room = most
            portions[-1].append(part)
            room -= len(part.aggregates)
        return [tuple(portion) for portion in portions]

    def without(self, held: frozenset[str]) -> "Plan":
        """What is left to compute where the states of these keys are there; the rows are counted again with it."""
        scan, groupings, apart = (
            tuple(part for part in parts if part.key not in held - {ROWS.key})
            for parts in (self.scan, self.groupings, self.separate)
        )
        return replace(self, scan=scan, groupings=groupings, separate=apart)

    @cached_property
    def derived(self) -> Mapping[str, Derivation]:
        """By key, the groupings that need no reading: another one of the same rows has all their keys and more."""
        found = ((part.key, self._finer(part)) for part in self.groupings)
        return {key: derivation for key, derivation in found if derivation}

    def _finer(self, part: BoundComponent) -> Derivation | None:
        wanted = set(part.aggregates)
        wider = [
            each
            for each in self.groupings
            if each.where == part.where and wanted < set(each.aggregates) and len(wanted) == len(part.aggregates)
        ]
        if not wider:
            return None
        # The narrowest of the widest that nothing else holds: it is read itself, so nothing is derived twice.
        asked = [each for each in wider if not any(set(each.aggregates) < set(other.aggregates) for other in wider)]
        finer = min(asked, key=lambda each: len(each.aggregates))
        return Derivation(finer, tuple(finer.aggregates.index(sql) for sql in part.aggregates))

    def explain(self, partition_by: tuple[str, ...] = ()) -> str:
        """The plan as text: one line an aggregate or grouping, with the metrics that want it."""
        by = f" by {', '.join(partition_by)}" if partition_by else ""
        return "\n".join([*self._scans(by), *self._groups(by), *self._separate_lines(by)])

    def _scans(self, by: str) -> Iterator[str]:
        chunks = self.chunks()
        for number, chunk in enumerate(chunks, start=1):
            yield f"scan{by}" if len(chunks) == 1 else f"scan {number} of {len(chunks)}{by}"
            question = PackedQuery.of(chunk)
            yield from self._aggregate_lines(question.rest)
            for word in question.words:
                yield "  counted at once:"
                yield from self._aggregate_lines(word.parts)

    def _aggregate_lines(self, parts: Iterable[BoundComponent]) -> Iterator[str]:
        yield from (f"  {sql}{self._for(part)}" for part in parts for sql in part.aggregates)

    def _groups(self, by: str) -> Iterator[str]:
        for part in self.groupings:
            finer = self.derived.get(part.key)
            keys = ", ".join(part.aggregates) + (f" where {part.where}" if part.where else "")
            how = f"  from the grouping of {', '.join(finer.finer.aggregates)}:" if finer else f"group{by},"
            yield f"{how} {keys}{self._for(part)}"

    def _separate_lines(self, by: str) -> Iterator[str]:
        yield from (f"apart{by}, {part.described}{self._for(part)}" for part in self.separate)
        yield from (f"apart, {part.described}{self._for(part)}" for part in self.whole_table)

    def _for(self, part: BoundComponent) -> str:
        askers = self.metrics_by_key.get(part.key, ())
        more = f" and {len(askers) - 3} more" if len(askers) > 3 else ""
        return f"    -- {'; '.join(askers[:3])}{more}" if askers and part != ROWS else ""


def plan(
    analyzers: Iterable[BoundAnalyzer],
    *,
    of_all: Iterable[BoundAnalyzer] = (),
    beside: Iterable[BoundComponent] = (),
) -> Plan:
    """The plan of all analyzers together: each component once, whoever asks for it; the row count always.

    `of_all` are asked of the whole dataset: what can only be read of all rows at once is not read by partition."""
    each, whole = tuple(analyzers), tuple(of_all)
    wanted, askers = {ROWS.key: ROWS}, dict[str, list[str]]()
    for bound in (*each, *whole):
        for part in bound.parts.values():
            wanted.setdefault(part.key, part)
            askers.setdefault(part.key, []).append(bound.analyzer.phrase)
    wanted.update({part.key: part for part in beside if part.key not in wanted})
    scanned = [part for part in wanted.values() if not part.component.needs_own_statement]
    return Plan(
        scan=tuple(part for part in scanned if not part.component.grouping),
        groupings=tuple(part for part in scanned if part.component.grouping),
        separate=_separate_components(each),
        whole_table=_separate_components(whole),
        metrics_by_key={key: tuple(dict.fromkeys(phrases)) for key, phrases in askers.items()},
    )


def _separate_components(analyzers: Iterable[BoundAnalyzer]) -> tuple[BoundComponent, ...]:
    parts = (part for bound in analyzers for part in bound.parts.values() if part.component.needs_own_statement)
    return tuple({part.key: part for part in parts}.values())
