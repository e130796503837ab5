"""Routes of accepted and rejected lineage events, unmatched datasets and the facet schema."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Request, Response

from treaty.contracts.fingerprint import canonical
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router, anyone
from treaty.registry.api.http.dependencies import Caller, Paging, Reader
from treaty.registry.core.bounded_values import LookupText, Timestamp
from treaty.registry.core.enums import LineageEventState, Permission
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, location
from treaty.registry.lineage.events import event_listing
from treaty.registry.lineage.events.facet import FACET, FACET_VERSION, facet_schema
from treaty.registry.tables import UnmatchedDatasetRow
from treaty.registry.worker.intake import unmatched

router = admission_router(prefix="/lineage", tags=["lineage"])
MEDIA_TYPE = "application/schema+json"
StateFilter = Annotated[LineageEventState | None, Query(description="Only events in this state")]
Producer = Annotated[LookupText | None, Query(description="Only events that this user sent")]
Limit = Annotated[int, Query(ge=1, le=500, description="Maximum number of datasets")]
Since = Annotated[Timestamp | None, Query(description="Only events received at or after this time")]


@router.get("/events")
def list_events(
    by: Caller,
    tx: Reader,
    paging: Paging,
    state: StateFilter = None,
    producer: Producer = None,
    since: Since = None,
) -> schemas.Page[schemas.LineageEventOut]:
    """List accepted lineage events, newest first, with their content and state."""
    _reader(by)
    return presenters.page(_event, event_listing.events(tx, paging, state=state, producer=producer, since=since))


@router.get("/events/counts")
def count_events(by: Caller, tx: Reader) -> schemas.LineageEventCountsOut:
    """Count the events in the inbox and retrieve its lag."""
    _reader(by)
    counts = event_listing.counts(tx)
    return schemas.LineageEventCountsOut(
        events=dict(counts.events),
        duplicates=counts.repeats,
        rejected=dict(counts.refused),
        oldest_received_at=counts.oldest_received_at,
        lag_seconds=counts.lag(clock.now()),
    )


@router.get("/events/rejected")
def list_rejected_events(
    by: Caller, tx: Reader, paging: Paging, producer: Producer = None
) -> schemas.Page[schemas.RejectedEventOut]:
    """List rejected event bodies, newest first, with the reason sent in the response."""
    _reader(by)
    return presenters.page(
        schemas.RejectedEventOut.model_validate, event_listing.refused(tx, paging, producer=producer)
    )


@router.get("/events/rejected/{event_id}")
def get_rejected_event(event_id: UUID, by: Caller, tx: Reader) -> schemas.RejectedEventDetailOut:
    """Retrieve a rejected event.

    The beginning of its body is visible to its sender and to users who may read the audit log."""
    _reader(by)
    row, body = event_listing.refusal(tx, event_id, by)
    return schemas.RejectedEventDetailOut(**dict(schemas.RejectedEventOut.model_validate(row)), body=body)


@router.get("/unmatched-datasets")
def list_unmatched_datasets(by: Caller, tx: Reader, limit: Limit = 100) -> list[schemas.UnmatchedDatasetOut]:
    """List datasets that jobs write and no contract in force covers, most recently written first."""
    _reader(by)
    rows = unmatched.list_unmatched(tx, limit=limit)
    candidates = unmatched.candidate_objects(tx, rows)
    return [_unmatched(each, candidates.get(LineageName(each.namespace, each.name), ())) for each in rows]


@router.get(f"/facets/{FACET_VERSION}/{FACET}.json", response_class=Response)
@admission(authenticate=anyone)
def contract_facet(request: Request) -> Response:
    """Retrieve the JSON Schema of the facet that links a verdict to its contract."""
    schema_url = str(request.url.replace(query=""))
    schema: dict[str, Any] = {"$id": schema_url, **facet_schema()}
    return Response(canonical(schema), media_type=MEDIA_TYPE)


def _reader(by: Principal) -> None:
    """Require a global permission: events name datasets of all contracts, and of none."""
    authentication.require_permission(by, Permission.READ)


def _event(row: Any) -> schemas.LineageEventOut:
    fields = {name: value for name, value in row._mapping.items() if name != "body"}
    return schemas.LineageEventOut(**fields, **vars(event_listing.summarize_event(row.body)))


def _unmatched(row: UnmatchedDatasetRow, contract_objects: Iterable[ContractObject]) -> schemas.UnmatchedDatasetOut:
    job = row.details.get("job") or {}
    columns = (each.get("name") for each in row.details.get("columns", ()))
    return schemas.UnmatchedDatasetOut(
        **row.model_dump(include={"namespace", "name", "first_seen_at", "last_seen_at", "write_count"}),
        location=location(row.namespace, row.name),
        job=f"{job.get('namespace', '')} {job.get('name', '')}".strip(),
        columns=tuple(str(each) for each in columns if each),
        format=row.details.get("format"),
        candidates=tuple((each.contract_id, each.object) for each in contract_objects),
    )
