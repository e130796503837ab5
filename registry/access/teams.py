"""Manage teams, whose members share grants.

Administrators create teams; team leads manage the members."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import Permission, TeamRole
from treaty.registry.core.errors import Conflict, NotFound
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import ChannelRow, RoleGrantRow, SubscriptionRow, TeamMemberRow, TeamRow, UserRow

BY_NAME = SortOrder((col(TeamRow.name),))


@dataclass(frozen=True)
class TeamListing:
    """A team with its members and their roles, ordered by name."""

    team: TeamRow
    members: Sequence[tuple[UserRow, TeamRole]]


def teams(session: Session, by: Principal, request: PageRequest) -> RowPage[TeamListing]:
    """List teams by name: the principal's own, or all with the permission to manage users."""
    query = select(TeamRow)
    if not by.may(Permission.USERS):
        query = query.where(
            col(TeamRow.id).in_(select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == by.user_id))
        )
    portion = BY_NAME.cut(session.exec(BY_NAME.of(query, request)).all(), request)
    members = _members(session, [each.id for each in portion.rows])
    listings = [
        TeamListing(team, [(user, role) for member_of, user, role in members if member_of == team.id])
        for team in portion.rows
    ]
    return RowPage(listings, portion.next)


def create(session: Session, team: TeamRow, *, by: Principal, now: datetime) -> TeamListing:
    """Add a team without members. Raises Conflict if the name is in use."""
    require_permission(by, Permission.USERS)
    if session.exec(select(TeamRow).where(TeamRow.name == team.name)).first():
        raise Conflict(f"A team named {team.name} already exists.")
    session.add(team)
    details = {"name": team.name}
    audit_log.record(session, AuditAction.TEAM_CREATED, actor=by.name, object_id=team.id, now=now, details=details)
    return TeamListing(team, ())


def remove(session: Session, team_id: UUID, *, by: Principal, now: datetime) -> None:
    """Remove the team with its grants, channels and members. Raises NotFound if it does not exist.

    Its subscriptions remain with the users who created them."""
    require_permission(by, Permission.USERS)
    team = session.get(TeamRow, team_id, with_for_update=True)
    if team is None:
        raise NotFound
    session.exec(update(SubscriptionRow).where(col(SubscriptionRow.team_id) == team_id).values(team_id=None))
    session.exec(delete(RoleGrantRow).where(col(RoleGrantRow.team_id) == team_id))
    session.exec(delete(ChannelRow).where(col(ChannelRow.team_id) == team_id))
    session.exec(delete(TeamMemberRow).where(col(TeamMemberRow.team_id) == team_id))
    session.delete(team)
    details = {"name": team.name}
    audit_log.record(session, AuditAction.TEAM_REMOVED, actor=by.name, object_id=team_id, now=now, details=details)


def set_member(
    session: Session, team_id: UUID, name: str, role: TeamRole, *, by: Principal, now: datetime
) -> TeamListing:
    """Add the user to the team, or change their role in it.

    Raises NotFound if the team or user does not exist, or the principal neither leads the team nor manages users."""
    team = led(session, team_id, by)
    user = _named(session, name)
    member = session.get(TeamMemberRow, (team.id, user.id)) or TeamMemberRow(
        team_id=team.id, user_id=user.id, role=role
    )
    member.role = role
    session.add(member)
    details = {"team": team.name, "user": user.name, "role": role.value}
    audit_log.record(session, AuditAction.MEMBER_SET, actor=by.name, object_id=team.id, now=now, details=details)
    return team_listing(session, team)


def remove_member(session: Session, team_id: UUID, name: str, *, by: Principal, now: datetime) -> TeamListing:
    """Remove the user from the team.

    Raises NotFound like `set_member`, and if the user is not a member."""
    team = led(session, team_id, by)
    user = _named(session, name)
    member = session.get(TeamMemberRow, (team.id, user.id), with_for_update=True)
    if member is None:
        raise NotFound
    session.delete(member)
    details = {"team": team.name, "user": user.name}
    audit_log.record(session, AuditAction.MEMBER_REMOVED, actor=by.name, object_id=team.id, now=now, details=details)
    return team_listing(session, team)


def team_listing(session: Session, team: TeamRow) -> TeamListing:
    """Return the team with its members."""
    return TeamListing(team, [(user, role) for _, user, role in _members(session, [team.id])])


def led(session: Session, team_id: UUID, by: Principal) -> TeamRow:
    """Lock and return the team if the principal may manage its members.

    Leads need a session, or a token with the permission to manage tokens."""
    team = session.get(TeamRow, team_id, with_for_update=True)
    own = session.get(TeamMemberRow, (team_id, by.user_id))
    in_full = by.token_id is None or Permission.TOKENS in by.somewhere
    leads = own is not None and own.role is TeamRole.LEAD and in_full
    if team is None or not (leads or by.may(Permission.USERS)):
        raise NotFound
    return team


def _named(session: Session, name: str) -> UserRow:
    user = session.exec(select(UserRow).where(UserRow.name == name)).first()
    if user is None:
        raise NotFound
    return user


def _members(session: Session, team_ids: Sequence[UUID]) -> Sequence[tuple[UUID, UserRow, TeamRole]]:
    query = select(TeamMemberRow.team_id, UserRow, TeamMemberRow.role).join(
        UserRow, col(UserRow.id) == col(TeamMemberRow.user_id)
    )
    rows = session.exec(query.where(col(TeamMemberRow.team_id).in_(team_ids)).order_by(UserRow.name))
    return [(team_id, user, TeamRole(role)) for team_id, user, role in rows]
