"""Authenticate users by password, session or API token, and determine their permissions."""

import hashlib
import hmac
import secrets
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import delete, or_
from sqlmodel import Session, col, select

from treaty.registry.access.password_queue import QUEUE
from treaty.registry.access.permissions import (
    EVERYWHERE,
    GRANTS,
    Principal,
    Resource,
    ScopedGrant,
    permissions_of,
    require_permission,
    require_permission_anywhere,
)
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.enums import GrantScope, Permission, Role
from treaty.registry.core.errors import Unauthenticated
from treaty.registry.tables import ApiTokenRow, RoleGrantRow, TeamMemberRow, TeamRow, UserRow, WebSessionRow

__all__ = [
    "EVERYWHERE",
    "GRANTS",
    "Principal",
    "Resource",
    "ScopedGrant",
    "authenticate",
    "has_ended",
    "hash_password",
    "mark_used",
    "needs_usage_update",
    "permissions_of",
    "principal_by_name",
    "principal_for_user",
    "principal_of",
    "require_permission",
    "require_permission_anywhere",
    "secret_hash",
    "sign_in",
    "sign_out",
    "user_named",
]
TOKEN_MARK = "treaty"
USED_EVERY = timedelta(minutes=10)
HASHER = PasswordHasher()


def hash_password(password: str) -> str:
    """Return the argon2id hash of a password."""
    return QUEUE.run(lambda: HASHER.hash(password))


def secret_hash(secret: str) -> str:
    """Return the hash under which a random secret is stored. Too fast for passwords."""
    return hashlib.sha256(secret.encode()).hexdigest()


def authenticate(session: Session, name: str, password: str) -> UserRow:
    """Return the active user with that name and password.

    Raises the same Unauthenticated error, after the same time, if the name or the password is wrong."""
    user = user_named(session, name)
    password_hash = user.password_hash if user and user.active else None
    if not _matches(password_hash, password) or user is None:
        raise Unauthenticated("Invalid name or password.")
    return user


def user_named(session: Session, name: str) -> UserRow | None:
    """Return the user of a name as entered; None if there is none."""
    return session.exec(select(UserRow).where(UserRow.name == name.strip().lower())).first()


def sign_in(
    session: Session,
    user: UserRow,
    *,
    session_id: UUID,
    now: datetime,
    lasts: timedelta,
    teams: Collection[str] = (),
) -> tuple[str, WebSessionRow]:
    """Open a session for an authenticated user and return its secret and its row.

    The secret is shown only to the user. Expired sessions are deleted.
    `lasts`: lifetime of the session. `teams`: teams whose grants apply in addition to the user's own."""
    secret = secrets.token_urlsafe(32)
    opened = WebSessionRow(
        id=session_id,
        secret_sha256=secret_hash(secret),
        user_id=user.id,
        created_at=now,
        expires_at=now + lasts,
        teams=sorted(teams),
    )
    session.exec(delete(WebSessionRow).where(col(WebSessionRow.expires_at) < now))
    session.add(opened)
    audit_log.record(session, AuditAction.SESSION_OPENED, actor=user.name, object_id=opened.id, now=now)
    return secret, opened


def sign_out(session: Session, secret: str, *, now: datetime) -> None:
    """Close the session with that secret. Raises Unauthenticated if there is none."""
    opened = session.exec(select(WebSessionRow).where(WebSessionRow.secret_sha256 == secret_hash(secret))).first()
    user = session.get(UserRow, opened.user_id) if opened else None
    if opened is None or user is None:
        raise Unauthenticated
    session.delete(opened)
    audit_log.record(session, AuditAction.SESSION_CLOSED, actor=user.name, object_id=opened.id, now=now)


def principal_of(session: Session, secret: str, *, now: datetime) -> Principal:
    """Return the principal of a session secret or an API token.

    Raises Unauthenticated if the secret is not valid now."""
    if secret.startswith(f"{TOKEN_MARK}_"):
        return _by_token(session, secret, now)
    query = select(WebSessionRow, UserRow).join(UserRow, col(UserRow.id) == col(WebSessionRow.user_id))
    opened, user = session.exec(query.where(WebSessionRow.secret_sha256 == secret_hash(secret))).first() or (None, None)
    if opened is None or opened.expires_at <= now:
        raise Unauthenticated
    return principal_for_user(session, _active(user), teams=_teams(session, opened.teams))


def principal_by_name(session: Session, name: str, teams: Collection[str] = ()) -> Principal | None:
    """Return the principal of the user with that name; None if there is no such user.

    `teams`: names of further teams whose grants apply. Raises Unauthenticated if the user is inactive."""
    user = session.exec(select(UserRow).where(UserRow.name == name)).first()
    if user is None:
        return None
    return principal_for_user(session, _active(user), teams=_teams(session, teams))


def _teams(session: Session, names: Collection[str]) -> Sequence[UUID]:
    return session.exec(select(TeamRow.id).where(col(TeamRow.name).in_(names))).all() if names else ()


def principal_for_user(session: Session, user: UserRow, *, teams: Collection[UUID] = ()) -> Principal:
    """Return the principal with all roles and grants of the user and of their teams.

    `teams`: further teams whose grants apply."""
    own = select(TeamMemberRow.team_id).where(TeamMemberRow.user_id == user.id)
    granted_to_user = or_(
        col(RoleGrantRow.user_id) == user.id, col(RoleGrantRow.team_id).in_(own), col(RoleGrantRow.team_id).in_(teams)
    )
    grants = session.exec(select(RoleGrantRow).where(granted_to_user)).all()
    roles = frozenset(map(Role, [*user.roles, *(each.role for each in grants if each.scope is GrantScope.EVERYTHING)]))
    scoped = [each for each in grants if each.scope is not GrantScope.EVERYTHING]
    granted = tuple(ScopedGrant(each.scope, each.target, GRANTS[each.role]) for each in scoped)
    return Principal(user_id=user.id, name=user.name, roles=roles, permissions=permissions_of(roles), granted=granted)


def needs_usage_update(principal: Principal, *, now: datetime) -> bool:
    """Return whether the last use of the principal's token should be updated; False for sessions."""
    if principal.token_id is None:
        return False
    return principal.token_used_at is None or principal.token_used_at <= now - USED_EVERY


def mark_used(session: Session, principal: Principal, *, now: datetime) -> None:
    """Store the time of use of the principal's token."""
    session.get_one(ApiTokenRow, principal.token_id).last_used_at = now


def _matches(digest: str | None, password: str) -> bool:
    try:
        return QUEUE.run(lambda: HASHER.verify(digest or _nobody(), password)) and digest is not None
    except (VerificationError, InvalidHashError):
        return False


def _nobody() -> str:
    """Return a hash that matches no password.

    It costs as much as a real one, so that unknown names take as long as existing ones."""
    parameters = HASHER
    salt, digest = "A" * 22, "A" * 43
    cost = f"m={parameters.memory_cost},t={parameters.time_cost},p={parameters.parallelism}"
    return f"$argon2id$v=19${cost}${salt}${digest}"


def _by_token(session: Session, secret: str, now: datetime) -> Principal:
    prefix = secret.split("_", 2)[1]
    query = (
        select(ApiTokenRow, UserRow)
        .join(UserRow, col(UserRow.id) == col(ApiTokenRow.user_id))
        .where(ApiTokenRow.prefix == prefix)
    )
    token, user = session.exec(query).first() or (None, None)
    if token is None or not _opens(token, secret_hash(secret), now) or has_ended(token, now):
        raise Unauthenticated
    return _within(principal_for_user(session, _active(user)), token)


def has_ended(token: ApiTokenRow, now: datetime) -> bool:
    """Return whether the token is revoked or expired."""
    return token.revoked_at is not None or (token.expires_at is not None and token.expires_at <= now)


def _opens(token: ApiTokenRow, hashed: str, now: datetime) -> bool:
    """Return whether the secret is the token's current or still valid previous one.

    Compares both in constant time."""
    current = hmac.compare_digest(token.secret_sha256, hashed)
    previous = hmac.compare_digest(token.previous_sha256 or "", hashed)
    return current or (previous and token.previous_expires_at is not None and now < token.previous_expires_at)


def _active(user: UserRow | None) -> UserRow:
    if user is None or not user.active:
        raise Unauthenticated
    return user


def _within(whole: Principal, token: ApiTokenRow) -> Principal:
    """Restrict the principal to the scopes of the token."""
    scopes = frozenset(map(Permission, token.scopes))
    return replace(
        whole,
        permissions=whole.permissions & scopes,
        granted=tuple(replace(each, permissions=each.permissions & scopes) for each in whole.granted),
        token_id=token.id,
        token_used_at=token.last_used_at,
    )
