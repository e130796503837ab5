"""The second scan: what it reads, by what the first one told of the whole table, and what both say of texts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.base import operand_of
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.base import CountComponent, CountIfComponent
from treaty.engine.components.operands import FRACTIONAL, INTEGRAL, TEMPORAL, TEXT, Operand
from treaty.engine.components.sketches import HeavyHitters
from treaty.engine.components.text_classes import CLASSES, begins
from treaty.engine.components.text_masks import LONGEST, PatternProfile
from treaty.engine.profile.facts import facts_read_as
from treaty.engine.profile.table_profile import ColumnProfile, TypeReading, part_of, state_of
from treaty.engine.profile.text_traits import traits_of
from treaty.engine.profile.text_types import LEAST_SHARE, InferredTextType, TextTypeCandidate, kind_of, readings
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan

# Of so many distinct values each is counted. Deequ's number: what a histogram on one screen shows.
MOST_COUNTED = 120
_DISCRETE = INTEGRAL | FRACTIONAL | TEMPORAL | {"decimal", "boolean"}


def first_reading(profile: ColumnProfile) -> ColumnProfile:
    """The column of texts as the first scan reads it where hardly any of them is thought to read as anything else: one
    count, in place of one for each class."""
    operand = Operand(sql=begins(quote(profile.column.name)), type="boolean")
    return replace(profile, prefix_count=BoundComponent(CountIfComponent(), (operand,)))


def mistaken(columns: Iterable[ColumnProfile], whole: StateBag) -> list[ColumnProfile]:
    """The columns of which texts enough may read as something else after all: with their classes to be counted."""
    given = ((each, int(state_of(each.prefix_count, whole) or 0)) for each in columns if each.prefix_count)
    return [
        replace(each, prefix_count=None)
        for each, begun in given
        if begun and begun >= LEAST_SHARE * _texts(each, whole)
    ]


def classes_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """The scan that counts the classes of these columns alone."""
    return plan((), beside=(each.classes for each in columns if each.classes))


def _texts(profile: ColumnProfile, whole: StateBag) -> int:
    """How many texts there are."""
    return int(state_of(profile.metrics["mean_length"].parts["present"], whole) or 0)


def _classes(profile: ColumnProfile, whole: StateBag) -> Sequence[int]:
    """How many texts read as each class; () where that is not known. Where most of them do not begin like another
    class they are all counted as the last: too few are of any other for that to matter."""
    known = state_of(profile.classes, whole)
    if known is None and profile.prefix_count:
        return (*(0 for _ in CLASSES[1:]), _texts(profile, whole))
    return known or ()


def second_plan(columns: Iterable[ColumnProfile]) -> Plan | None:
    """The second scan of the columns that `looked_into` returned; None where nothing is left to be read."""
    given = list(columns)
    parts = [part for each in given for tried in each.type_readings for part in (tried.read, tried.padded) if part]
    texts = [each.masks for each in given if each.masks and not each.classified]
    counted = [*texts, *(each.frequent for each in given if each.frequent and each.column.base_type not in TEXT)]
    metrics = [metric for each in given for tried in each.type_readings for metric in tried.metrics.values()]
    metrics += [metric for each in given for metric in each.traits.values()]
    return plan(metrics, beside=(*parts, *counted)) if parts or counted or metrics else None


def with_second_scan(profile: ColumnProfile, whole: StateBag, schema: Schema) -> ColumnProfile:
    """The column as the second scan reads it, by what the first one told of the whole table."""
    if profile.classes:
        known = profile.masks or not profile.values(whole)[1]
        masks = profile.masks if known else part_of(PatternProfile(), operand_of(profile.column.name, schema))
        long = int(profile.value("maximum_length", whole) or 0) >= LONGEST
        traits = traits_of(profile.column.name, schema) if long or (known and _is_untold(profile, whole)) else {}
        return replace(profile, type_readings=_type_readings(profile, whole, schema), masks=masks, traits=traits)
    distinct = profile.value("approx_count_distinct", whole)
    few = distinct is not None and 0 < float(distinct) <= MOST_COUNTED
    if not few or profile.classified or profile.column.base_type not in _DISCRETE:
        return profile
    return replace(profile, frequent=BoundComponent(HeavyHitters(), (_as_text(profile.column),)))


def columns_without_masks(
    columns: Iterable[ColumnProfile], whole: StateBag, schema: Schema
) -> dict[str, ColumnProfile]:
    """By name, the columns of texts whose masks turned out to be too many to tell what all of them have in common: with
    their traits, which are to be counted."""
    open_ = (each for each in columns if not each.traits and _is_untold(each, whole))
    found = (replace(each, traits=traits_of(each.column.name, schema)) for each in open_)
    return {each.column.name: each for each in found if each.traits}


def traits_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """The scan that counts the traits of these columns alone."""
    return plan(metric for each in columns for metric in each.traits.values())


def _is_untold(profile: ColumnProfile, whole: StateBag) -> bool:
    """Whether masks are to be counted, and are not all known."""
    counts, error = profile.mask_counts(whole) if profile.masks else ({"": 0}, 0)
    return bool(error) or not counts


def _as_text(column: Column) -> Operand:
    operand = Operand(sql=quote(column.name), type=column.type)
    zeroed = operand.uncovered() if column.base_type in FRACTIONAL else f"cast({operand.sql} as string)"
    return Operand(sql=zeroed, type="string")


def _type_readings(profile: ColumnProfile, whole: StateBag, schema: Schema) -> tuple[TypeReading, ...]:
    classes, (masks, _) = _classes(profile, whole), profile.mask_counts(whole)
    longest = profile.value("maximum_length", whole)
    sql = quote(profile.column.name)
    found = readings(sql, classes, masks, int(longest) if longest is not None else None)
    return tuple(_try(each, profile.column, schema) for each in found)


def _try(reading: TextTypeCandidate, column: Column, schema: Schema) -> TypeReading:
    whole, sql = reading.kind == "integer", quote(column.name)
    padded = Operand(sql=f"{sql} RLIKE '^[+-]?0[0-9]'", type="boolean")
    return TypeReading(
        reading=reading,
        read=BoundComponent(CountComponent(), (Operand(sql=reading.sql, type=reading.type),)),
        padded=BoundComponent(CountIfComponent(), (padded,)) if whole else None,
        metrics=facts_read_as(column, reading.type, reading.sql, schema),
    )


def with_text_type(profile: ColumnProfile, whole: StateBag) -> ColumnProfile:
    """The column with what its texts read as, by both scans; as it was where they read as nothing but text.

    Of several formats the one that reads most texts; where two read all alike, each is named, and no date is told."""
    classes = _classes(profile, whole)
    counts = [(int(state_of(tried.read, whole) or 0), tried) for tried in profile.type_readings]
    dated = [(count, tried) for count, tried in counts if tried.reading.format]
    most = max((count for count, _ in dated), default=0)
    if dated and most >= LEAST_SHARE * sum(classes):
        return _read(profile, [tried for count, tried in dated if count == most], most / sum(classes), whole)
    plain = next((tried for _, tried in counts if not tried.reading.format), None)
    kind = kind_of(classes) if classes else None
    if kind is None:
        return profile
    if plain is None:
        return replace(
            profile,
            read_as=InferredTextType(kind=kind[0], type="boolean" if kind[0] == "boolean" else "string", share=kind[1]),
        )
    return _read(profile, [plain], kind[1], whole)


def _read(profile: ColumnProfile, tried: Sequence[TypeReading], share: float, whole: StateBag) -> ColumnProfile:
    first = tried[0]
    formats = tuple(each.reading.format for each in tried if each.reading.format)
    padded = int(state_of(first.padded, whole) or 0)
    read_as = InferredTextType(
        kind=first.reading.kind, type=first.reading.type, share=share, formats=formats, padded=padded
    )
    told = first.metrics if len(tried) == 1 and not padded else {}
    return replace(profile, read_as=read_as, metrics={**profile.metrics, **told})
