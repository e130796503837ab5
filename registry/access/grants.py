"""Grant roles to users and teams on everything, a domain, a contract or a dataset."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlmodel import Session, col, select

from treaty.contracts.errors import Fault
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import GrantScope, Permission, Role
from treaty.registry.core.errors import Conflict, InvalidRequest, NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import DatasetRow, RoleGrantRow, TeamMemberRow, TeamRow, UserRow

OLDEST_FIRST = SortOrder((col(RoleGrantRow.id),))
# A grant with the name of its user or team.
NamedGrant = tuple[RoleGrantRow, str]


def grants(session: Session, by: Principal, request: PageRequest, *, target: str | None = None) -> RowPage[NamedGrant]:
    """List grants with the names of their users and teams, oldest first.

    `target`: only grants on this target; None lists all."""
    require_permission(by, Permission.USERS)
    query = select(RoleGrantRow) if target is None else select(RoleGrantRow).where(RoleGrantRow.target == target)
    portion = OLDEST_FIRST.cut(session.exec(OLDEST_FIRST.of(query, request)).all(), request)
    users = _names(session, UserRow, [each.user_id for each in portion.rows])
    teams = _names(session, TeamRow, [each.team_id for each in portion.rows])
    return RowPage([(each, (users | teams)[each.user_id or each.team_id]) for each in portion.rows], portion.next)


def give(session: Session, grant: RoleGrantRow, *, by: Principal, now: datetime) -> NamedGrant:
    """Grant the role.

    Raises NotFound if the user, team or dataset does not exist, Conflict if the grant exists already, and
    InvalidRequest if the role cannot be granted or the target is missing."""
    require_permission(by, Permission.USERS)
    _refuse_malformed(session, grant)
    name = _holder(session, grant)
    holder = (RoleGrantRow.user_id == grant.user_id) if grant.user_id else (RoleGrantRow.team_id == grant.team_id)
    same = select(RoleGrantRow).where(
        holder, RoleGrantRow.role == grant.role, RoleGrantRow.scope == grant.scope, RoleGrantRow.target == grant.target
    )
    if session.exec(same).first():
        raise Conflict(f"{name} already has the role {grant.role.value} on this target.")
    session.add(grant)
    audit_log.record(
        session,
        AuditAction.GRANT_GIVEN,
        actor=by.name,
        object_id=grant.id,
        now=now,
        details=_audit_details(grant, name),
    )
    return grant, name


def revoke(session: Session, grant_id: UUID, *, by: Principal, now: datetime) -> Sequence[UUID]:
    """Revoke the grant and return the users who held it. Raises NotFound if it does not exist."""
    grant, name = locked(session, grant_id, by)
    details = _audit_details(grant, name)
    members = select(TeamMemberRow.user_id).where(TeamMemberRow.team_id == grant.team_id)
    holders = [grant.user_id] if grant.user_id else session.exec(members).all()
    session.delete(grant)
    audit_log.record(session, AuditAction.GRANT_REVOKED, actor=by.name, object_id=grant_id, now=now, details=details)
    return holders


def locked(session: Session, grant_id: UUID, by: Principal) -> NamedGrant:
    """Lock and return the grant. Raises NotFound if it does not exist."""
    require_permission(by, Permission.USERS)
    grant = session.get(RoleGrantRow, grant_id, with_for_update=True)
    if grant is None:
        raise NotFound
    return grant, _holder(session, grant)


def _refuse_malformed(session: Session, grant: RoleGrantRow) -> None:
    faults = [
        Fault(code="TR-GRANT", where=field, message=message, remedy=remedy)
        for applies, field, message, remedy in _wrongs(grant)
        if applies
    ]
    if faults:
        raise InvalidRequest("The grant is invalid", faults=faults)
    if grant.scope is GrantScope.DATASET:
        grant.target = _dataset(session, grant.target)


def _wrongs(grant: RoleGrantRow) -> Sequence[tuple[bool, str, str, str]]:
    """Return each possible fault: whether it applies, its field, its message and the remedy."""
    whole = grant.scope is GrantScope.EVERYTHING
    return (
        (
            (grant.user_id is None) == (grant.team_id is None),
            "user_id",
            "must name either a user or a team",
            "set user_id or team_id, not both",
        ),
        (
            grant.role is Role.ADMIN,
            "role",
            "cannot be granted: administrator is a role of a user",
            "change the roles of the user",
        ),
        (whole and grant.target != "", "target", "must be empty for the scope everything", "remove it"),
        (not whole and not grant.target, "target", "is missing", f"set it to the {grant.scope.value}"),
    )


def _holder(session: Session, grant: RoleGrantRow) -> str:
    user = session.get(UserRow, grant.user_id) if grant.user_id else None
    team = session.get(TeamRow, grant.team_id) if grant.team_id else None
    holder = user or team
    if holder is None:
        raise NotFound
    return holder.name


def _dataset(session: Session, target: str) -> str:
    """Return the dataset's id in canonical form."""
    try:
        dataset = session.get(DatasetRow, UUID(target))
    except ValueError:
        dataset = None
    if dataset is None:
        raise NotFound
    return str(dataset.id)


def _audit_details(grant: RoleGrantRow, name: str) -> dict[str, str]:
    kind = "user" if grant.user_id else "team"
    return {kind: name, "role": grant.role.value, "part": grant.scope.value, "target": grant.target}


def _names(session: Session, kind: Any, ids: Sequence[UUID | None]) -> dict[UUID | None, str]:
    rows = session.exec(select(kind.id, kind.name).where(kind.id.in_([each for each in ids if each])))
    return dict(rows.all())
