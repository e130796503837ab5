"""Handle requests for violating rows: samples and quarantine."""

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from treaty.contracts.document.reader import read as read_contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.errors import EngineError
from treaty.engine.core.filesystems import is_path
from treaty.engine.core.results import ViolationSample
from treaty.engine.protocol.row_requests import QuarantineRequest, QuarantineResult, SampleRequest
from treaty.engine.spark.handlers.requested_checks import of_sample
from treaty.engine.spark.handlers.requested_rows import partition_rows
from treaty.engine.spark.scan import quarantine as writing
from treaty.engine.spark.scan import violating_rows
from treaty.engine.spark.scan.separate_statements import open_datasets
from treaty.engine.spark.sources.readers import schema_of

NOTHING: Mapping[str, str] = MappingProxyType({})


def sample(session: Any, request: SampleRequest) -> tuple[ViolationSample, ...]:
    """Return rows that violate the failed checks. Raises UnreadableTable, ContractError."""
    frame = partition_rows(session, request.source, request.partitions, request.arrivals)
    checks = bind(of_sample(request), schema_of(frame))
    by = request.source.partition_by
    datasets = open_datasets(session, request.datasets)
    return violating_rows.sample(
        frame, checks, request.failed_checks, limit=request.limit, other_datasets=datasets, partition_by=by
    )


def quarantine(session: Any, request: QuarantineRequest) -> QuarantineResult:
    """Write good and violating rows to separate folders. Raises EngineError, UnreadableTable, ContractError."""
    _refuse_overlap(request.source.location, request.target.out)
    frame = partition_rows(session, request.source)
    checks = bind(read_contract(request.contract).object(request.object), schema_of(frame))
    by, datasets = request.source.partition_by, open_datasets(session, request.datasets)
    return writing.quarantine(frame, checks, request.target, other_datasets=datasets, partition_by=by)


def _refuse_overlap(table: str, out: str) -> None:
    """Raise EngineError if the table and the output folder contain each other.

    A folder inside the table would be read as part of it; one around it would replace the table as well."""
    table_path, out_path = (_plain(location) for location in (table, out))
    if is_path(table) and (f"{table_path}/".startswith(f"{out_path}/") or f"{out_path}/".startswith(f"{table_path}/")):
        raise EngineError(f"{out} and the table contain each other: choose a folder outside the table", retry=False)


def _plain(location: str) -> str:
    return os.path.realpath(location.removeprefix("file:")) if ":" not in location[1:] else location.rstrip("/")
