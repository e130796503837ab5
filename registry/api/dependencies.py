"""What routes are handed: the service's parts, a session, the principal. Routes that write commit themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import Engine
from sqlmodel import Session

from registry import access, clock
from registry.api import once
from registry.config import Settings
from registry.cursors import Asked
from registry.database import reading, transaction
from registry.errors import Unauthenticated

bearer = HTTPBearer(auto_error=False, description="an API token, or the secret of a session")


@dataclass(frozen=True)
class Service:
    """The parts that one process shares, made once in `create_app`."""

    settings: Settings
    engine: Engine


def service(request: Request) -> Service:
    """The parts of the application that serves this request."""
    found: Service = request.app.state.service
    return found


Shared = Annotated[Service, Depends(service)]


def secret(given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
    """The bearer of the request. Raises Unauthenticated where there is none."""
    if given is None:
        raise Unauthenticated("send an API token or the secret of a session as `Authorization: Bearer ...`")
    return given.credentials


Secret = Annotated[str, Depends(secret)]


def address(request: Request) -> str | None:
    """The address that the request came from; None where there is none, as in a test."""
    return request.client.host if request.client else None


Address = Annotated[str | None, Depends(address)]


def caller(shared: Shared, bearer: Secret) -> access.Principal:
    """Who is asking. Their rights are read anew with every request."""
    now = clock.now()
    with reading(shared.engine) as tx:
        principal = access.principal_of(tx, bearer, now=now)
    if access.stale(principal, now=now):
        with transaction(shared.engine) as tx:
            access.mark_used(tx, principal, now=now)
            tx.commit()
    return principal


def reader(shared: Shared) -> Iterator[Session]:
    """A session for a route that only reads."""
    with reading(shared.engine) as tx:
        yield tx


Caller = Annotated[access.Principal, Depends(caller)]
Reader = Annotated[Session, Depends(reader)]


def writer(request: Request, shared: Shared, by: Caller) -> Iterator[Session]:
    """A session for a route that writes. The route commits: this clean-up may run after the answer was sent.

    A POST with an idempotency key is done once: raises as `idempotency.begin`."""
    asked: once.Once | None = request.scope.get(once.SCOPE)
    opened = asked.transaction(shared.engine, by.user_id, now=clock.now()) if asked else transaction(shared.engine)
    with opened as tx:
        yield tx


def opener(shared: Shared) -> Iterator[Session]:
    """A session for a route that lets somebody in, who therefore has no name yet. The route commits."""
    with transaction(shared.engine) as tx:
        yield tx


def paging(
    limit: Annotated[int, Query(ge=1, le=500, description="the most items of one answer")] = 100,
    cursor: Annotated[str | None, Query(max_length=4000, description="the `next` of the answer before")] = None,
) -> Asked:
    """Which portion of a list is asked for."""
    return Asked(limit, cursor)


Writer = Annotated[Session, Depends(writer)]
Opener = Annotated[Session, Depends(opener)]
Paging = Annotated[Asked, Depends(paging)]
