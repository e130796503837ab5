"""Build the states of snapshots from values without Spark, for drafts like the product's."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import datasketches
import numpy
import pyarrow

from treaty.contracts.predicates.parser import quote
from treaty.contracts.schema import Column, Schema
from treaty.engine.analyzers.bound import BoundComponent
from treaty.engine.components.dictionary_encoding import encode_texts
from treaty.engine.components.frequencies import FrequencyTable
from treaty.engine.components.sketches import PARAMETER
from treaty.engine.components.text_classes import CLASSES
from treaty.engine.components.unions.frequent_union import packed_sketch
from treaty.engine.profile.second_scan import (
    columns_without_masks,
    second_plan,
    traits_plan,
    with_second_scan,
    with_text_type,
)
from treaty.engine.profile.table_profile import TableProfile, profile_of, profile_plan
from treaty.engine.profile.text_traits import TRAITS, traits_of
from treaty.engine.profile.value_masks import mask_of
from treaty.engine.states import bag as bags
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import Plan, plan
from treaty.engine.suggestions.declared import worth_counting
from treaty.engine.suggestions.keys.candidates import KeyNames
from treaty.engine.suggestions.parsed_texts import TEXT_FORMS, numbers_of

Values = Sequence[Any]


def history(
    types: Mapping[str, str], days: Sequence[str], snapshots: Sequence[Mapping[str, Any]], table: str
) -> TableProfile:
    """Return the history of these snapshots, with value counts of columns that may be unique."""
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    columns = tuple(profile_of(column, schema) for column in schema)
    profiled = TableProfile(
        columns=columns, partitions=tuple(zip(days, _bags(profile_plan(columns), schema, snapshots), strict=True))
    )
    columns = tuple(with_second_scan(each, profiled.whole, schema) for each in columns)
    if second := second_plan(columns):
        profiled = profiled.with_states(dict(zip(days, _bags(second, schema, snapshots), strict=True)))
    late = columns_without_masks(columns, profiled.whole, schema)
    profiled = profiled.with_states(dict(zip(days, _bags(traits_plan(late.values()), schema, snapshots), strict=True)))
    typed = (with_text_type(late.get(each.column.name, each), profiled.whole) for each in columns)
    profiled = profiled.with_columns(typed)
    counted = plan([each.unique for each in worth_counting(profiled, KeyNames(table)) if each.unique])
    return profiled.with_states({day: _bag(counted, schema, each) for day, each in zip(days, snapshots, strict=True)})


def _bags(plan: Plan, schema: Schema, snapshots: Sequence[Mapping[str, Any]]) -> list[StateBag]:
    return [_bag(plan, schema, each) for each in snapshots]


def _bag(plan: Plan, schema: Schema, snapshot: Mapping[str, Any]) -> StateBag:
    values_by_operand = {quote(name): _present(values) for name, values in snapshot.items()}
    rows = max((len(values) for values in snapshot.values()), default=0)
    pairs = ((part, _operand_values(part, values_by_operand)) for part in (*plan.scan, *plan.groupings))
    states = {
        part.key: STATE_OF[part.component.kind](values) if part.operands else rows
        for part, values in pairs
        if values is not None or not part.operands
    }
    return bags.bag_of_plan(plan, {**states, **_traits(plan, schema, snapshot)}, schema)


def _traits(plan: Plan, schema: Schema, snapshot: Mapping[str, Any]) -> dict[str, int]:
    """Count the texts with each trait, by key of the counting component.

    Only components of the plan are returned."""
    counts = {}
    for name, values in snapshot.items():
        traits = traits_of(name, schema) if name in schema.names and values.dtype == object else {}
        masks = [mask_of(text, longest=None) for text in _present(values)] if traits else []
        for trait in (each for each in TRAITS if each.name in traits):
            parts = traits[trait.name].parts
            counts[parts["evaluated"].key] = len(masks)
            counts[parts["satisfying"].key] = sum(map(trait.has, masks))
    return {key: count for key, count in counts.items() if key in plan.keys}


def _operand_values(part: BoundComponent, listed: Mapping[str, Values]) -> Values | None:
    """Return the values that the component aggregates; None without operands, and if they cannot be computed."""
    if part.component.kind not in STATE_OF or len(part.operands) != 1:
        return None
    sql, type_ = part.operands[0].sql, part.operands[0].type
    if sql in listed:
        return listed[sql] if _fits(type_, listed[sql]) else None
    for form, compute in COMPUTED.items():
        matched = re.fullmatch(form, sql)
        if matched and matched[1] in listed:
            return compute(listed[matched[1]])
    return None


def _fits(type_: str, values: Values) -> bool:
    return not values or (type_ == "string") == isinstance(values[0], str)


def _parsed(values: Values) -> Values:
    numbers = numbers_of(values)
    return numbers[~numpy.isnan(numbers)].tolist()  # type: ignore[no-any-return]


# SQL of an operand over the texts of a column, and how its values are computed from them.
COMPUTED: Mapping[str, Callable[[Values], Values]] = {
    r"char_length\((.+)\)": lambda values: [len(value) for value in values],
    r"try_cast\((.+) as (?:bigint|double)\)": _parsed,
    r"(.+) RLIKE '\^\[\+-\]\?0\[0-9\]'": lambda values: [bool(re.match("[+-]?0[0-9]", each)) for each in values],
}


def _present(values: Any) -> Values:
    if values.dtype == object:
        return [value for value in values.tolist() if value is not None]
    return values[~numpy.isnan(values)].tolist()  # type: ignore[no-any-return]


def _moments(values: Values) -> tuple[int, float, float]:
    numbers = numpy.array(values, dtype=float)
    return (
        (len(numbers), float(numbers.mean()), float(((numbers - numbers.mean()) ** 2).sum()))
        if values
        else (0, 0.0, 0.0)
    )


def _distinct(values: Values) -> bytes:
    sketch = datasketches.hll_sketch(PARAMETER.hll_lg_k, datasketches.tgt_hll_type.HLL_8)
    for value in set(values):
        sketch.update(str(value))
    return bytes(sketch.serialize_compact())


def _quantiles(values: Values) -> bytes:
    sketch = datasketches.kll_doubles_sketch(PARAMETER.kll_k)
    sketch.update(numpy.array(values, dtype=float))
    return bytes(sketch.serialize())


def _heavy(values: Values) -> bytes:
    sketch = datasketches.frequent_strings_sketch(10)
    for value, count in Counter(values).items():
        sketch.update(value, count)
    return packed_sketch(bytes(sketch.serialize()), len(values))


def _frequencies(values: Values) -> Any:
    counts = Counter(map(str, values))
    if not counts:
        return None
    keys, times = pyarrow.array(counts, pyarrow.string()), pyarrow.array(counts.values(), pyarrow.int64())
    return FrequencyTable((encode_texts(pyarrow.table({"k0": keys, "n": times})),))


def _type_counts(values: Values) -> tuple[int, ...]:
    counts = Counter(next((each for each, form in FORMS.items() if form.fullmatch(text)), "other") for text in values)
    return tuple(counts[name] for name in CLASSES)


FORMS = {name: re.compile(form) for name, form in TEXT_FORMS.items()}
STATE_OF: Mapping[str, Callable[[Values], Any]] = {
    "count": len,
    "count_if": sum,
    "type_counts": _type_counts,
    "sum": lambda values: sum(values) if values else None,
    "min": lambda values: min(values, default=None),
    "max": lambda values: max(values, default=None),
    "moments": _moments,
    "distinct": _distinct,
    "quantiles": _quantiles,
    "heavy_hitters": _heavy,
    "pattern_profile": lambda values: _heavy([mask_of(value) for value in values]),
    "frequencies": _frequencies,
}
