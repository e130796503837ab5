"""A table's draft: one scan for the profile, one grouping for each column that may be unique, then suggestions."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contracts.changes import skeleton
from contracts.classification import inherit, marked
from contracts.document import DataObject
from contracts.errors import nearest
from contracts.logical_types import Schema
from contracts.reading import read as read_contract
from contracts.writing import write
from engine.plan import plan
from engine.profile.holdout import suggest
from engine.profile.profile import History, ordered, profile_of, profile_plan, summary
from engine.profile.suggestions import worth_counting
from engine.requests import Drafted, DraftRequest, EngineError
from engine.spark import changes
from engine.spark.scan import scan
from engine.spark.sources import read, schema_of
from engine.states import States


def draft(session: Any, request: DraftRequest) -> Drafted:
    """The base document, the suggestions that held, and the profile. Raises Unreadable, EngineError."""
    folders = _folders(changes.layout(session, request.source), request.partitions)
    frame = read(session, request.source, names=request.partitions, folders=folders)
    schema, before = schema_of(frame), _before(request)
    _refuse_unknown("column", request.columns, schema.names)
    history = _history(frame, marked(before, schema) if before else schema, request)
    return Drafted(
        document=write(_skeleton(request, schema)),
        suggestions=tuple(suggest(history, request.object)),
        profile=summary(history),
    )


def _before(request: DraftRequest) -> DataObject | None:
    """What the version in force says of the table; None where there is none, or where it does not speak of it."""
    objects = read_contract(request.in_force).objects if request.in_force else ()
    return next((each for each in objects if each.name == request.object), None)


def _folders(lies: changes.Layout, wanted: Sequence[str]) -> list[str]:
    if lies.folders:
        _refuse_unknown("partition", wanted, tuple(lies.folders))
    return [folder for name in wanted for folder in lies.folders.get(name, ())]


def _refuse_unknown(what: str, wanted: Sequence[str], known: Sequence[str]) -> None:
    unknown = [f"{name} {nearest(name, known)}".strip() for name in wanted if name not in known]
    if unknown:
        raise EngineError(f"the table has no {what} {', '.join(unknown)}; it has: {', '.join(known)}", retry=False)


def _skeleton(request: DraftRequest, schema: Schema) -> dict[str, Any]:
    drafted = skeleton(
        contract_id=request.contract_id,
        name=request.object,
        object_name=request.object,
        physical_name=request.source.location,
        schema=schema,
        partition_by=request.source.partition_by,
        aliases=request.aliases,
    )
    entries = read_contract(request.in_force).document["schema"] if request.in_force else ()
    for before in (each for each in entries if each.get("name") == request.object):
        inherit(drafted["schema"][0], before)
    return drafted


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
