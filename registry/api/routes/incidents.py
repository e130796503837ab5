"""Routes of incidents."""

from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Response
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access.authentication import Principal
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router
from treaty.registry.api.http.dependencies import Caller, Paging, Reader, Writer
from treaty.registry.api.http.etags import IfMatch, with_etag
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import IncidentState, Permission
from treaty.registry.incidents import actions
from treaty.registry.incidents.actions import IncidentFilter, IncidentStep
from treaty.registry.tables import IncidentRow

router = admission_router(tags=["incidents"])
ContractId = Annotated[
    LookupText | None, Query(min_length=1, max_length=500, description="Only incidents of this contract")
]
StateFilter = Annotated[IncidentState | None, Query(description="Only incidents in this state")]
Mine = Annotated[bool, Query(description="Only incidents assigned to the caller")]
Snoozed = Annotated[bool, Query(description="Include snoozed incidents")]
ONE = "/incidents/{incident_id}"


def unchanged(incident_id: UUID, by: Caller, tx: Writer, if_match: IfMatch) -> None:
    """Raise PreconditionFailed if the incident does not match If-Match."""
    if if_match.stated:
        incident = actions.get(tx, incident_id, by=by, lock=True)
        if_match.check(tx, incident.id, _shown(tx, incident, by).etag)


def incident_filter(
    by: Caller, contract_id: ContractId = None, state: StateFilter = None, *, mine: Mine = False,
    snoozed: Snoozed = True,
) -> IncidentFilter:  # fmt: skip
    """Return the filter of the request."""
    return IncidentFilter(contract_id, state, by.user_id if mine else None, snoozed)


@router.get("/incidents")
def list_incidents(
    by: Caller, tx: Reader, paging: Paging, criteria: Annotated[IncidentFilter, Depends(incident_filter)]
) -> schemas.Page[schemas.IncidentOut]:
    """List incidents, newest first."""
    return presenters.page(presenters.incident, actions.list_incidents(tx, by, paging, criteria, now=clock.now()))


@router.get(ONE)
def get_incident(incident_id: UUID, by: Caller, tx: Reader, answer: Response) -> schemas.IncidentOut:
    """Retrieve an incident with its failing checks."""
    return with_etag(answer, _shown(tx, actions.get(tx, incident_id, by=by), by))


@router.post(f"{ONE}/acknowledge", dependencies=[Depends(unchanged)])
@admission(Permission.INCIDENTS)
def acknowledge_incident(
    incident_id: UUID, body: schemas.IncidentStepIn, by: Caller, tx: Writer
) -> schemas.IncidentOut:
    """Acknowledge an incident."""
    return _committed(tx, actions.acknowledge(tx, _step(incident_id, body, by)), by)


@router.post(f"{ONE}/assign", dependencies=[Depends(unchanged)])
@admission(Permission.INCIDENTS)
def assign_incident(incident_id: UUID, body: schemas.IncidentAssignIn, by: Caller, tx: Writer) -> schemas.IncidentOut:
    """Assign an incident to a user."""
    return _committed(tx, actions.assign(tx, _step(incident_id, body, by), body.assignee), by)


@router.post(f"{ONE}/snooze", dependencies=[Depends(unchanged)])
@admission(Permission.INCIDENTS)
def snooze_incident(incident_id: UUID, body: schemas.IncidentSnoozeIn, by: Caller, tx: Writer) -> schemas.IncidentOut:
    """Snooze an incident until a time."""
    return _committed(tx, actions.snooze(tx, _step(incident_id, body, by), body.snoozed_until), by)


@router.post(f"{ONE}/resolve", dependencies=[Depends(unchanged)])
@admission(Permission.INCIDENTS)
def resolve_incident(incident_id: UUID, body: schemas.IncidentResolveIn, by: Caller, tx: Writer) -> schemas.IncidentOut:
    """Resolve an incident with a reason. An incident is resolved automatically when its data recovers."""
    step = _step(incident_id, body, by)
    incident = actions.resolve(tx, step, body.resolution, comment=body.comment, duplicate_of=body.duplicate_of)
    return _committed(tx, incident, by)


@router.post(f"{ONE}/reopen", dependencies=[Depends(unchanged)])
@admission(Permission.INCIDENTS)
def reopen_incident(incident_id: UUID, body: schemas.IncidentStepIn, by: Caller, tx: Writer) -> schemas.IncidentOut:
    """Reopen an incident."""
    return _committed(tx, actions.reopen(tx, _step(incident_id, body, by)), by)


def _step(incident_id: UUID, body: schemas.IncidentStepIn, by: Principal) -> IncidentStep:
    return IncidentStep(incident_id, body.revision, by, clock.now())


def _committed(tx: Session, incident: IncidentRow, by: Principal) -> schemas.IncidentOut:
    tx.commit()
    return _shown(tx, incident, by)


def _shown(tx: Session, incident: IncidentRow, by: Principal) -> schemas.IncidentOut:
    return presenters.incident(actions.shown(tx, incident, by))
