"""Histories of small tables made without Spark: what suggestions are tested on."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from support.bags import Columns, bag

from treaty.contracts.schema import Column, Schema
from treaty.engine.profile.second_scan import columns_without_masks, with_second_scan
from treaty.engine.profile.table_profile import ColumnProfile, TableProfile, profile_of, profile_plan
from treaty.engine.profile.text_types import NUMBERS, InferredTextType
from treaty.engine.states.bag import StateBag
from treaty.engine.states.planning.scan_plan import plan
from treaty.engine.suggestions.keys.candidates import KeyNames
from treaty.engine.suggestions.kinds.column_group_search import (
    RowSample,
    column_groups,
    sampled_columns,
    with_group_counts,
)
from treaty.engine.suggestions.parsed_texts import TEXT_FORMS


def history(types: Mapping[str, str], days: Sequence[Columns]) -> TableProfile:
    """The history of a table with these column types, a partition for each of the days; every column may be unique."""
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    columns = tuple(profile_of(column, schema) for column in schema)
    scanned, counted = profile_plan(columns), plan([each.unique for each in columns if each.unique])
    bags = [_both(bag(scanned, schema, day), bag(counted, schema, day)) for day in days]
    found = TableProfile(
        columns=columns, partitions=tuple((f"day=2024-01-{at + 1:02d}", each) for at, each in enumerate(bags))
    )
    looked = [with_second_scan(each, found.whole, schema) for each in columns]
    late = columns_without_masks(looked, found.whole, schema)
    told = (late.get(each.column.name, each) for each in looked)
    traits = [
        replace(each, traits=other.traits, frequent=other.frequent, formats=other.formats, **_parsed(other, days))
        for each, other in zip(columns, told, strict=True)
    ]
    few = [each.frequent for each in traits if each.frequent and each.column.base_type != "string"]
    every = (each.traits | each.formats | (each.metrics if each.read_as else {}) for each in traits)
    metrics = (measured for each in every for measured in each.values())
    wanted = plan(metrics, components=few)
    more = {name: bag(wanted, schema, day) for (name, _), day in zip(found.partitions, days, strict=True)}
    return found.with_states(more).with_columns(traits)


def _parsed(column: ColumnProfile, days: Sequence[Columns]) -> dict[str, Any]:
    """The type that texts parse as, and the facts of the numbers that they are."""
    read_as = _read_as(column, days)
    numbers = next((each.metrics for each in column.type_readings if each.reading.kind in NUMBERS), {})
    facts = numbers if read_as and read_as.kind in NUMBERS and not read_as.is_code else {}
    return {"read_as": read_as, "metrics": {**column.metrics, **facts}}


def _read_as(column: ColumnProfile, days: Sequence[Columns]) -> InferredTextType | None:
    """The type that the second scan finds for texts of which all look like a number, a date or a boolean."""
    texts = [value for day in days for value in day[column.column.name] if isinstance(value, str)]
    kind = next(
        (kind for kind, look in TEXT_FORMS.items() if texts and all(re.fullmatch(look, each) for each in texts)), ""
    )
    padded = sum(bool(re.match("[+-]?0[0-9]", each)) for each in texts) if kind in NUMBERS else 0
    return InferredTextType(kind=kind, type=kind, share=1, padded=padded) if kind else None


def related(types: Mapping[str, str], days: Sequence[Columns]) -> TableProfile:
    """The history with what columns promise together, of a sample that is all rows."""
    found = history(types, days)
    names = [each.column.name for each in sampled_columns(found)]
    hashes = {name: [None if v is None else hash(v) for day in days for v in day[name]] for name in names}
    partition = [at for at, day in enumerate(days) for _ in next(iter(day.values()))]
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    wanted = column_groups(found, RowSample.of(hashes, partition), schema, KeyNames("orders"))
    asked = plan([each.measured for each in wanted])
    parts = zip(found.partitions, days, strict=True)
    return with_group_counts(found, wanted, {name: bag(asked, schema, day) for (name, _), day in parts})


def _both(left: StateBag, right: StateBag) -> StateBag:
    return StateBag({**left.entries, **right.entries}, left.schema)


def steady(values: Sequence[Any], days: int = 10, column: str = "x") -> list[dict[str, Sequence[Any]]]:
    """The same values each day."""
    return [{column: values}] * days
