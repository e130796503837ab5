"""Routes of lineage events: accepted ones, refused bodies, how many wait, and the schema of the facet."""

from collections.abc import Iterable
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import AwareDatetime

from treaty.contracts.fingerprint import canonical
from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.dependencies import Caller, Paging, Reader
from treaty.registry.core.enums import LineageEventState, Permission
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.datasets.names import LineageName, location
from treaty.registry.lineage.events import event_listing
from treaty.registry.lineage.events.facet import FACET, FACET_VERSION, facet_schema
from treaty.registry.tables import UnmatchedDatasetRow
from treaty.registry.worker.intake import unmatched

router = APIRouter(prefix="/lineage", tags=["lineage"])
MEDIA_TYPE = "application/schema+json"
Since = Annotated[AwareDatetime | None, Query(description="only events that were received from then on")]


@router.get("/events")
def list_events(
    by: Caller,
    tx: Reader,
    asked: Paging,
    state: LineageEventState | None = None,
    producer: str | None = None,
    since: Since = None,
) -> schemas.Page[schemas.LineageEventOut]:
    """Accepted events, newest first: what each is about and what became of it."""
    _reader(by)
    return presenters.page(_event, event_listing.events(tx, asked, state=state, producer=producer, since=since))


@router.get("/events/counts")
def count_events(by: Caller, tx: Reader) -> schemas.LineageEventCountsOut:
    """How many events lie in the inbox, and how far it is behind."""
    _reader(by)
    found = event_listing.counts(tx)
    return schemas.LineageEventCountsOut(
        events=dict(found.events),
        duplicates=found.repeats,
        rejected=dict(found.refused),
        oldest_received_at=found.oldest_received_at,
        lag_seconds=found.lag(clock.now()),
    )


@router.get("/events/rejected")
def list_rejected_events(
    by: Caller, tx: Reader, asked: Paging, producer: str | None = None
) -> schemas.Page[schemas.RejectedEventOut]:
    """Bodies that were refused, newest first, with the reason that their senders were told."""
    _reader(by)
    return presenters.page(schemas.RejectedEventOut.model_validate, event_listing.refused(tx, asked, producer=producer))


@router.get("/events/rejected/{event_id}")
def get_rejected_event(event_id: UUID, by: Caller, tx: Reader) -> schemas.RejectedEventDetailOut:
    """A refused body; how it begins is told to its sender and to who reads the audit."""
    _reader(by)
    row, body = event_listing.refusal(tx, event_id, by)
    return schemas.RejectedEventDetailOut(**dict(schemas.RejectedEventOut.model_validate(row)), body=body)


@router.get("/unmatched-datasets")
def list_unmatched_datasets(
    by: Caller, tx: Reader, limit: Annotated[int, Query(ge=1, le=500)] = 100
) -> list[schemas.UnmatchedDatasetOut]:
    """Datasets that runs write and no contract in force is about, what was written last first."""
    _reader(by)
    rows = unmatched.list_unmatched(tx, limit=limit)
    meant = unmatched.candidate_objects(tx, rows)
    return [_unmatched(each, meant.get(LineageName(each.namespace, each.name), ())) for each in rows]


@router.get(f"/facets/{FACET_VERSION}/{FACET}.json", response_class=Response)
def contract_facet(request: Request) -> Response:
    """The JSON Schema of the facet that says which contract a verdict is about."""
    where = str(request.url.replace(query=""))
    schema: dict[str, Any] = {"$id": where, **facet_schema()}
    return Response(canonical(schema), media_type=MEDIA_TYPE)


def _reader(by: Principal) -> None:
    """Events name datasets of all contracts, and of none."""
    authentication.require_permission(by, Permission.READ)


def _event(row: Any) -> schemas.LineageEventOut:
    kept = {name: value for name, value in row._mapping.items() if name != "body"}
    return schemas.LineageEventOut(**kept, **vars(event_listing.summarize_event(row.body)))


def _unmatched(row: UnmatchedDatasetRow, meant: Iterable[ContractObject]) -> schemas.UnmatchedDatasetOut:
    job = row.details.get("job") or {}
    columns = (each.get("name") for each in row.details.get("columns", ()))
    return schemas.UnmatchedDatasetOut(
        **row.model_dump(include={"namespace", "name", "first_seen_at", "last_seen_at", "write_count"}),
        location=location(row.namespace, row.name),
        job=f"{job.get('namespace', '')} {job.get('name', '')}".strip(),
        columns=tuple(str(each) for each in columns if each),
        format=row.details.get("format"),
        candidates=tuple((each.contract_id, each.object) for each in meant),
    )
