"""How often somebody may try to sign in: counted in the database, so that all processes count together, and before the
password is hashed, which is dear on purpose. What succeeds does not count."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, update
from sqlmodel import Session, col, select

from treaty.registry.audit import audit_log
from treaty.registry.core.database import lock
from treaty.registry.core.enums import AuditAction
from treaty.registry.core.errors import RateLimited
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import SignInWindowRow, UserRow

COUNTING = 7_268_392_105
TOO_MANY_ATTEMPTS = "too many attempts to sign in have failed: try again in {} minutes"


@dataclass(frozen=True)
class RateLimit:
    """At most so many attempts `window` a time, of one kind (name, address). `value`: by whom, as they say."""

    kind: str
    value: str
    most: int
    window: timedelta

    @property
    def key(self) -> str:
        """What the attempts are counted under. People type passwords where a name belongs: too little of the hash is
        kept to tell which."""
        return f"{self.kind}/{hashlib.sha256(self.value.encode()).hexdigest()[:8]}"


def limits(settings: RegistrySettings, *, address: str | None, name: str | None = None) -> tuple[RateLimit, ...]:
    """The limits to a sign-in by that name (None: by none) from that address (None: it is not known)."""
    within = timedelta(minutes=settings.sign_in_window_minutes)
    typed = None if name is None else name.strip().lower()
    tried = (
        ("name", typed, settings.sign_in_attempts_per_name),
        ("address", address, settings.sign_in_attempts_per_address),
    )
    return tuple(RateLimit(kind, value, most, within) for kind, value, most in tried if value is not None)


def refuse(session: Session, tried: Sequence[RateLimit], *, now: datetime) -> None:
    """Returns while the attempts may go on. Raises TooMany where it was said before that they may not: this reads only,
    so that a crowd at the door does not keep others from writing."""
    for each in tried:
        window = session.get(SignInWindowRow, each.key)
        if window and window.is_refused and _lasts(window, each, now):
            raise _too_many(window, each, now)


def count(session: Session, tried: Sequence[RateLimit], *, now: datetime) -> RateLimited | None:
    """Counts the attempt; or says that it is one too many, which is audited once in a window. Commit either."""
    lock(session, COUNTING)
    windows = [(each, _window(session, each, now)) for each in tried]
    for each, window in windows:
        if window.attempts >= each.most:
            _note(session, window, each, now)
            return _too_many(window, each, now)
    for _, window in windows:
        window.attempts += 1
    return None


def forgive(session: Session, tried: Sequence[RateLimit]) -> None:
    """Takes the attempt, which succeeded, off again."""
    counted = col(SignInWindowRow.key).in_([each.key for each in tried]) & (col(SignInWindowRow.attempts) > 0)
    session.exec(update(SignInWindowRow).where(counted).values(attempts=col(SignInWindowRow.attempts) - 1))


def forget(session: Session, *, before: datetime) -> int:
    """Deletes what was counted since before that time; how much that was."""
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
    """The address, or the name where somebody has it: any other text may be a password."""
    if limit.kind == "address":
        return {"address": limit.value}
    known = session.exec(select(UserRow.name).where(UserRow.name == limit.value)).first()
    return {"user": known} if known else {}
