"""The first administrator: a one-time link, printed once, valid for a day, of which only a hash is kept."""

import secrets
from datetime import datetime, timedelta
from typing import cast
from uuid import UUID

from sqlalchemy import CursorResult, update
from sqlmodel import Session, col

from treaty.engine.core import clock
from treaty.registry.access import users
from treaty.registry.access.authentication import secret_hash
from treaty.registry.audit import audit_log
from treaty.registry.core import ids
from treaty.registry.core.database import connect, migrate, transaction
from treaty.registry.core.enums import AuditAction
from treaty.registry.core.errors import Conflict, Unauthenticated
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import SetupTokenRow, UserRow

INVALID = "this link is not valid: it was used, it is older than a day, or another was made; run `treaty init` again"


def initialise(settings: RegistrySettings) -> str:
    """Brings the database up and returns the one-time link. Raises Conflict where an administrator exists already."""
    settings.home.mkdir(parents=True, exist_ok=True)
    engine = connect(settings.database)
    migrate(engine)
    now = clock.now()
    with transaction(engine) as tx:
        secret = issue(tx, token_id=ids.new(), now=now, lasts=timedelta(hours=settings.setup_link_lifetime_hours))
        tx.commit()
    engine.dispose()
    return f"{settings.ui_url}/setup?token={secret}"


def issue(session: Session, *, token_id: UUID, now: datetime, lasts: timedelta) -> str:
    """The secret of a new one-time link; earlier ones end. Raises Conflict where an administrator exists already."""
    if users.has_administrator(session):
        raise Conflict("this registry has an administrator: ask them for an account")
    session.exec(update(SetupTokenRow).where(col(SetupTokenRow.used_at).is_(None)).values(used_at=now))
    secret = secrets.token_urlsafe(32)
    session.add(SetupTokenRow(id=token_id, secret_sha256=secret_hash(secret), created_at=now, expires_at=now + lasts))
    audit_log.record(session, AuditAction.SETUP_ISSUED, actor="init", object_id=token_id, now=now)
    return secret


def complete(session: Session, token: str, administrator: UserRow, *, now: datetime) -> UserRow:
    """Creates the first administrator and ends the link. Raises Unauthenticated where the link is not valid."""
    unused = (
        col(SetupTokenRow.secret_sha256) == secret_hash(token),
        col(SetupTokenRow.used_at).is_(None),
        col(SetupTokenRow.expires_at) > now,
    )
    # One statement: of two that come at once, one finds the link unused.
    taken = cast("CursorResult[object]", session.exec(update(SetupTokenRow).where(*unused).values(used_at=now)))
    if taken.rowcount != 1 or users.has_administrator(session):
        raise Unauthenticated(INVALID)
    users.create_user(session, administrator, actor=administrator.name, now=now)
    audit_log.record(
        session, AuditAction.SETUP_COMPLETED, actor=administrator.name, object_id=administrator.id, now=now
    )
    return administrator
