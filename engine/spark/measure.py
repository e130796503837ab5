"""The states of what changed in a table: the answer to the registry's `MeasureRequest`."""

from collections.abc import Sequence
from typing import Any

from contracts.logical_types import Schema
from contracts.reading import read as read_contract
from engine.checks import bind
from engine.files import StateFiles
from engine.requests import Measured, MeasureRequest
from engine.spark import changes
from engine.spark.scan import scan
from engine.spark.sources import read, schema_of


def measure(session: Any, request: MeasureRequest) -> Measured:
    """The packed states of every partition that changed since `known`. Raises Unreadable, ContractError."""
    lies = changes.layout(session, request.source)
    if not lies.folders:
        return _measure_whole(session, request, lies)
    changed = lies.changed(request.known)
    vanished = tuple(sorted(request.known.keys() - lies.fingerprints.keys()))
    if not changed:
        return Measured(schema=Schema(()), fingerprints=lies.fingerprints, states={}, vanished=vanished)
    frame = read(session, request.source, folders=changed)
    states = _states(frame, request, changed)
    return Measured(schema=schema_of(frame), fingerprints=lies.fingerprints, states=states, vanished=vanished)


def _measure_whole(session: Any, request: MeasureRequest, lies: changes.Layout) -> Measured:
    """Partitions that are columns, or none: the files tell only that something changed, so all is read again."""
    marker = lies.fingerprints.get("", "")
    if request.known and set(request.known.values()) == {marker}:
        return Measured(schema=Schema(()), fingerprints=dict(request.known), states={})
    frame = read(session, request.source)
    states = _states(frame, request, [])
    vanished = tuple(sorted(request.known.keys() - states.keys()))
    return Measured(
        schema=schema_of(frame), fingerprints=dict.fromkeys(states, marker), states=states, vanished=vanished
    )


def _states(frame: Any, request: MeasureRequest, expected: Sequence[str]) -> dict[str, bytes]:
    checks = bind(read_contract(request.contract).object(request.object), schema_of(frame))
    found = scan(frame, checks.plan, partition_by=request.source.partition_by, expected=expected)
    files = StateFiles(request.state_url) if request.state_url else None
    return {name: bag.pack(files) for name, bag in found.items()}
