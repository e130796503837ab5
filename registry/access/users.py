"""Users and their API tokens: created, changed and revoked, each with its audit entry."""

import re
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete
from sqlmodel import Session, col, select

from treaty.registry.access.authentication import (
    TOKEN_MARK,
    Principal,
    has_ended,
    hash_password,
    principal_for_user,
    require_permission,
    require_permission_anywhere,
    secret_hash,
)
from treaty.registry.audit import audit_log
from treaty.registry.core.database import lock
from treaty.registry.core.enums import USER_NAME, AuditAction, Permission, Role
from treaty.registry.core.errors import Conflict, Forbidden, NotFound, Unauthenticated
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import ApiTokenRow, UserRow, WebSessionRow

IDENTIFYING = 7_268_392_106

BY_NAME = SortOrder((UserRow.name,))
NEWEST = SortOrder((ApiTokenRow.created_at, ApiTokenRow.id), newest_first=True)


def users(session: Session, by: Principal, asked: PageRequest) -> RowPage[UserRow]:
    """Users by name."""
    require_permission(by, Permission.USERS)
    return BY_NAME.cut(session.exec(BY_NAME.of(select(UserRow), asked)).all(), asked)


def locked_user(session: Session, user_id: UUID) -> UserRow:
    """The user, whom nobody else changes until the transaction ends. Raises NotFound where there is none."""
    user = session.get(UserRow, user_id, with_for_update=True)
    if user is None:
        raise NotFound
    return user


def create_user(session: Session, user: UserRow, *, actor: str, now: datetime) -> UserRow:
    """Adds the user. Raises Conflict where the name is taken."""
    if session.exec(select(UserRow).where(UserRow.name == user.name)).first():
        raise Conflict(f"there is a user named {user.name} already")
    session.add(user)
    audit_log.record(
        session,
        AuditAction.USER_CREATED,
        actor=actor,
        object_id=user.id,
        now=now,
        details={"name": user.name, "roles": user.roles},
    )
    return user


def create_identified(session: Session, name: str, *, user_id: UUID, now: datetime) -> None:
    """Adds a viewer whom an identity provider names, unless there is one by now. Raises Unauthenticated for a name that
    nobody can have here."""
    lock(session, IDENTIFYING)
    if session.exec(select(UserRow).where(UserRow.name == name)).first():
        return
    if len(name) > 100 or not re.fullmatch(USER_NAME, name) or name != name.lower():
        raise Unauthenticated("the identity provider says a name that nobody can have here")
    user = new_user(user_id, name=name, password=None, roles=[Role.VIEWER], now=now)
    create_user(session, user, actor="oidc", now=now)


@dataclass(frozen=True)
class UserUpdate:
    """What to change about a user; None leaves it as it is."""

    roles: Iterable[Role] | None = None
    active: bool | None = None
    password_hash: str | None = None


def change_user(session: Session, user_id: UUID, change: UserUpdate, *, by: Principal, now: datetime) -> UserRow:
    """Changes the user and ends their sessions. Raises Conflict rather than leave no active administrator."""
    require_permission(by, Permission.USERS)
    user = locked_user(session, user_id)
    user.roles = sorted(change.roles) if change.roles is not None else user.roles
    user.active = user.active if change.active is None else change.active
    user.password_hash = change.password_hash or user.password_hash
    session.flush()
    if not has_administrator(session):
        raise Conflict("this is the last active administrator: make somebody else one first")
    session.exec(delete(WebSessionRow).where(col(WebSessionRow.user_id) == user.id))
    details = {"roles": user.roles, "active": user.active, "password_changed": change.password_hash is not None}
    audit_log.record(session, AuditAction.USER_CHANGED, actor=by.name, object_id=user.id, now=now, details=details)
    return user


def has_administrator(session: Session) -> bool:
    """Whether somebody can administer."""
    active = session.exec(select(UserRow.roles).where(col(UserRow.active)))
    return any(Role.ADMIN in roles for roles in active)


def issue_token(session: Session, token: ApiTokenRow, *, by: Principal, now: datetime) -> str:
    """Adds the token and returns its secret, which is shown this once.

    Raises Forbidden for another's token without the permission to manage users, and for scopes that its user or,
    for an own token, the asking principal does not have."""
    require_permission_anywhere(by, Permission.TOKENS)
    if token.user_id != by.user_id:
        require_permission(by, Permission.USERS)
    _within(session, token, by)
    secret = _new_secret(token)
    token.secret_sha256 = secret_hash(secret)
    session.add(token)
    details = {"name": token.name, "prefix": token.prefix, "scopes": token.scopes, "user": str(token.user_id)}
    audit_log.record(session, AuditAction.TOKEN_ISSUED, actor=by.name, object_id=token.id, now=now, details=details)
    return secret


def tokens(session: Session, by: Principal, asked: PageRequest) -> RowPage[ApiTokenRow]:
    """The principal's tokens, newest first; all for who manages users."""
    require_permission_anywhere(by, Permission.TOKENS)
    query = select(ApiTokenRow)
    if not by.may(Permission.USERS):
        query = query.where(ApiTokenRow.user_id == by.user_id)
    return NEWEST.cut(session.exec(NEWEST.of(query, asked)).all(), asked)


@dataclass(frozen=True)
class TokenRotation:
    """For how long the secret before the new one stays good, and in how many days the token ends; None: as it did."""

    overlap: timedelta
    expires_days: int | None = None


def rotate_token(
    session: Session, token_id: UUID, rotation: TokenRotation, *, by: Principal, now: datetime
) -> tuple[str, ApiTokenRow]:
    """Gives the token a new secret, which is returned and shown this once. The one before the last ends at once.

    Raises NotFound as `revoke_token`, Conflict for a token that has ended, Forbidden where its scopes are no longer all
    permitted to who asks."""
    require_permission_anywhere(by, Permission.TOKENS)
    token = _token(session, token_id, by)
    if has_ended(token, now):
        raise Conflict("this token has ended: issue another")
    _within(session, token, by)
    secret = _new_secret(token)
    token.previous_sha256, token.previous_expires_at = token.secret_sha256, now + rotation.overlap
    token.secret_sha256 = secret_hash(secret)
    token.expires_at = now + timedelta(days=rotation.expires_days) if rotation.expires_days else token.expires_at
    details = {"prefix": token.prefix, "previous_until": token.previous_expires_at.isoformat()}
    audit_log.record(session, AuditAction.TOKEN_ROTATED, actor=by.name, object_id=token.id, now=now, details=details)
    return secret, token


def _new_secret(token: ApiTokenRow) -> str:
    return f"{TOKEN_MARK}_{token.prefix}_{secrets.token_urlsafe(32)}"


def _token(session: Session, token_id: UUID, by: Principal) -> ApiTokenRow:
    token = session.get(ApiTokenRow, token_id, with_for_update=True)
    if token is None or (token.user_id != by.user_id and not by.may(Permission.USERS)):
        raise NotFound
    return token


def revoke_token(session: Session, token_id: UUID, *, by: Principal, now: datetime) -> ApiTokenRow:
    """Ends the token. Raises NotFound where there is none, and for another's without the permission to manage users."""
    require_permission_anywhere(by, Permission.TOKENS)
    token = _token(session, token_id, by)
    token.revoked_at = token.revoked_at or now
    audit_log.record(session, AuditAction.TOKEN_REVOKED, actor=by.name, object_id=token.id, now=now)
    return token


def new_token(token_id: UUID, *, user_id: UUID, name: str, scopes: Iterable[Permission], now: datetime) -> ApiTokenRow:
    """A token not yet issued, with a fresh public prefix."""
    return ApiTokenRow(
        id=token_id,
        prefix=secrets.token_hex(6),
        secret_sha256="",
        user_id=user_id,
        name=name,
        scopes=sorted(scopes),
        created_at=now,
    )


def new_user(user_id: UUID, *, name: str, password: str | None, roles: Iterable[Role], now: datetime) -> UserRow:
    """A user not yet created; hashes the password, so make it outside of a transaction."""
    hashed = hash_password(password) if password is not None else None
    return UserRow(id=user_id, name=name, password_hash=hashed, roles=sorted(roles), created_at=now)


def _within(session: Session, token: ApiTokenRow, by: Principal) -> None:
    user = session.get(UserRow, token.user_id)
    if user is None or not user.active:
        raise NotFound
    admitted = by.somewhere if user.id == by.user_id else principal_for_user(session, user).somewhere
    missing = sorted(frozenset(map(Permission, token.scopes)) - admitted)
    if missing:
        raise Forbidden(f"{user.name} cannot have a token with {', '.join(missing)}: the roles do not permit it")


def names(session: Session, user_ids: Collection[UUID | None]) -> dict[UUID, str]:
    """The names of those users."""
    query = select(UserRow.id, UserRow.name).where(col(UserRow.id).in_([each for each in user_ids if each]))
    return dict(session.exec(query).all())
