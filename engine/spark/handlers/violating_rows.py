"""Handle requests for violating rows: samples and quarantine."""

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from treaty.contracts.document.model import DataObject
from treaty.contracts.document.reader import read as read_contract
from treaty.engine.checks.binding import bind
from treaty.engine.checks.bound_check import BoundChecks
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import is_path
from treaty.engine.core.results import ViolationSample
from treaty.engine.protocol.requests import QuarantineRequest, QuarantineResult, SampleRequest
from treaty.engine.spark.handlers.requested_checks import of_sample
from treaty.engine.spark.scan import quarantine as writing
from treaty.engine.spark.scan import violating_rows
from treaty.engine.spark.scan.separate_statements import open_datasets
from treaty.engine.spark.sources import changes, file_arrivals
from treaty.engine.spark.sources.readers import read, resolve_source, schema_of

NOTHING: Mapping[str, str] = MappingProxyType({})


def sample(session: Any, request: SampleRequest) -> tuple[ViolationSample, ...]:
    """Return rows that violate the failed checks. Raises UnreadableTable, ContractError."""
    frame, checks = _bound(session, request, of_sample(request), request.partitions, request.arrivals)
    by = request.source.partition_by
    datasets = open_datasets(session, request.datasets)
    return violating_rows.sample(
        frame, checks, request.failed_checks, limit=request.limit, other_datasets=datasets, partition_by=by
    )


def quarantine(session: Any, request: QuarantineRequest) -> QuarantineResult:
    """Write good and violating rows to separate folders. Raises EngineError, UnreadableTable, ContractError."""
    _refuse_overlap(request.source.location, request.target.out)
    frame, checks = _bound(session, request, read_contract(request.contract).object(request.object))
    by, datasets = request.source.partition_by, open_datasets(session, request.datasets)
    return writing.quarantine(frame, checks, request.target, other_datasets=datasets, partition_by=by)


def _bound(
    session: Any,
    request: SampleRequest | QuarantineRequest,
    chosen: DataObject,
    names: Sequence[str] = (),
    types: Mapping[str, str] = NOTHING,
) -> tuple[Any, BoundChecks]:
    """Return the frame of the named partitions or arrivals and the bound checks."""
    storage_layout = (
        file_arrivals.layout(request.source, types)
        if types
        else changes.layout(session, request.source)
        if names
        else None
    )
    folders = (
        [folder for name in (*types, *names) for folder in storage_layout.folders.get(name, ())]
        if storage_layout
        else []
    )
    frame = read(session, resolve_source(request.source), names=names, folders=folders)
    return frame, bind(chosen, schema_of(frame))


def _refuse_overlap(table: str, out: str) -> None:
    """Raise EngineError if the table and the output folder contain each other.

    A folder inside the table would be read as part of it; one around it would replace the table as well."""
    table_path, out_path = (_plain(location) for location in (table, out))
    if is_path(table) and (f"{table_path}/".startswith(f"{out_path}/") or f"{out_path}/".startswith(f"{table_path}/")):
        raise EngineError(f"{out} and the table contain each other: choose a folder outside the table", retry=False)


def _plain(location: str) -> str:
    return os.path.realpath(location.removeprefix("file:")) if ":" not in location[1:] else location.rstrip("/")
