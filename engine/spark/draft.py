"""A draft of a table's contract: one scan for the profile, one grouping a column that may be unique, then suggestions."""

from dataclasses import replace
from typing import Any

from contracts.changes import skeleton
from contracts.logical_types import Schema
from contracts.writing import write
from engine.plan import plan
from engine.profile.holdout import suggest
from engine.profile.profile import History, ordered, profile_of, profile_plan, summary
from engine.profile.suggestions import worth_counting
from engine.requests import Drafted, DraftRequest
from engine.spark import changes
from engine.spark.scan import scan
from engine.spark.sources import read, schema_of
from engine.states import States


def draft(session: Any, request: DraftRequest) -> Drafted:
    """The base document, the suggestions that held, and the profile. Raises Unreadable, ContractError."""
    lies = changes.layout(session, request.source)
    frame = read(session, request.source, folders=request.partitions if lies.folders else ())
    schema = schema_of(frame)
    history = _history(frame, schema, request)
    return Drafted(
        document=write(_skeleton(request, schema)),
        suggestions=tuple(suggest(history, request.object)),
        profile=summary(history),
    )


def _skeleton(request: DraftRequest, schema: Schema) -> dict[str, Any]:
    return skeleton(
        contract_id=request.contract_id,
        name=request.object,
        object_name=request.object,
        physical_name=request.source.location,
        schema=schema,
        partition_by=request.source.partition_by,
        aliases=request.aliases,
    )


def _history(frame: Any, schema: Schema, request: DraftRequest) -> History:
    by = request.source.partition_by
    wanted = [column for column in schema if column.name not in by and column.name in (request.columns or schema.names)]
    columns = tuple(profile_of(column, schema) for column in wanted)
    first = scan(frame, profile_plan(columns), partition_by=by, expected=request.partitions)
    history = History(columns, ordered(first))
    counted = plan([column.unique for column in worth_counting(history) if column.unique])
    if not counted.groupings:
        return history
    second = scan(frame, counted, partition_by=by, expected=tuple(first))
    return replace(history, partitions=tuple((name, _both(bag, second[name])) for name, bag in history.partitions))


def _both(left: States, right: States) -> States:
    return States({**left.entries, **right.entries}, left.schema, {**left.failures, **right.failures})
