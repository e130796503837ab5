"""Profiles: what each column looked like in each partition, from the scans' states, and the table's history of it.

Two scans, whatever the number of columns. The first one reads each column as it is; from what it tells of the whole
table follows what the second one reads: texts as the type that they read as, and the distribution of few values."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from contracts.logical_types import Column, Schema
from contracts.predicates import quote
from engine import states as bags
from engine.analyzers.base import operand_of
from engine.analyzers.bound import BoundAnalyzer, BoundComponent
from engine.analyzers.components import Component, Count, CountIf
from engine.analyzers.distinct import Uniqueness
from engine.analyzers.masks import LONGEST, PatternProfile
from engine.analyzers.quantiles import ApproxQuantile
from engine.analyzers.quoting import FRACTIONAL, INTEGRAL, TEMPORAL, TEXT, Operand
from engine.analyzers.reading import TypeCounts
from engine.analyzers.sketches import HeavyHitters, Quantiles
from engine.plan import Plan, plan
from engine.profile.facts import bound, facts_of, facts_read_as
from engine.profile.looks import masks_of
from engine.profile.traits import traits_of
from engine.profile.types import LEAST_SHARE, ReadAs, Reading, kind_of, readings
from engine.results import Value
from engine.states import States

if TYPE_CHECKING:
    from engine.profile.together import Together

# Of so many distinct values each is counted. Deequ's number: what a histogram on one screen shows.
MOST_COUNTED = 120
_DISCRETE = INTEGRAL | FRACTIONAL | TEMPORAL | {"decimal", "boolean"}


@dataclass(frozen=True)
class Tried:
    """A reading of a text column as the second scan tries it: how many texts are read so, and what is told of them.

    `padded`: of whole numbers, how many begin with a zero."""

    reading: Reading
    read: BoundComponent
    padded: BoundComponent | None
    metrics: Mapping[str, BoundAnalyzer]


@dataclass(frozen=True)
class ColumnProfile:
    """What is measured of one column: its facts by name, and the frequent values where they may be shown.

    `classes` and `masks`, of texts: as what they read, and what they look like (masks are counted where the frequent
    values are not all there are, and where they may not be shown). `traits`: the shares of texts that have each
    (`engine.profile.traits`), where masks do not tell them. `tried`: as what the second scan reads
    them; `read_as`: as what they were found to read, where they were: then the facts are those of the values read."""

    column: Column
    metrics: Mapping[str, BoundAnalyzer]
    frequent: BoundComponent | None
    unique: BoundAnalyzer | None
    classes: BoundComponent | None = None
    masks: BoundComponent | None = None
    traits: Mapping[str, BoundAnalyzer] = field(default_factory=dict)
    tried: tuple[Tried, ...] = ()
    read_as: ReadAs | None = None
    classified: bool = False

    def value(self, metric: str, bag: States) -> Value:
        """The metric in these states; None where this column has no such metric or no value."""
        measured = self.metrics.get(metric)
        return self.told(measured, bag) if measured else None

    @staticmethod
    def told(measured: BoundAnalyzer, bag: States) -> Value:
        """What the metric is in these states; None where they do not say."""
        try:
            return measured.value(bag.values)
        except KeyError:
            return None

    def values(self, bag: States) -> tuple[Mapping[str, int], int]:
        """(frequent value as text -> count, greatest error of a count); empty where none are kept.

        Error 0: these are all values. Kept of texts, and of columns of few values (`MOST_COUNTED`)."""
        return HeavyHitters.values(_state(self.frequent, bag))

    def looks(self, bag: States, counted: tuple[Mapping[str, int], int] | None = None) -> tuple[Mapping[str, int], int]:
        """(mask -> count, greatest error of a count): what texts look like; empty for columns that are no text.

        Where no masks were counted they are those of the frequent values (`counted`, where they are known)."""
        if self.masks:
            return HeavyHitters.values(_state(self.masks, bag))
        counts, error = (counted or self.values(bag)) if self.classes else ({}, 0)
        return masks_of(counts), error

    @cached_property
    def quantiles(self) -> Mapping[str, float]:
        """The shares of the metrics that are quantiles."""
        found = {name: measured.analyzer for name, measured in self.metrics.items()}
        return {name: each.quantile for name, each in found.items() if isinstance(each, ApproxQuantile)}

    def ranked(self, bag: States) -> Mapping[str, Value]:
        """All quantiles in these states, from one reading of their sketch."""
        sketch = self.sketch(bag)
        return {name: None if sketch is None else Quantiles.quantile(sketch, at) for name, at in self.quantiles.items()}

    def sketch(self, bag: States) -> Any | None:
        """The KLL sketch of the numbers (dates and times: microseconds since 1970); None where there is none."""
        part = self.metrics["median"].parts.get("ranks") if "median" in self.metrics else None
        state = _state(part, bag)
        return Quantiles.sketch(state) if state else None


def _state(part: BoundComponent | None, bag: States) -> Any:
    entry = bag.entries.get(part.key) if part else None
    return entry.value if entry else None


def profile_of(column: Column, schema: Schema) -> ColumnProfile:
    """What the first scan reads of a column; of one that is classified, only what holds no value of it."""
    shown, text = (column.name,) not in schema.classified, column.base_type in TEXT
    operand = operand_of(column.name, schema) if text else None
    return ColumnProfile(
        column=column,
        metrics=facts_of(column, schema),
        frequent=_part(HeavyHitters(), operand) if shown else None,
        unique=bound(Uniqueness(columns=(column.name,)), schema),
        classes=_part(TypeCounts(), operand),
        masks=None if shown else _part(PatternProfile(), operand),
        classified=not shown,
    )


def _part(component: Component, operand: Operand | None) -> BoundComponent | None:
    return BoundComponent(component, (operand,)) if operand else None


def profile_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """The first scan of all these columns; no grouping."""
    given = list(columns)
    beside = (part for each in given for part in (each.classes, each.frequent, each.masks) if part)
    return plan((measured for each in given for measured in each.metrics.values()), beside=beside)


def second_plan(columns: Iterable[ColumnProfile]) -> Plan | None:
    """The second scan of the columns that `looked_into` returned; None where nothing is left to be read."""
    given = list(columns)
    parts = [part for each in given for tried in each.tried for part in (tried.read, tried.padded) if part]
    texts = [each.masks for each in given if each.masks and not each.classified]
    counted = [*texts, *(each.frequent for each in given if each.frequent and each.column.base_type not in TEXT)]
    metrics = [metric for each in given for tried in each.tried for metric in tried.metrics.values()]
    metrics += [metric for each in given for metric in each.traits.values()]
    return plan(metrics, beside=(*parts, *counted)) if parts or counted or metrics else None


def looked_into(profile: ColumnProfile, whole: States, schema: Schema) -> ColumnProfile:
    """The column as the second scan reads it, by what the first one told of the whole table."""
    if profile.classes:
        known = profile.masks or not profile.values(whole)[1]
        masks = profile.masks if known else _part(PatternProfile(), operand_of(profile.column.name, schema))
        long = int(profile.value("maximum_length", whole) or 0) >= LONGEST
        traits = {} if known and not (long or profile.classified) else traits_of(profile.column.name, schema)
        return replace(profile, tried=_tried(profile, whole, schema), masks=masks, traits=traits)
    distinct = profile.value("approx_count_distinct", whole)
    few = distinct is not None and 0 < float(distinct) <= MOST_COUNTED
    if not few or profile.classified or profile.column.base_type not in _DISCRETE:
        return profile
    return replace(profile, frequent=BoundComponent(HeavyHitters(), (_as_text(profile.column),)))


def _as_text(column: Column) -> Operand:
    operand = Operand(quote(column.name), column.type)
    zeroed = operand.uncovered() if column.base_type in FRACTIONAL else f"cast({operand.sql} as string)"
    return Operand(zeroed, "string")


def _tried(profile: ColumnProfile, whole: States, schema: Schema) -> tuple[Tried, ...]:
    classes, (masks, _) = _state(profile.classes, whole), profile.looks(whole)
    longest = profile.value("maximum_length", whole)
    sql = quote(profile.column.name)
    found = readings(sql, classes or (), masks, int(longest) if longest is not None else None)
    return tuple(_try(each, profile.column, schema) for each in found)


def _try(reading: Reading, column: Column, schema: Schema) -> Tried:
    whole, sql = reading.kind == "integer", quote(column.name)
    padded = Operand(f"{sql} RLIKE '^[+-]?0[0-9]'", "boolean")
    return Tried(
        reading=reading,
        read=BoundComponent(Count(), (Operand(reading.sql, reading.type),)),
        padded=BoundComponent(CountIf(), (padded,)) if whole else None,
        metrics=facts_read_as(column, reading.type, reading.sql, schema),
    )


def settled(profile: ColumnProfile, whole: States) -> ColumnProfile:
    """The column with what its texts read as, by both scans; as it was where they read as nothing but text.

    Of several formats the one that reads most texts; where two read all alike, each is named, and no date is told."""
    classes = _state(profile.classes, whole)
    counts = [(int(_state(tried.read, whole) or 0), tried) for tried in profile.tried]
    dated = [(count, tried) for count, tried in counts if tried.reading.format]
    most = max((count for count, _ in dated), default=0)
    if dated and most >= LEAST_SHARE * sum(classes):
        return _read(profile, [tried for count, tried in dated if count == most], most / sum(classes), whole)
    plain = next((tried for _, tried in counts if not tried.reading.format), None)
    kind = kind_of(classes) if classes else None
    if kind is None:
        return profile
    if plain is None:
        return replace(profile, read_as=ReadAs(kind[0], "boolean" if kind[0] == "boolean" else "string", kind[1]))
    return _read(profile, [plain], kind[1], whole)


def _read(profile: ColumnProfile, tried: Sequence[Tried], share: float, whole: States) -> ColumnProfile:
    first = tried[0]
    formats = tuple(each.reading.format for each in tried if each.reading.format)
    padded = int(_state(first.padded, whole) or 0)
    read_as = ReadAs(first.reading.kind, first.reading.type, share, formats, padded)
    told = first.metrics if len(tried) == 1 and not padded else {}
    return replace(profile, read_as=read_as, metrics={**profile.metrics, **told})


@dataclass(frozen=True)
class History:
    """The profiled columns and the states of each partition, oldest first.

    `sampled`: the share of the rows that was read; below 1 the states say nothing of how many rows or which single
    values there are. `notes`: what could not be read, and why. `together`: what was counted of several columns."""

    columns: tuple[ColumnProfile, ...]
    partitions: tuple[tuple[str, States], ...]
    sampled: float = 1.0
    notes: tuple[str, ...] = field(default=(), compare=False)
    together: "tuple[Together, ...]" = ()

    def part(self, start: int, end: int | None = None) -> "History":
        """The history of some partitions, by position: the same one for the same positions, for putting states together
        is what takes long."""
        return self._parts.setdefault((start, end), replace(self, partitions=self.partitions[start:end]))

    @cached_property
    def _parts(self) -> "dict[tuple[int, int | None], History]":
        return {}

    @cached_property
    def read(self) -> dict[Any, list[Any]]:
        """What was read of the partitions so far, for `engine.profile.measured`."""
        return {}

    @cached_property
    def whole(self) -> States:
        """All partitions together."""
        return bags.merge(bag for _, bag in self.partitions) or States({})

    @property
    def rows(self) -> list[int]:
        """Rows of each partition."""
        return [bag.rows for _, bag in self.partitions]

    def series(self, column: ColumnProfile, metric: str) -> list[Any]:
        """The metric in each partition that has a value of it."""
        values = (column.value(metric, bag) for _, bag in self.partitions)
        return [value for value in values if value is not None]

    def with_columns(self, columns: Iterable[ColumnProfile]) -> "History":
        """The history of the same partitions with these columns; what is known of them together is not put together
        again."""
        made = replace(self, columns=tuple(columns))
        made.__dict__.update({name: self.__dict__[name] for name in ("whole",) if name in self.__dict__})
        return made

    def beside(self, more: Mapping[str, States]) -> "History":
        """The history with the states of another reading of the same partitions."""
        both = tuple((name, bag.beside(more[name]) if name in more else bag) for name, bag in self.partitions)
        return replace(self, partitions=both)


def plain(value: Value) -> int | float | str | None:
    """The value as JSON has it: decimals as floats, None for NaN and infinities."""
    if value is None or isinstance(value, int | str):
        return value
    return float(value) if isfinite(value) else None


def ordered(bags_by_name: Mapping[str, States], names: Sequence[str] = ()) -> tuple[tuple[str, States], ...]:
    """Partitions in the order of their names, oldest first for dates; only `names` where given."""
    return tuple((name, bags_by_name[name]) for name in sorted(bags_by_name) if not names or name in names)
