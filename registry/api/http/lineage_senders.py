"""Authenticate senders of lineage events.

Accepted senders are cached for a short time. Their permission is verified again in the transaction that stores their
events."""

import time
from dataclasses import dataclass

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry.access import authentication, oidc
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.api.http.dependencies import Service, authenticated, bearer, bearer_of
from treaty.registry.core.enums import Permission
from treaty.registry.lineage.events.receiver import WritePermit

# Scope key of the sender.
SENDER = "treaty.sender"
LASTS = 30.0
MOST = 1000


@dataclass(frozen=True)
class LineageSender:
    """A principal that may send lineage events.

    `permit`: permission to verify again; None if it was verified just now."""

    who: Principal
    permit: WritePermit | None = None


class SenderCache:
    """Recently accepted senders by the hash of their credential, for one event loop."""

    def __init__(self) -> None:
        self._senders: dict[str, tuple[float, LineageSender]] = {}

    def find(self, key: str) -> LineageSender | None:
        """Return the cached sender; None if there is none."""
        until, entry = self._senders.get(key, (0.0, None))
        return entry if time.monotonic() < until else None

    def keep(self, key: str, sender: LineageSender) -> None:
        """Cache the sender."""
        if len(self._senders) >= MOST:
            self._senders.clear()
        self._senders[key] = (time.monotonic() + LASTS, sender)


async def authenticate_sender(request: Request) -> None:
    """Store the sender of the request in its scope. Raises Unauthenticated, and Forbidden without the permission."""
    request.scope[SENDER] = await _sender(request)


async def _sender(request: Request) -> LineageSender:
    credential = bearer_of(await bearer(request))
    cache: SenderCache = request.app.state.senders
    key = authentication.secret_hash(credential)
    if (entry := cache.find(key)) is not None:
        return entry
    shared: Service = request.app.state.service
    principal = await run_in_threadpool(authenticated, shared, credential)
    require_permission(principal, Permission.LINEAGE)
    if shared.provider and oidc.is_token(credential):
        return LineageSender(principal)
    entry = LineageSender(principal, WritePermit(key, lambda session: _check(session, credential)))
    cache.keep(key, entry)
    return entry


def _check(session: Session, shown: str) -> None:
    require_permission(authentication.principal_of(session, shown, now=clock.now()), Permission.LINEAGE)
