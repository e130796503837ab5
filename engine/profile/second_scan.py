"""Plan the second scan from the first, and derive the types of texts from both."""

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
from treaty.engine.profile.checked_formats import formats_of
from treaty.engine.profile.facts import facts_read_as
from treaty.engine.profile.table_profile import ColumnProfile, TypeReading, part_of, state_of
from treaty.engine.profile.text_traits import traits_of
from treaty.engine.profile.text_types import (
    LEAST_SHARE,
    NUMBERS,
    InferredTextType,
    TextTypeCandidate,
    kind_of,
    readings,
)
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan

# Columns with at most this many distinct values get exact counts; Deequ's number, what a histogram on one screen shows.
MOST_COUNTED = 120
_DISCRETE = INTEGRAL | FRACTIONAL | TEMPORAL | {"decimal", "boolean"}


def first_reading(profile: ColumnProfile) -> ColumnProfile:
    """Return the text column with a single count instead of one per text class.

    Used for the first scan if hardly any text is expected to parse as another type."""
    operand = Operand(sql=begins(quote(profile.column.name)), type="boolean")
    return replace(profile, prefix_count=BoundComponent(CountIfComponent(), (operand,)))


def mistaken(columns: Iterable[ColumnProfile], whole: StateBag) -> list[ColumnProfile]:
    """Return the columns in which enough texts may parse as another type; their classes must be counted."""
    counted = ((each, int(state_of(each.prefix_count, whole) or 0)) for each in columns if each.prefix_count)
    return [
        replace(each, prefix_count=None)
        for each, prefixed in counted
        if prefixed and prefixed >= LEAST_SHARE * _texts(each, whole)
    ]


def classes_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """Plan a scan that only counts the text classes of these columns."""
    return plan((), components=(each.classes for each in columns if each.classes))


def _texts(profile: ColumnProfile, whole: StateBag) -> int:
    """Return the number of texts."""
    return int(state_of(profile.metrics["mean_length"].parts["present"], whole) or 0)


def _classes(profile: ColumnProfile, whole: StateBag) -> Sequence[int]:
    """Return the number of texts per class; empty if unknown.

    If only prefixes were counted, all texts count as plain text, because too few belong to another class."""
    counts = state_of(profile.classes, whole)
    if counts is None and profile.prefix_count:
        return (*(0 for _ in CLASSES[1:]), _texts(profile, whole))
    return counts or ()


def second_plan(columns: Iterable[ColumnProfile]) -> Plan | None:
    """Plan the second scan of the columns returned by `with_second_scan`; None if nothing is left to read."""
    profiles = list(columns)
    parts = [
        part for each in profiles for reading in each.type_readings for part in (reading.read, reading.padded) if part
    ]
    texts = [each.masks for each in profiles if each.masks and not each.classified]
    counted = [*texts, *(each.frequent for each in profiles if each.frequent and each.column.base_type not in TEXT)]
    metrics = [metric for each in profiles for reading in each.type_readings for metric in reading.metrics.values()]
    metrics += [metric for each in profiles for metric in (*each.traits.values(), *each.formats.values())]
    return plan(metrics, components=(*parts, *counted)) if parts or counted or metrics else None


def with_second_scan(profile: ColumnProfile, whole: StateBag, schema: Schema) -> ColumnProfile:
    """Return the column with what the second scan reads, given the first scan's states."""
    return replace(_with_values(profile, whole, schema), formats=formats_of(profile, whole, schema))


def _with_values(profile: ColumnProfile, whole: StateBag, schema: Schema) -> ColumnProfile:
    if profile.classes:
        masks_suffice = profile.masks or not profile.values(whole)[1]
        masks = profile.masks if masks_suffice else part_of(PatternProfile(), operand_of(profile.column.name, schema))
        long = int(profile.value("maximum_length", whole) or 0) >= LONGEST
        traits = (
            traits_of(profile.column.name, schema) if long or (masks_suffice and _is_untold(profile, whole)) else {}
        )
        return replace(profile, type_readings=_type_readings(profile, whole, schema), masks=masks, traits=traits)
    distinct = profile.value("approx_count_distinct", whole)
    few = distinct is not None and 0 < float(distinct) <= MOST_COUNTED
    if not few or profile.classified or profile.column.base_type not in _DISCRETE:
        return profile
    return replace(profile, frequent=BoundComponent(HeavyHitters(), (_as_text(profile.column),)))


def columns_without_masks(
    columns: Iterable[ColumnProfile], whole: StateBag, schema: Schema
) -> dict[str, ColumnProfile]:
    """Return the text columns whose masks are too many, by name, with traits to count.

    Masks that are not completely known cannot show what all texts have in common."""
    incomplete = (each for each in columns if not each.traits and _is_untold(each, whole))
    with_traits = (replace(each, traits=traits_of(each.column.name, schema)) for each in incomplete)
    return {each.column.name: each for each in with_traits if each.traits}


def traits_plan(columns: Iterable[ColumnProfile]) -> Plan:
    """Plan a scan that only counts the traits of these columns."""
    return plan(metric for each in columns for metric in each.traits.values())


def _is_untold(profile: ColumnProfile, whole: StateBag) -> bool:
    """Return whether the masks to count are not completely known."""
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
    candidates = readings(sql, classes, masks, int(longest) if longest is not None else None)
    return tuple(_try(each, profile.column, schema) for each in candidates)


def _try(reading: TextTypeCandidate, column: Column, schema: Schema) -> TypeReading:
    sql = quote(column.name)
    padded = Operand(sql=f"{sql} RLIKE '^[+-]?0[0-9]'", type="boolean")
    return TypeReading(
        reading=reading,
        read=BoundComponent(CountComponent(), (Operand(sql=reading.sql, type=reading.type),)),
        padded=BoundComponent(CountIfComponent(), (padded,)) if reading.kind in NUMBERS else None,
        metrics=facts_read_as(column, reading.type, reading.sql, schema),
    )


def with_text_type(profile: ColumnProfile, whole: StateBag) -> ColumnProfile:
    """Return the column with the type that its texts parse as; unchanged for plain text.

    Of several date formats the one that parses most texts is used. If several parse equally many, all are named and
    no date facts are reported."""
    classes = _classes(profile, whole)
    counts = [(int(state_of(reading.read, whole) or 0), reading) for reading in profile.type_readings]
    dated = [(count, reading) for count, reading in counts if reading.reading.format]
    largest = max((count for count, _ in dated), default=0)
    if dated and largest >= LEAST_SHARE * sum(classes):
        return _read(profile, [reading for count, reading in dated if count == largest], largest / sum(classes), whole)
    plain = next((reading for _, reading in counts if not reading.reading.format), None)
    kind = kind_of(classes) if classes else None
    if kind is None:
        return profile
    if plain is None:
        return replace(
            profile,
            read_as=InferredTextType(kind=kind[0], type="boolean" if kind[0] == "boolean" else "string", share=kind[1]),
        )
    return _read(profile, [plain], kind[1], whole)


def _read(profile: ColumnProfile, readings: Sequence[TypeReading], share: float, whole: StateBag) -> ColumnProfile:
    first = readings[0]
    formats = tuple(each.reading.format for each in readings if each.reading.format)
    padded = int(state_of(first.padded, whole) or 0)
    read_as = InferredTextType(
        kind=first.reading.kind, type=first.reading.type, share=share, formats=formats, padded=padded
    )
    metrics = first.metrics if len(readings) == 1 and not read_as.is_code else {}
    return replace(profile, read_as=read_as, metrics={**profile.metrics, **metrics})
