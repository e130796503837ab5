"""Histories of small tables made without Spark: what suggestions are tested on."""

from collections.abc import Mapping, Sequence
from typing import Any

from support.bags import Columns, bag

from contracts.logical_types import Column, Schema
from engine.plan import plan
from engine.profile.profile import History, profile_of, profile_plan
from engine.states import States


def history(types: Mapping[str, str], days: Sequence[Columns]) -> History:
    """The history of a table with these column types, a partition for each of the days; every column may be unique."""
    schema = Schema(tuple(Column(name, kind) for name, kind in types.items()))
    columns = tuple(profile_of(column, schema) for column in schema)
    scanned, counted = profile_plan(columns), plan([each.unique for each in columns if each.unique])
    bags = [_both(bag(scanned, schema, day), bag(counted, schema, day)) for day in days]
    return History(columns, tuple((f"day=2024-01-{at + 1:02d}", each) for at, each in enumerate(bags)))


def _both(left: States, right: States) -> States:
    return States({**left.entries, **right.entries}, left.schema)


def steady(values: Sequence[Any], days: int = 10, column: str = "x") -> list[dict[str, Sequence[Any]]]:
    """The same values each day."""
    return [{column: values}] * days
