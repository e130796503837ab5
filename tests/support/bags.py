"""Bags of states made from plain columns, without Spark: what judging and drafting are tested on."""

from collections.abc import Mapping, Sequence
from typing import Any

from support.oracles import STATE_OF

from contracts.logical_types import Schema
from engine import states
from engine.analyzers.base import BoundComponent
from engine.plan import Plan
from engine.states import States


def bag(plan: Plan, schema: Schema, columns: Mapping[str, Sequence[Any]], failures: Mapping[str, str] | None = None) -> States:
    """The states of the plan's components over the columns; filters are not applied, predicates mean 'above zero'."""
    rows = len(next(iter(columns.values()), ()))
    parts = (*plan.scan, *plan.groupings)
    return states.of(plan, {part.key: _state(part, columns, rows) for part in parts}, schema, failures=failures)


def _state(part: BoundComponent, columns: Mapping[str, Sequence[Any]], rows: int) -> Any:
    named = [operand.sql.strip("`") for operand in part.operands]
    values = columns.get(named[0]) if named else None
    if values is None:
        values = [1] * rows if part.component.kind == "count" else next(iter(columns.values()))
    if part.component.kind == "count" and named:
        values = [value for value in values if value is not None]
    return STATE_OF[part.component.kind](values)
