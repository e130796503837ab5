"""Handle the actions of users on incidents: list, acknowledge, assign, snooze, resolve and reopen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.registry.access import visibility
from treaty.registry.access.authentication import (
    Principal,
    principal_for_user,
    require_permission,
    require_permission_anywhere,
)
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import NO_FAULT, FeedbackKind, IncidentState, ManualResolution, Permission, Resolution
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.core.ids import derived_id
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.core.state_machines import INCIDENT
from treaty.registry.datasets.contract_datasets import ContractObject
from treaty.registry.drafting import refits
from treaty.registry.incidents import lifecycle, ownership
from treaty.registry.lineage.downstream import incident_downstream
from treaty.registry.measurements.anomalies import baselines, feedback
from treaty.registry.tables import ContractRow, IncidentObjectRow, IncidentRow, UserRow

NEWEST_FIRST = SortOrder((col(IncidentRow.id),), newest_first=True)
UNKNOWN = "No active user of that name can read the incident's dataset."


@dataclass(frozen=True)
class IncidentFilter:
    """Filter of a list of incidents.

    `contract_id`, `state`, `assignee`: None means any.
    `snoozed`: False excludes incidents that are snoozed now."""

    contract_id: str | None = None
    state: IncidentState | None = None
    assignee: UUID | None = None
    snoozed: bool = True


@dataclass(frozen=True, kw_only=True)
class IncidentListing:
    """An incident with its readable objects and the names of the users involved."""

    incident: IncidentRow
    parts: Sequence[IncidentObjectRow]
    assignee: str | None = None
    acknowledged_by: str | None = None
    resolved_by: str | None = None


@dataclass(frozen=True)
class IncidentStep:
    """A user's action on an incident.

    `revision`: revision of the incident that the user read."""

    incident_id: UUID
    revision: int
    by: Principal
    now: datetime


def list_incidents(
    session: Session, by: Principal, request: PageRequest, incident_filter: IncidentFilter, *, now: datetime
) -> RowPage[IncidentListing]:
    """Return a page of incidents of contracts that the principal may read, newest first."""
    require_permission_anywhere(by, Permission.READ)
    query = (
        select(IncidentRow)
        .join(ContractRow, col(ContractRow.id) == col(IncidentRow.contract_id))
        .where(visibility.readable_contracts(by))
    )
    if incident_filter.contract_id is not None:
        query = query.where(IncidentRow.contract_id == incident_filter.contract_id)
    if incident_filter.state is not None:
        query = query.where(IncidentRow.state == incident_filter.state)
    if incident_filter.assignee is not None:
        query = query.where(IncidentRow.assignee_id == incident_filter.assignee)
    if not incident_filter.snoozed:
        query = query.where(col(IncidentRow.snoozed_until).is_(None) | (col(IncidentRow.snoozed_until) <= now))
    page = NEWEST_FIRST.cut(session.exec(NEWEST_FIRST.of(query, request)).all(), request)
    return RowPage(_listings(session, page.rows, by), page.next)


def get(session: Session, incident_id: UUID, *, by: Principal, lock: bool = False) -> IncidentRow:
    """Return the incident.

    `lock`: lock its row until the transaction ends. Raises NotFound if it does not exist or the principal may not
    read its object."""
    require_permission_anywhere(by, Permission.READ)
    if lock:
        incident_downstream.take_turn(session)
    incident = session.get(IncidentRow, incident_id, with_for_update=lock, populate_existing=lock)
    if incident is None:
        raise NotFound
    visibility.require_readable_object(session, incident.contract_id, incident.object, by)
    return incident


def of_runs(session: Session, runs: Collection[UUID], by: Principal) -> list[IncidentListing]:
    """Return the readable incidents whose latest run is one of these."""
    rows = ownership.incidents(session, runs)
    return _listings(session, [each for each in rows if _may_read(session, (each.contract_id, each.object), by)], by)


def shown(session: Session, incident: IncidentRow, by: Principal) -> IncidentListing:
    """Return the incident with those of its objects that the principal may read."""
    return _listings(session, [incident], by)[0]


def _listings(session: Session, incidents: Sequence[IncidentRow], by: Principal) -> list[IncidentListing]:
    row = IncidentObjectRow
    query = select(row).where(col(row.incident_id).in_([each.id for each in incidents]))
    parts = session.exec(query.order_by(col(row.joined_at), row.contract_id, row.object)).all()
    readable = {about for about in {_about(each) for each in parts} if _may_read(session, about, by)}
    user_ids = {user for each in incidents for user in _people(each) if user}
    names = dict(session.exec(select(UserRow.id, UserRow.name).where(col(UserRow.id).in_(user_ids))).all())
    parts_by_incident: dict[UUID, list[IncidentObjectRow]] = {}
    for each in parts:
        if _about(each) in readable:
            parts_by_incident.setdefault(each.incident_id, []).append(each)
    return [
        IncidentListing(
            incident=each,
            parts=parts_by_incident.get(each.id, ()),
            assignee=_name(names, each.assignee_id),
            acknowledged_by=_name(names, each.acknowledged_by_id),
            resolved_by=_name(names, each.resolved_by_id),
        )
        for each in incidents
    ]


def acknowledge(session: Session, step: IncidentStep) -> IncidentRow:
    """Acknowledge the incident for the principal.

    Raises NotFound, Forbidden, IllegalTransition, and Conflict if the incident changed since it was read."""
    incident = _apply_step(session, step, "acknowledge")
    incident.acknowledged_by_id = step.by.user_id
    return _done(session, incident, step, AuditAction.INCIDENT_ACKNOWLEDGED)


def assign(session: Session, step: IncidentStep, name: str | None) -> IncidentRow:
    """Assign the incident to a user.

    `name`: None unassigns it. Raises InvalidRequest if the user may not read the incident's object, and otherwise as
    `acknowledge`."""
    incident = _apply_step(session, step, "assign")
    incident.assignee_id = _reader(session, incident, name) if name is not None else None
    return _done(session, incident, step, AuditAction.INCIDENT_ASSIGNED, assignee=name)


def snooze(session: Session, step: IncidentStep, until: datetime | None) -> IncidentRow:
    """Snooze the incident: no notifications are sent until then.

    `until`: None ends the snooze. Raises InvalidRequest if the time is in the past, and otherwise as `acknowledge`."""
    incident = _apply_step(session, step, "snooze")
    if until is not None and until <= step.now:
        raise InvalidRequest("Choose a time in the future to snooze until.")
    incident.snoozed_until = until
    return _done(session, incident, step, AuditAction.INCIDENT_SNOOZED, until=until.isoformat() if until else None)


def resolve(
    session: Session,
    step: IncidentStep,
    resolution: ManualResolution,
    *,
    comment: str | None,
    duplicate_of: UUID | None = None,
) -> IncidentRow:
    """Resolve the incident for a reason, and label the points that failed in it.

    `duplicate_of`: the other incident, for a duplicate only. Raises InvalidRequest if the other incident is missing,
    the same or resolved, and otherwise as `acknowledge`."""
    incident = _apply_step(session, step, "resolve")
    _refuse(session, incident, resolution, duplicate_of, step.by)
    incident.resolution, incident.comment, incident.duplicate_of = Resolution(resolution), comment, duplicate_of
    incident.resolved_at, incident.resolved_by_id = step.now, step.by.user_id
    if duplicate_of is not None:
        lifecycle.move(session, incident.id, duplicate_of)
    for part in lifecycle.incident_objects(session, incident.id, active=True):
        part.active = None
    session.flush()
    _clear(session, incident, step.now)
    _teach(session, incident, step)
    return _done(session, incident, step, AuditAction.INCIDENT_RESOLVED, resolution=resolution.value)


def reopen(session: Session, step: IncidentStep) -> IncidentRow:
    """Reopen a resolved incident, or withdraw an acknowledgement.

    Objects that fail in another incident by now stay there. Raises as `acknowledge`."""
    incident = _apply_step(session, step, "reopen")
    incident.acknowledged_by_id = None
    if incident.resolution is not None:
        _revive(session, incident, step)
    return _done(session, incident, step, AuditAction.INCIDENT_REOPENED)


def _revive(session: Session, incident: IncidentRow, step: IncidentStep) -> None:
    for part in lifecycle.incident_objects(session, incident.id):
        part.active = None if part.recovered_at or _fails_elsewhere(session, part) else True
    incident.resolution, incident.resolved_at, incident.resolved_by_id = None, None, None
    incident.duplicate_of, incident.recovered_at = None, None
    incident.reopen_count += 1
    session.flush()
    incident_downstream.refresh(session, incident)
    feedback.take_back(session, incident, author=step.by.user_id, now=step.now)
    _refit(session, incident, step)


def _apply_step(session: Session, step: IncidentStep, name: str) -> IncidentRow:
    """Return the incident, locked, in the state after the action."""
    incident = get(session, step.incident_id, by=step.by, lock=True)
    require_permission(
        step.by, Permission.INCIDENTS, visibility.object_resource(session, incident.contract_id, incident.object)
    )
    if incident.revision != step.revision:
        raise Conflict(f"The incident changed and is now at revision {incident.revision}. Reload it and try again.")
    incident.state = INCIDENT.step(incident.state, name)
    return incident


def _done(
    session: Session, incident: IncidentRow, step: IncidentStep, action: AuditAction, **comment: str | None
) -> IncidentRow:
    incident.revision += 1
    incident.updated_at = step.now
    details = {"contract": incident.contract_id, "object": incident.object, **comment}
    audit_log.record(session, action, actor=step.by.name, object_id=incident.id, details=details, now=step.now)
    return incident


def _reader(session: Session, incident: IncidentRow, name: str) -> UUID:
    user = session.exec(select(UserRow).where(UserRow.name == name, col(UserRow.active).is_(True))).first()
    resource = visibility.object_resource(session, incident.contract_id, incident.object)
    if user is None or not principal_for_user(session, user).may(Permission.READ, resource):
        raise InvalidRequest(UNKNOWN)
    return user.id


def _refuse(
    session: Session, incident: IncidentRow, resolution: ManualResolution, duplicate_of: UUID | None, by: Principal
) -> None:
    if (resolution is ManualResolution.DUPLICATE) != (duplicate_of is not None):
        raise InvalidRequest("Set both the reason `duplicate` and the incident that this one duplicates, or neither.")
    other = get(session, duplicate_of, by=by) if duplicate_of is not None else None
    if other is not None and (other.id == incident.id or other.state is IncidentState.RESOLVED):
        raise InvalidRequest("An incident can only be a duplicate of another incident that is not resolved.")


def _clear(session: Session, incident: IncidentRow, now: datetime) -> None:
    """Update the incident's downstream datasets.

    If the data was correct or the incident is a duplicate, nothing downstream is contaminated; otherwise the
    contamination ends with the next runs."""
    if incident.resolution in NO_FAULT or incident.resolution is Resolution.DUPLICATE:
        incident_downstream.clear_downstream(session, incident.id)
        return
    incident.recovered_at = incident.recovered_at or now
    incident_downstream.refresh(session, incident)


def _teach(session: Session, incident: IncidentRow, step: IncidentStep) -> None:
    """Label the points that failed, so that programs and detectors learn from the resolution."""
    if incident.resolution is Resolution.DUPLICATE:
        return
    parts = lifecycle.incident_objects(session, incident.id)
    points = {ContractObject(*_about(part)): baselines.failed_in(session, [part]) for part in parts}
    label = FeedbackKind.EXPECTED if incident.resolution in NO_FAULT else FeedbackKind.INCIDENT
    feedback.of_incident(session, incident, points, label)
    _refit(session, incident, step)


def _refit(session: Session, incident: IncidentRow, step: IncidentStep) -> None:
    for part in lifecycle.incident_objects(session, incident.id):
        about = ContractObject(*_about(part))
        refits.refit_after_feedback(
            session, about, now=step.now, task_id=derived_id(step.now, f"{incident.id}/{about}")
        )


def _fails_elsewhere(session: Session, part: IncidentObjectRow) -> bool:
    row = IncidentObjectRow
    conditions = row.contract_id == part.contract_id, row.object == part.object, col(row.active).is_(True)
    incident_ids = session.exec(select(row.incident_id).where(*conditions)).all()
    return any(each != part.incident_id for each in incident_ids)


def _name(names: Mapping[UUID, str], user: UUID | None) -> str | None:
    return names.get(user) if user else None


def _people(incident: IncidentRow) -> tuple[UUID | None, UUID | None, UUID | None]:
    return incident.assignee_id, incident.acknowledged_by_id, incident.resolved_by_id


def _about(part: IncidentObjectRow) -> tuple[str, str]:
    return part.contract_id, part.object


def _may_read(session: Session, about: tuple[str, str], by: Principal) -> bool:
    return by.may(Permission.READ) or by.may(Permission.READ, visibility.object_resource(session, *about))
