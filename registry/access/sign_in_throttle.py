"""Slow down failed sign-in attempts.

Attempts are counted in the database, across all processes, before the password is hashed, which is deliberately slow.
Successful attempts do not count. A name alone is never limited: anyone could keep its user out."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from sqlalchemy import delete, update
from sqlmodel import Session, col

from treaty.registry.access.authentication import user_named
from treaty.registry.audit import audit_log
from treaty.registry.core.audit_actions import AuditAction
from treaty.registry.core.database import lock
from treaty.registry.core.errors import RateLimited
from treaty.registry.core.settings import RegistrySettings
from treaty.registry.tables import SignInWindowRow, UserRow

COUNTING = 7_268_392_105
TOO_MANY_ATTEMPTS = "Too many failed sign-in attempts. Try again in {}."


@dataclass(frozen=True)
class RateLimit:
    """A limit of attempts in a window.

    `most` attempts are free; as many again are possible, spread evenly over the window.

    `key`: identifies the counter. `details`: what the audit log says of it."""

    key: str
    most: int
    window: timedelta
    details: dict[str, str]

    def next_at(self, window: SignInWindowRow) -> datetime:
        """Return the earliest time of the next attempt."""
        beyond = max(0, window.attempts - self.most + 1)
        return window.started_at + self.window * (beyond / self.most)


def limits(
    session: Session, settings: RegistrySettings, *, address: str | None, name: str | None = None
) -> tuple[RateLimit, ...]:
    """Return the limits that apply to a sign-in attempt: of the name at the address, and of the address.

    `address`: None if unknown. `name`: None if the sign-in has no name."""
    window, network = timedelta(minutes=settings.sign_in_window_minutes), network_of(address)
    applicable: list[RateLimit] = []
    if name is not None:
        user = user_named(session, name)
        details = {"by": "name", "address": network, **({"user": user.name} if user else {})}
        most = settings.sign_in_attempts_per_name_and_address
        applicable.append(RateLimit(_key("name", _subject(user, name), network), most, window, details))
    if network:
        details = {"by": "address", "address": network}
        applicable.append(RateLimit(_key("address", network), settings.sign_in_attempts_per_address, window, details))
    return tuple(applicable)


def network_of(address: str | None) -> str:
    """Return the address, of IPv6 its /64 network; '' if it is unknown.

    One client can use a whole /64 network."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or ""
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else str(parsed)


def _subject(user: UserRow | None, name: str) -> str:
    """Return what identifies the name.

    People sometimes enter a password as their name. The hash of an unknown name is too short to identify it; nobody can
    choose a name with the same hash as a user's, because users are identified by their id."""
    return str(user.id) if user else f"?{_digest(name.strip().lower())[:8]}"


def _key(*parts: str) -> str:
    return f"{parts[0]}/{_digest(chr(0).join(parts))[:32]}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def refuse(session: Session, rate_limits: Sequence[RateLimit], *, now: datetime) -> None:
    """Raise RateLimited if a limit has already been exceeded.

    Reads only, so that many attempts do not block other writers."""
    for each in rate_limits:
        window = session.get(SignInWindowRow, each.key)
        if window and window.is_refused and _lasts(window, each, now) and now < each.next_at(window):
            raise _too_many(window, each, now)


def count(session: Session, rate_limits: Sequence[RateLimit], *, now: datetime) -> RateLimited | None:
    """Count the attempt, or return the error if a limit is exceeded.

    The first excess in a window is audited. Commit in either case."""
    lock(session, COUNTING)
    windows = [(each, _window(session, each, now)) for each in rate_limits]
    for each, window in windows:
        if now < each.next_at(window):
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
    until = min(limit.next_at(window), window.started_at + limit.window)
    left = max(1, math.ceil((until - now).total_seconds()))
    return RateLimited(TOO_MANY_ATTEMPTS.format(f"{left} s" if left < 120 else f"{-(-left // 60)} min"), seconds=left)


def _note(session: Session, window: SignInWindowRow, limit: RateLimit, now: datetime) -> None:
    if window.is_refused:
        return
    window.is_refused = True
    details = {**limit.details, "attempts": window.attempts}
    audit_log.record(
        session, AuditAction.SESSION_REFUSED, actor="sign-in", object_id=limit.key, now=now, details=details
    )
