"""Compute the metrics of uncertain checks exactly: the handler of `ExactRequest`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from treaty.contracts.document.reader import read as read_contract
from treaty.engine.checks.binding import bind
from treaty.engine.core.results import ExactValue, MetricKey
from treaty.engine.protocol.row_requests import ExactRequest
from treaty.engine.spark.handlers.requested_rows import all_rows, partition_rows
from treaty.engine.spark.scan import exact_metrics
from treaty.engine.spark.sources import changes
from treaty.engine.spark.sources.readers import resolve_source, schema_of


def exact_values(session: Any, request: ExactRequest) -> dict[MetricKey, ExactValue]:
    """Return the exact metrics, by metric and partition.

    Those without an exact form are left out, and those of rows that are no longer the evaluated ones. Raises
    UnreadableTable, ContractError."""
    chosen, values = read_contract(request.contract).object(request.object), dict[MetricKey, ExactValue]()
    for reading in _readings(session, request):
        checks = bind(chosen, schema_of(reading.frame))
        computed = exact_metrics.exact_values(reading.frame, checks, reading.uncertain, request.source.partition_by)
        values |= {(metric, reading.arrival or name): value for (metric, name), value in computed.items()}
    return values


@dataclass(frozen=True)
class RowReading:
    """Rows to read, with the checks to compute on them.

    `arrival`: the arrival that all of these rows are; None if partition columns distinguish them."""

    frame: Any
    uncertain: Mapping[str, Sequence[str | None]]
    arrival: str | None = None


def _readings(session: Any, request: ExactRequest) -> Iterator[RowReading]:
    changed = _changed(session, request)
    uncertain_checks = {
        check_id: [name for name in names if name not in changed and (name is not None or not changed)]
        for check_id, names in request.uncertain_checks.items()
    }
    named = {check_id: [name for name in names if name is not None] for check_id, names in uncertain_checks.items()}
    names = sorted({name for some in named.values() for name in some})
    for arrival in names if request.arrivals else ():
        frame = partition_rows(session, request.source, arrivals={arrival: request.arrivals[arrival]})
        yield RowReading(frame, _all_of_frame(named, arrival), arrival)
    if names and not request.arrivals:
        frame = partition_rows(session, request.source, names if request.source.partition_by else ())
        yield RowReading(frame, named)
    if over_all := _all_of_frame(uncertain_checks, None):
        yield RowReading(_all_rows(session, request), over_all)


def _changed(session: Any, request: ExactRequest) -> set[str]:
    """Return the partitions that have other files than those that were evaluated; a pinned version has none."""
    evaluated = request.fingerprints
    if not evaluated or request.source.version is not None:
        return set()
    current = changes.layout(session, request.source).fingerprints
    if current.keys().isdisjoint(evaluated):
        return set()
    return {name for name in current.keys() | evaluated.keys() if current.get(name) != evaluated.get(name)}


def _all_of_frame(uncertain_checks: Mapping[str, Sequence[str | None]], name: str | None) -> dict[str, tuple[None]]:
    """Return the checks that are uncertain on that partition, over all rows of a frame."""
    return {check_id: (None,) for check_id, names in uncertain_checks.items() if name in names}


def _all_rows(session: Any, request: ExactRequest) -> Any:
    replaced = changes.layout(session, request.source).fingerprints if request.target_table else ()
    return all_rows(session, resolve_source(request.source), request.target_table, replaced)
