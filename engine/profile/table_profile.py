"""Profiles: what each column looked like in each partition, from the scans' states, and the table's history of it.

Two scans, whatever the number of columns. The first one reads each column as it is; from what it tells of the whole
table follows what the second one reads: texts as the type that they read as, and the distribution of few values. A
third one reads what all texts have in common where there are too many masks to tell it."""

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
from treaty.engine.core.results import Value
from treaty.engine.profile.facts import bound, facts_of
from treaty.engine.profile.text_types import InferredTextType, TextTypeCandidate
from treaty.engine.profile.value_masks import masks_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan


@dataclass(frozen=True)
class TypeReading:
    """A reading of a text column as the second scan tries it: how many texts are read so, and what is told of them.

    `padded`: of whole numbers, how many begin with a zero."""

    reading: TextTypeCandidate
    read: BoundComponent
    padded: BoundComponent | None
    metrics: Mapping[str, BoundAnalyzer]


@dataclass(frozen=True, kw_only=True)
class ColumnProfile:
    """What is measured of one column: its facts by name, and the frequent values where they may be shown.

    `classes` and `masks`, of texts: as what they read, and what they look like (masks are counted where the frequent
    values are not all there are, and where they may not be shown). `prefix_count`: how many begin as if they were no
    mere texts, where that is counted in place of the classes. `traits`: the shares of texts that have each
    (`treaty.engine.profile.text_traits`), where masks do not tell them. `type_readings`: as what the second scan reads
    them; `read_as`: as what they were found to read, where they were: then the facts are those of the values read."""

    column: Column
    metrics: Mapping[str, BoundAnalyzer]
    frequent: BoundComponent | None
    unique: BoundAnalyzer | None
    classes: BoundComponent | None = None
    prefix_count: BoundComponent | None = None
    masks: BoundComponent | None = None
    traits: Mapping[str, BoundAnalyzer] = field(default_factory=dict)
    type_readings: tuple[TypeReading, ...] = ()
    read_as: InferredTextType | None = None
    classified: bool = False

    def value(self, metric: str, bag: StateBag) -> Value:
        """The metric in these states; None where this column has no such metric or no value."""
        measured = self.metrics.get(metric)
        return self.metric_value(measured, bag) if measured else None

    @staticmethod
    def metric_value(measured: BoundAnalyzer, bag: StateBag) -> Value:
        """What the metric is in these states; None where they do not say."""
        try:
            return measured.value(bag.values)
        except KeyError:
            return None

    def values(self, bag: StateBag) -> tuple[Mapping[str, int], int]:
        """(frequent value as text -> count, greatest error of a count); empty where none are kept.

        Error 0: these are all values. Kept of texts, and of columns of few values (`second.MOST_COUNTED`)."""
        return HeavyHitters.values(state_of(self.frequent, bag))

    def mask_counts(
        self, bag: StateBag, counted: tuple[Mapping[str, int], int] | None = None
    ) -> tuple[Mapping[str, int], int]:
        """(mask -> count, greatest error of a count): what texts look like; empty for columns that are no text.

        Where no masks were counted they are those of the frequent values (`counted`, where they are known)."""
        if self.masks:
            return HeavyHitters.values(state_of(self.masks, bag))
        counts, error = (counted or self.values(bag)) if self.classes else ({}, 0)
        return masks_of(counts), error

    @cached_property
    def quantiles(self) -> Mapping[str, float]:
        """The shares of the metrics that are quantiles."""
        found = {name: measured.analyzer for name, measured in self.metrics.items()}
        return {name: each.quantile for name, each in found.items() if isinstance(each, ApproxQuantile)}

    def ranked(self, bag: StateBag) -> Mapping[str, Value]:
        """All quantiles in these states, from one reading of their sketch."""
        sketch = self.sketch(bag)
        return {
            name: None if sketch is None else QuantileSketch.quantile(sketch, at) for name, at in self.quantiles.items()
        }

    def sketch(self, bag: StateBag) -> Any | None:
        """The KLL sketch of the numbers (dates and times: microseconds since 1970); None where there is none."""
        part = self.metrics["median"].parts.get("ranks") if "median" in self.metrics else None
        state = state_of(part, bag)
        return QuantileSketch.sketch(state) if state else None


def state_of(part: BoundComponent | None, bag: StateBag) -> Any:
    entry = bag.entries.get(part.key) if part else None
    return entry.value if entry else None


def profile_of(column: Column, schema: Schema) -> ColumnProfile:
    """What the first scan reads of a column; of one that is classified, only what holds no value of it."""
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
    """The first scan of all these columns; no grouping."""
    given = list(columns)
    beside = (part for each in given for part in (each.prefix_count or each.classes, each.frequent, each.masks) if part)
    return plan((measured for each in given for measured in each.metrics.values()), beside=beside)


@dataclass(frozen=True, kw_only=True)
class TableProfile:
    """The profiled columns and the states of each partition, oldest first.

    `sampled`: the share of the rows that was read; below 1 the states say nothing of how many rows or which single
    values there are. `notes`: what could not be read, and why. `column_groups`: what was counted of several columns."""

    columns: tuple[ColumnProfile, ...]
    partitions: tuple[tuple[str, StateBag], ...]
    sampled: float = 1.0
    notes: tuple[str, ...] = field(default=(), compare=False)
    column_groups: "tuple[ColumnGroup, ...]" = ()

    def part(self, start: int, end: int | None = None) -> "TableProfile":
        """The history of some partitions, by position: the same one for the same positions, for putting states together
        is what takes long."""
        return self._parts.setdefault((start, end), replace(self, partitions=self.partitions[start:end]))

    @cached_property
    def _parts(self) -> "dict[tuple[int, int | None], TableProfile]":
        return {}

    @cached_property
    def read(self) -> dict[Any, list[Any]]:
        """What was read of the partitions so far, for `treaty.engine.profile.measurements`."""
        return {}

    @cached_property
    def whole(self) -> StateBag:
        """All partitions together."""
        return bags.merge(bag for _, bag in self.partitions) or StateBag({})

    @property
    def rows(self) -> list[int]:
        """Rows of each partition."""
        return [bag.rows for _, bag in self.partitions]

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """The metric in each partition that has a value of it."""
        values = (column.value(metric, bag) for _, bag in self.partitions)
        return [value for value in values if value is not None]

    def with_columns(self, columns: Iterable[ColumnProfile]) -> "TableProfile":
        """The history of the same partitions with these columns; what is known of them together is not put together
        again."""
        made = replace(self, columns=tuple(columns))
        made.__dict__.update({name: self.__dict__[name] for name in ("whole",) if name in self.__dict__})
        return made

    def with_states(self, more: Mapping[str, StateBag]) -> "TableProfile":
        """The history with the states of another reading of the same partitions; the same where that read nothing."""
        if not more:
            return self
        both = tuple((name, bag.union(more[name]) if name in more else bag) for name, bag in self.partitions)
        return replace(self, partitions=both)


def plain(value: Value) -> int | float | str | None:
    """The value as JSON has it: decimals as floats, None for NaN and infinities."""
    if value is None or isinstance(value, int | str):
        return value
    return float(value) if isfinite(value) else None


def order_partitions(
    bags_by_name: Mapping[str, StateBag], names: Sequence[str] = ()
) -> tuple[tuple[str, StateBag], ...]:
    """Partitions in the order of their names, oldest first for dates; only `names` where given."""
    return tuple((name, bags_by_name[name]) for name in sorted(bags_by_name) if not names or name in names)


@dataclass(frozen=True)
class ColumnGroup:
    """What is counted of several columns for a kind of suggestion: `column` is the one that it is about, None for the
    table; `other_columns` those that it is told by."""

    kind: str
    column: str | None
    other_columns: tuple[str, ...]
    measured: BoundAnalyzer
