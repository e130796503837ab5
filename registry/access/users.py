"""Create, change and revoke users and their API tokens, with audit entries."""

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
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import lock
from treaty.registry.core.enums import USER_NAME, Permission, Role
from treaty.registry.core.errors import Conflict, Forbidden, NotFound, Unauthenticated
from treaty.registry.core.pagination import PageRequest, RowPage, SortOrder
from treaty.registry.tables import ApiTokenRow, UserRow, WebSessionRow

ROTATE_IN_SESSION = "A token can only rotate itself and tokens that were issued with it. Sign in to rotate others."
IDENTIFYING = 7_268_392_106

BY_NAME = SortOrder((UserRow.name,))
NEWEST = SortOrder((ApiTokenRow.created_at, ApiTokenRow.id), newest_first=True)


def users(session: Session, by: Principal, request: PageRequest) -> RowPage[UserRow]:
    """List users by name."""
    require_permission(by, Permission.USERS)
    return BY_NAME.cut(session.exec(BY_NAME.of(select(UserRow), request)).all(), request)


def locked_user(session: Session, user_id: UUID) -> UserRow:
    """Fetch the user, locked until the transaction ends. Raises NotFound if it does not exist."""
    user = session.get(UserRow, user_id, with_for_update=True)
    if user is None:
        raise NotFound
    return user


def create_user(session: Session, user: UserRow, *, actor: str, now: datetime) -> UserRow:
    """Add the user. Raises Conflict if the name is in use."""
    if session.exec(select(UserRow).where(UserRow.name == user.name)).first():
        raise Conflict(f"A user named {user.name} already exists.")
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
    """Add a viewer identified by an identity provider, unless the user exists.

    Raises Unauthenticated if the name is not a valid user name."""
    lock(session, IDENTIFYING)
    if session.exec(select(UserRow).where(UserRow.name == name)).first():
        return
    if len(name) > 100 or not re.fullmatch(USER_NAME, name) or name != name.lower():
        raise Unauthenticated("The identity provider's user name is not a valid user name here.")
    user = new_user(user_id, name=name, password=None, roles=[Role.VIEWER], now=now)
    create_user(session, user, actor="oidc", now=now)


@dataclass(frozen=True)
class UserUpdate:
    """Changes of a user. None leaves a field unchanged.

    `revoke_tokens`: also revoke the user's API tokens."""

    roles: Iterable[Role] | None = None
    active: bool | None = None
    password_hash: str | None = None
    revoke_tokens: bool = False


def change_user(session: Session, user_id: UUID, change: UserUpdate, *, by: Principal, now: datetime) -> UserRow:
    """Change the user and end their sessions. Raises Conflict if no active administrator would remain."""
    require_permission(by, Permission.USERS)
    user = locked_user(session, user_id)
    user.roles = sorted(change.roles) if change.roles is not None else user.roles
    user.active = user.active if change.active is None else change.active
    user.password_hash = change.password_hash or user.password_hash
    session.flush()
    if not has_administrator(session):
        raise Conflict("This is the last active administrator. Make another user an administrator first.")
    session.exec(delete(WebSessionRow).where(col(WebSessionRow.user_id) == user.id))
    details = {"roles": user.roles, "active": user.active, "password_changed": change.password_hash is not None}
    audit_log.record(session, AuditAction.USER_CHANGED, actor=by.name, object_id=user.id, now=now, details=details)
    if change.revoke_tokens:
        revoke_tokens(session, [user.id], by=by, now=now)
    return user


def has_administrator(session: Session) -> bool:
    """Return whether there is an active administrator."""
    active = session.exec(select(UserRow.roles).where(col(UserRow.active)))
    return any(Role.ADMIN in roles for roles in active)


def issue_token(session: Session, token: ApiTokenRow, *, by: Principal, now: datetime) -> str:
    """Add the token and return its secret, which cannot be retrieved later.

    Raises Forbidden if the token is for another user and the principal may not manage users, and for scopes that exceed
    the permissions of that user or, for an own token, of the principal. A token issued with a token ends with it."""
    require_permission_anywhere(by, Permission.TOKENS)
    if token.user_id != by.user_id:
        require_permission(by, Permission.USERS)
    _within(session, token, by)
    token.issuer_id = by.token_id
    _end_with_issuer(session, token, by, now)
    secret = _new_secret(token)
    token.secret_sha256 = secret_hash(secret)
    session.add(token)
    details = {"name": token.name, "prefix": token.prefix, "scopes": token.scopes, "user": str(token.user_id)}
    audit_log.record(session, AuditAction.TOKEN_ISSUED, actor=by.name, object_id=token.id, now=now, details=details)
    return secret


def tokens(session: Session, by: Principal, request: PageRequest) -> RowPage[ApiTokenRow]:
    """List the principal's tokens, newest first; all tokens with the permission to manage users."""
    require_permission_anywhere(by, Permission.TOKENS)
    query = select(ApiTokenRow)
    if not by.may(Permission.USERS):
        query = query.where(ApiTokenRow.user_id == by.user_id)
    return NEWEST.cut(session.exec(NEWEST.of(query, request)).all(), request)


@dataclass(frozen=True)
class TokenRotation:
    """Parameters of a token rotation.

    `overlap`: how long the previous secret remains valid.
    `expires_days`: days until the token expires; None keeps the current expiry."""

    overlap: timedelta
    expires_days: int | None = None


def rotate_token(
    session: Session, token_id: UUID, rotation: TokenRotation, *, by: Principal, now: datetime
) -> tuple[str, ApiTokenRow]:
    """Replace the secret of the token and return the new secret.

    The new secret cannot be retrieved later. The previous secret remains valid during the overlap; an older one ends
    immediately. Raises NotFound like `revoke_token`, Conflict if the token has ended, and Forbidden if its scopes
    are no longer all permitted, or with a token that is neither this one nor its issuer."""
    token = locked_token(session, token_id, by)
    if has_ended(token, now):
        raise Conflict("This token is revoked or expired. Issue a new one.")
    _within(session, token, by)
    if by.token_id is not None and token.id not in {by.token_id, *_issued_with(session, [by.token_id])}:
        raise Forbidden(ROTATE_IN_SESSION)
    secret = _new_secret(token)
    token.previous_sha256, token.previous_expires_at = token.secret_sha256, now + rotation.overlap
    token.secret_sha256 = secret_hash(secret)
    if rotation.expires_days and token.id != by.token_id:
        token.expires_at = now + timedelta(days=rotation.expires_days)
        _end_with_issuer(session, token, by, now)
    details = {"prefix": token.prefix, "previous_until": token.previous_expires_at.isoformat()}
    audit_log.record(session, AuditAction.TOKEN_ROTATED, actor=by.name, object_id=token.id, now=now, details=details)
    return secret, token


def _new_secret(token: ApiTokenRow) -> str:
    return f"{TOKEN_MARK}_{token.prefix}_{secrets.token_urlsafe(32)}"


def locked_token(session: Session, token_id: UUID, by: Principal) -> ApiTokenRow:
    """Lock and return the token.

    Raises NotFound if it does not exist, or belongs to another user and the principal may not manage users."""
    require_permission_anywhere(by, Permission.TOKENS)
    token = session.get(ApiTokenRow, token_id, with_for_update=True)
    if token is None or (token.user_id != by.user_id and not by.may(Permission.USERS)):
        raise NotFound
    return token


def revoke_token(session: Session, token_id: UUID, *, by: Principal, now: datetime) -> ApiTokenRow:
    """Revoke the token and those issued with it. Raises NotFound like `locked_token`."""
    token = locked_token(session, token_id, by)
    _revoke(session, [token.id], by, now)
    return token


def revoke_tokens(session: Session, user_ids: Collection[UUID], *, by: Principal, now: datetime) -> None:
    """Revoke all tokens of the users and those issued with them. Requires permission to manage users."""
    require_permission(by, Permission.USERS)
    _revoke(session, session.exec(select(ApiTokenRow.id).where(col(ApiTokenRow.user_id).in_(user_ids))).all(), by, now)


def _revoke(session: Session, token_ids: Collection[UUID], by: Principal, now: datetime) -> None:
    ending = {*token_ids, *_issued_with(session, token_ids)}
    valid = select(ApiTokenRow).where(col(ApiTokenRow.id).in_(ending), col(ApiTokenRow.revoked_at).is_(None))
    for each in session.exec(valid.with_for_update()).all():
        each.revoked_at = now
        audit_log.record(session, AuditAction.TOKEN_REVOKED, actor=by.name, object_id=each.id, now=now)


def _issued_with(session: Session, token_ids: Collection[UUID]) -> frozenset[UUID]:
    """Return the tokens that were issued with these tokens, directly or indirectly."""
    issued, newest = set[UUID](), set(token_ids)
    while newest:
        query = select(ApiTokenRow.id).where(col(ApiTokenRow.issuer_id).in_(newest))
        newest = set(session.exec(query).all()) - issued
        issued |= newest
    return frozenset(issued)


def _end_with_issuer(session: Session, token: ApiTokenRow, by: Principal, now: datetime) -> None:
    """Limit the token's life to that of the token that `by` uses; sessions do not limit it."""
    if by.token_id is None:
        return
    # Locked, so that the issuer is not revoked between its check and the commit.
    issuer = session.get_one(ApiTokenRow, by.token_id, with_for_update=True)
    if has_ended(issuer, now):
        raise Unauthenticated
    if issuer.expires_at is not None:
        token.expires_at = min(token.expires_at or issuer.expires_at, issuer.expires_at)


def new_token(token_id: UUID, *, user_id: UUID, name: str, scopes: Iterable[Permission], now: datetime) -> ApiTokenRow:
    """Return a token with a new public prefix; it is not issued yet."""
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
    """Return a user that is not created yet. Hashes the password, so call it outside of a transaction."""
    hashed = hash_password(password) if password is not None else None
    return UserRow(id=user_id, name=name, password_hash=hashed, roles=sorted(roles), created_at=now)


def _within(session: Session, token: ApiTokenRow, by: Principal) -> None:
    user = session.get(UserRow, token.user_id)
    if user is None or not user.active:
        raise NotFound
    permitted = by.somewhere if user.id == by.user_id else principal_for_user(session, user).somewhere
    missing = sorted(frozenset(map(Permission, token.scopes)) - permitted)
    if missing:
        raise Forbidden(f"{user.name} cannot have a token with {', '.join(missing)}: their roles do not permit it.")


def names(session: Session, user_ids: Collection[UUID | None]) -> dict[UUID, str]:
    """Return the names of the users by id."""
    query = select(UserRow.id, UserRow.name).where(col(UserRow.id).in_([each for each in user_ids if each]))
    return dict(session.exec(query).all())
