"""Who sends lineage. Whoever was admitted is known for a while: their right is asked for again where it counts, in the
transaction that keeps what they send."""

import time
from dataclasses import dataclass

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry.access import authentication, oidc
from treaty.registry.access.authentication import Principal, require_permission
from treaty.registry.api.http.dependencies import Service, bearer, bearer_of, caller
from treaty.registry.core.enums import Permission
from treaty.registry.lineage.events.receiver import WritePermit

LASTS = 30.0
MOST = 1000


@dataclass(frozen=True)
class LineageSender:
    """Somebody who may send lineage. `permit`: what is asked again; None: it was asked just now."""

    who: Principal
    permit: WritePermit | None = None


class SenderCache:
    """Those who were admitted of late, by the hash of what they showed. For one event loop."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, LineageSender]] = {}

    def find(self, key: str) -> LineageSender | None:
        """The sender; None for who was not admitted of late."""
        until, found = self._known.get(key, (0.0, None))
        return found if time.monotonic() < until else None

    def keep(self, key: str, sender: LineageSender) -> None:
        """Remembers the sender for a while."""
        if len(self._known) >= MOST:
            self._known.clear()
        self._known[key] = (time.monotonic() + LASTS, sender)


async def sender(request: Request) -> LineageSender:
    """Who sends, who must be permitted to write lineage; asked before a byte of the body is read."""
    shown = bearer_of(await bearer(request))
    known: SenderCache = request.app.state.senders
    key = authentication.secret_hash(shown)
    if (found := known.find(key)) is not None:
        return found
    shared: Service = request.app.state.service
    who = await run_in_threadpool(caller, shared, shown)
    require_permission(who, Permission.LINEAGE)
    if shared.provider and oidc.is_token(shown):
        return LineageSender(who)
    found = LineageSender(who, WritePermit(key, lambda session: _check(session, shown)))
    known.keep(key, found)
    return found


def _check(session: Session, shown: str) -> None:
    require_permission(authentication.principal_of(session, shown, now=clock.now()), Permission.LINEAGE)
