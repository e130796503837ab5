"""Manage the allowed locations: those of the settings, and those that administrators add."""

from datetime import datetime
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.errors import Fault
from treaty.engine.core.locations.rules import AllowedLocation, LocationRules
from treaty.engine.core.locations.spelling import UnusableLocation, normalise
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.contracts.locations.reserved_locations import reserved_locations
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import AllowedLocationRow

RESERVED = "the location lies in a folder of Treaty or of the system, which is never read"


def rules(session: Session, settings: RegistrySettings) -> LocationRules:
    """Return the rules of this moment."""
    rows = session.exec(select(AllowedLocationRow.location, AllowedLocationRow.domain)).all()
    allowed = (*map(AllowedLocation, settings.location_names), *(AllowedLocation(*each) for each in rows))
    return LocationRules(allowed, reserved_locations(settings), str(settings.home.absolute()))


def list_locations(session: Session, by: Principal) -> list[AllowedLocationRow]:
    """Return the locations that administrators added. Requires an administrator."""
    require_permission(by, Permission.USERS)
    order = col(AllowedLocationRow.location), col(AllowedLocationRow.domain), col(AllowedLocationRow.id)
    return list(session.exec(select(AllowedLocationRow).order_by(*order)).all())


def add(
    session: Session, row: AllowedLocationRow, settings: RegistrySettings, *, by: Principal, now: datetime
) -> AllowedLocationRow:
    """Add an allowed location in its canonical spelling.

    Raises InvalidRequest if it cannot be used or is reserved, and Conflict if it is already allowed."""
    require_permission(by, Permission.USERS)
    own = LocationRules(reserved=reserved_locations(settings), home=str(settings.home.absolute()))
    row.location = _normalised(row.location, own)
    same = select(AllowedLocationRow).where(AllowedLocationRow.location == row.location)
    if any(each.domain == row.domain for each in session.exec(same)):
        raise Conflict(f"{row.location} is already an allowed location.")
    session.add(row)
    _audit(session, AuditAction.LOCATION_ADDED, row, by=by, now=now)
    return row


def remove(session: Session, location_id: UUID, *, by: Principal, now: datetime) -> None:
    """Remove an allowed location. Contracts about it stay, but cannot be validated. Raises NotFound."""
    require_permission(by, Permission.USERS)
    row = session.get(AllowedLocationRow, location_id, with_for_update=True)
    if row is None:
        raise NotFound
    session.delete(row)
    _audit(session, AuditAction.LOCATION_REMOVED, row, by=by, now=now)


def _normalised(location: str, own: LocationRules) -> str:
    try:
        spelled = normalise(location)
    except UnusableLocation as error:
        raise _refused(f"the location {error}") from None
    if own.resolve().is_inside_reserved(spelled):
        raise _refused(RESERVED)
    return spelled


def _refused(reason: str) -> InvalidRequest:
    return InvalidRequest(
        "The location cannot be allowed", faults=[Fault(code="location", where="location", message=reason)]
    )


def _audit(session: Session, action: AuditAction, row: AllowedLocationRow, *, by: Principal, now: datetime) -> None:
    details = {"location": row.location, "domain": row.domain}
    audit_log.record(session, action, actor=by.name, object_id=row.id, now=now, details=details)
