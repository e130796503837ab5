"""Represent profiles: measurements of each column in each partition, from the states of the scans.

There are two scans, regardless of the number of columns. The first reads each column as it is. Its results for the
whole table determine what the second reads: texts as the type they parse as, and the distribution of columns with
few values. A third scan reads common traits of texts if there are too many masks to derive them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import Any

from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import operand_of
from treaty.engine.analyzers.bound import BoundAnalyzer, BoundComponent
from treaty.engine.analyzers.distinct import Uniqueness
from treaty.engine.analyzers.quantiles import ApproxQuantile
from treaty.engine.components.base import Component
from treaty.engine.components.operands import TEXT, Operand
from treaty.engine.components.sketches import HeavyHitters, QuantileSketch
from treaty.engine.components.text_classes import TypeCounts
from treaty.engine.components.text_masks import PatternProfile
from treaty.engine.components.unions.ranks import Ranks
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import bound, facts_of
from treaty.engine.profile.text_types import InferredTextType, TextTypeCandidate
from treaty.engine.profile.value_masks import masks_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan


@dataclass(frozen=True)
class TypeReading:
    """A type that the second scan tries for a text column: the number of texts that parse, and their metrics.

    `padded`: counts numbers with a leading zero; None for other types."""

    reading: TextTypeCandidate
    read: BoundComponent
    padded: BoundComponent | None
    metrics: Mapping[str, BoundAnalyzer]


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """Measurements of one column.

    `metrics`: facts by name. `frequent`: frequent values, if they may be shown. `formats`: shares of the values of
    the formats with check digits that the column may have, narrowest first. For texts: `classes`: counts by the
    type they parse as; `masks`: counts by shape, if the frequent values are incomplete or must not be shown;
    `prefix_count`: number of texts that begin like another type, counted instead of `classes`; `traits`: shares of
    texts with each trait (`treaty.engine.profile.text_traits`), if masks do not show them; `type_readings`: types
    that the second scan tries; `read_as`: the type found, None for plain text; the facts then describe the parsed
    values."""

    column: Column
    metrics: Mapping[str, BoundAnalyzer]
    frequent: BoundComponent | None
    unique: BoundAnalyzer | None
    formats: Mapping[str, BoundAnalyzer] = field(default_factory=dict)
    classes: BoundComponent | None = None
    prefix_count: BoundComponent | None = None
    masks: BoundComponent | None = None
    traits: Mapping[str, BoundAnalyzer] = field(default_factory=dict)
    type_readings: tuple[TypeReading, ...] = ()
    read_as: InferredTextType | None = None
    classified: bool = False

    def value(self, metric: str, bag: StateBag) -> Value:
        """Return the metric in these states; None if the column has no such metric or no value."""
        measured = self.metrics.get(metric)
        return self.metric_value(measured, bag) if measured else None

    @staticmethod
    def metric_value(measured: BoundAnalyzer, bag: StateBag) -> Value:
        """Return the metric in these states; None if a state is missing."""
        try:
            return measured.value(bag.values)
        except KeyError:
            return None

    def values(self, bag: StateBag) -> tuple[Mapping[str, int], int]:
        """Return (frequent value as text -> count, largest error of a count); empty if not counted.

        Error 0 means that these are all values. Counted for texts, and for columns with few values
        (`second_scan.MOST_COUNTED`)."""
        return HeavyHitters.values(state_of(self.frequent, bag))

    def mask_counts(
        self, bag: StateBag, counted: tuple[Mapping[str, int], int] | None = None
    ) -> tuple[Mapping[str, int], int]:
        """Return (mask -> count, largest error of a count); empty for columns that are not text.

        Without counted masks, those of the frequent values are returned. `counted`: these values if already read."""
        if self.masks:
            return HeavyHitters.values(state_of(self.masks, bag))
        counts, error = (counted or self.values(bag)) if self.classes else ({}, 0)
        return masks_of(counts), error

    @cached_property
    def quantiles(self) -> Mapping[str, float]:
        """Return the share of each metric that is a quantile."""
        analyzers = {name: measured.analyzer for name, measured in self.metrics.items()}
        return {name: each.quantile for name, each in analyzers.items() if isinstance(each, ApproxQuantile)}

    def ranked(self, bag: StateBag) -> Mapping[str, Value]:
        """Return all quantiles in these states, from one read of their sketch."""
        ranks = self.ranks(bag)
        return {name: ranks.quantile(at) if ranks else None for name, at in self.quantiles.items()}

    def sketch(self, bag: StateBag) -> Any | None:
        """Return the state of the numbers' quantiles; None without one."""
        part = self.metrics["median"].parts.get("ranks") if "median" in self.metrics else None
        return state_of(part, bag)

    def ranks(self, bag: StateBag) -> Ranks | None:
        """Return the ranks of the numbers (dates and times: microseconds since 1970); None without numbers."""
        return QuantileSketch.ranks(self.sketch(bag))


def state_of(part: BoundComponent | None, bag: StateBag) -> Any:
    entry = bag.entries.get(part.key) if part else None
    return entry.value if entry else None


def profile_of(column: Column, schema: Schema) -> ColumnProfile:
    """Return what the first scan reads of a column; for a classified one, nothing that contains values."""
    shown, text = (column.name,) not in schema.classified, column.base_type in TEXT
    operand = operand_of(column.name, schema) if text else None
    return ColumnProfile(
        column=column,
        metrics=facts_of(column, schema),
        frequent=part_of(HeavyHitters(), operand) if shown else None,
        unique=bound(Uniqueness(columns=(column.name,)), schema),
        classes=part_of(TypeCounts(), operand),
        masks=None if shown else part_of(PatternProfile(), operand),
        classified=not shown,
    )


def part_of(component: Component, operand: Operand | None) -> BoundComponent | None:
    return BoundComponent(component, (operand,)) if operand else None


def profile_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """Plan the first scan of all these columns; it needs no grouping."""
    profiles = list(columns)
    components = (
        part for each in profiles for part in (each.prefix_count or each.classes, each.frequent, each.masks) if part
    )
    return plan((measured for each in profiles for measured in each.metrics.values()), components=components)


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """The profiled columns with the states of each partition, oldest first.

    `sampled`: share of the rows that was read; below 1 the states do not show the number of rows or the single
    values. `notes`: what could not be read, with the reason. `column_groups`: counts over several columns."""

    columns: tuple[ColumnProfile, ...]
    partitions: tuple[tuple[str, StateBag], ...]
    sampled: float = 1.0
    notes: tuple[str, ...] = field(default=(), compare=False)
    column_groups: "tuple[ColumnGroup, ...]" = ()

    def part(self, start: int, end: int | None = None) -> "TableProfile":
        """Return the profile of some partitions, by position.

        Equal positions return the same object, because merging states is slow."""
        return self._parts.setdefault((start, end), replace(self, partitions=self.partitions[start:end]))

    @cached_property
    def _parts(self) -> "dict[tuple[int, int | None], TableProfile]":
        return {}

    @cached_property
    def read(self) -> dict[Any, list[Any]]:
        """Return the cache of measurements for `treaty.engine.profile.measurements`."""
        return {}

    @cached_property
    def whole(self) -> StateBag:
        """Return the merged states of all partitions."""
        return bags.merge(bag for _, bag in self.partitions) or StateBag({})

    @property
    def rows(self) -> list[int]:
        """Return the number of rows per partition."""
        return [bag.rows for _, bag in self.partitions]

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """Return the metric of the partitions that have a value."""
        values = (column.value(metric, bag) for _, bag in self.partitions)
        return [value for value in values if value is not None]

    def with_columns(self, columns: Iterable[ColumnProfile]) -> "TableProfile":
        """Return the profile with these columns and the same partitions; the merged states are reused."""
        profile = replace(self, columns=tuple(columns))
        profile.__dict__.update({name: self.__dict__[name] for name in ("whole",) if name in self.__dict__})
        return profile

    def with_states(self, more: Mapping[str, StateBag]) -> "TableProfile":
        """Add the states of another scan of the same partitions; return the same profile if there are none."""
        if not more:
            return self
        partitions = tuple((name, bag.union(more[name]) if name in more else bag) for name, bag in self.partitions)
        return replace(self, partitions=partitions)


def plain(value: Value) -> int | float | str | None:
    """Return the value for JSON: decimals as floats, None for NaN and infinities."""
    if value is None or isinstance(value, int | str):
        return value
    return float(value) if isfinite(value) else None


def order_partitions(
    bags_by_name: Mapping[str, StateBag], names: Sequence[str] = ()
) -> tuple[tuple[str, StateBag], ...]:
    """Sort partitions by name, which puts dates oldest first; only `names` if given."""
    return tuple((name, bags_by_name[name]) for name in sorted(bags_by_name) if not names or name in names)


@dataclass(frozen=True)
class ColumnGroup:
    """Counts over several columns for one kind of suggestion.

    `column`: the column concerned; None for the table. `other_columns`: the columns that it is related to."""

    kind: str
    column: str | None
    other_columns: tuple[str, ...]
    measured: BoundAnalyzer
