"""Limit failed sign-in attempts.

Attempts are counted in the database, across all processes, before the password is hashed, which is deliberately slow.
Successful attempts do not count."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import lock
from treaty.registry.core.errors import RateLimited
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import SignInWindowRow, UserRow

COUNTING = 7_268_392_105
TOO_MANY_ATTEMPTS = "Too many failed sign-in attempts. Try again in {} min."


@dataclass(frozen=True)
class RateLimit:
    """A limit of `most` attempts per `window`.

    `kind`: "name" or "address". `value`: the user name or address as submitted."""

    kind: str
    value: str
    most: int
    window: timedelta

    @property
    def key(self) -> str:
        """Return the key of the counter.

        Users sometimes type a password as their name, so the stored hash is too short to identify the text."""
        return f"{self.kind}/{hashlib.sha256(self.value.encode()).hexdigest()[:8]}"


def limits(settings: RegistrySettings, *, address: str | None, name: str | None = None) -> tuple[RateLimit, ...]:
    """Return the limits that apply to a sign-in attempt.

    `address`: None if unknown. `name`: None if the sign-in has no name."""
    window = timedelta(minutes=settings.sign_in_window_minutes)
    user_name = None if name is None else name.strip().lower()
    rules = (
        ("name", user_name, settings.sign_in_attempts_per_name),
        ("address", address, settings.sign_in_attempts_per_address),
    )
    return tuple(RateLimit(kind, value, most, window) for kind, value, most in rules if value is not None)


def refuse(session: Session, rate_limits: Sequence[RateLimit], *, now: datetime) -> None:
    """Raise RateLimited if a limit has already been exceeded.

    Reads only, so that many attempts do not block other writers."""
    for each in rate_limits:
        window = session.get(SignInWindowRow, each.key)
        if window and window.is_refused and _lasts(window, each, now):
            raise _too_many(window, each, now)


def count(session: Session, rate_limits: Sequence[RateLimit], *, now: datetime) -> RateLimited | None:
    """Count the attempt, or return the error if a limit is exceeded.

    The first excess in a window is audited. Commit in either case."""
    lock(session, COUNTING)
    windows = [(each, _window(session, each, now)) for each in rate_limits]
    for each, window in windows:
        if window.attempts >= each.most:
            _note(session, window, each, now)
            return _too_many(window, each, now)
    for _, window in windows:
        window.attempts += 1
    return None


def forgive(session: Session, rate_limits: Sequence[RateLimit]) -> None:
    """Subtract an attempt that succeeded."""
    counted = col(SignInWindowRow.key).in_([each.key for each in rate_limits]) & (col(SignInWindowRow.attempts) > 0)
    session.exec(update(SignInWindowRow).where(counted).values(attempts=col(SignInWindowRow.attempts) - 1))


def forget(session: Session, *, before: datetime) -> int:
    """Delete windows that started before that time and return their number."""
    return session.exec(delete(SignInWindowRow).where(col(SignInWindowRow.started_at) < before)).rowcount


def _window(session: Session, limit: RateLimit, now: datetime) -> SignInWindowRow:
    window = session.get(SignInWindowRow, limit.key) or SignInWindowRow(key=limit.key, started_at=now)
    if not _lasts(window, limit, now):
        window.started_at, window.attempts, window.is_refused = now, 0, False
    session.add(window)
    return window


def _lasts(window: SignInWindowRow, limit: RateLimit, now: datetime) -> bool:
    return now < window.started_at + limit.window


def _too_many(window: SignInWindowRow, limit: RateLimit, now: datetime) -> RateLimited:
    left = max(1, int((window.started_at + limit.window - now).total_seconds()))
    return RateLimited(TOO_MANY_ATTEMPTS.format(-(-left // 60)), seconds=left)


def _note(session: Session, window: SignInWindowRow, limit: RateLimit, now: datetime) -> None:
    if window.is_refused:
        return
    window.is_refused = True
    details = {"by": limit.kind, "attempts": window.attempts, **_audit_subject(session, limit)}
    audit_log.record(
        session, AuditAction.SESSION_REFUSED, actor="sign-in", object_id=limit.key, now=now, details=details
    )


def _audit_subject(session: Session, limit: RateLimit) -> dict[str, str]:
    """Return the address, or the name if a user has it: any other text may be a password."""
    if limit.kind == "address":
        return {"address": limit.value}
    user_name = session.exec(select(UserRow.name).where(UserRow.name == limit.value)).first()
    return {"user": user_name} if user_name else {}
