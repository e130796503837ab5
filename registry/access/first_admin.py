"""Create the first administrator through a one-time link.

The link is printed once and valid for a limited time; only its hash is stored."""

import secrets
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from sqlalchemy import ColumnElement, CursorResult, update
from sqlmodel import Session, col, select

from treaty.engine.core import clock
from treaty.registry.access import users
from treaty.registry.access.authentication import secret_hash
from treaty.registry.audit import audit_log
from treaty.registry.core import home, ids
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import connect, migrate, transaction
from treaty.registry.core.errors import Conflict, Unauthenticated
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import SetupTokenRow, UserRow

INVALID = "This link is not valid. It was used, has expired or was replaced by a newer one. Run `treaty init` again."


def initialise(settings: RegistrySettings) -> str:
    """Create or migrate the database and return the one-time link.

    Raises Conflict if an administrator exists."""
    home.prepare(settings)
    engine = connect(settings.database)
    migrate(engine)
    now = clock.now()
    with transaction(engine) as tx:
        secret = issue(tx, token_id=ids.new(), now=now, lasts=timedelta(hours=settings.setup_link_lifetime_hours))
        tx.commit()
    engine.dispose()
    return f"{settings.pages}/setup?token={secret}"


def issue(session: Session, *, token_id: UUID, now: datetime, lasts: timedelta) -> str:
    """Return the secret of a new one-time link and invalidate earlier links.

    Raises Conflict if an administrator exists."""
    if users.has_administrator(session):
        raise Conflict("This registry already has an administrator. Ask them for an account.")
    session.exec(update(SetupTokenRow).where(col(SetupTokenRow.used_at).is_(None)).values(used_at=now))
    secret = secrets.token_urlsafe(32)
    session.add(SetupTokenRow(id=token_id, secret_sha256=secret_hash(secret), created_at=now, expires_at=now + lasts))
    audit_log.record(session, AuditAction.SETUP_ISSUED, actor="init", object_id=token_id, now=now)
    return secret


def require_valid(session: Session, token: str, *, now: datetime) -> None:
    """Raise Unauthenticated if the link is not valid, before a password is hashed."""
    if session.exec(select(SetupTokenRow.id).where(*_unused(token, now))).first() is None:
        raise Unauthenticated(INVALID)


def complete(session: Session, token: str, administrator: UserRow, *, now: datetime) -> UserRow:
    """Create the first administrator and invalidate the link. Raises Unauthenticated if the link is not valid."""
    claim = update(SetupTokenRow).where(*_unused(token, now)).values(used_at=now)
    # A single statement: only one of two concurrent requests finds the link unused.
    claimed = cast("CursorResult[object]", session.exec(claim))
    if claimed.rowcount != 1 or users.has_administrator(session):
        raise Unauthenticated(INVALID)
    users.create_user(session, administrator, actor=administrator.name, now=now)
    audit_log.record(
        session, AuditAction.SETUP_COMPLETED, actor=administrator.name, object_id=administrator.id, now=now
    )
    return administrator


def _unused(token: str, now: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        col(SetupTokenRow.secret_sha256) == secret_hash(token),
        col(SetupTokenRow.used_at).is_(None),
        col(SetupTokenRow.expires_at) > now,
    )
