"""What routes are handed: the service's parts, a session, the principal. Routes that write commit themselves.

What asks nothing of the database is `async`: it is then told in place, and not by a thread of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import Depends, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import Engine
from sqlmodel import Session

from treaty.engine.core import clock
from treaty.registry.access import authentication, oidc, users
from treaty.registry.access.oidc import Identity, OidcProvider
from treaty.registry.api.http import idempotency
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import Unauthenticated
from treaty.registry.core.pagination import PageRequest
from treaty.registry.core.settings import RegistrySettings

ContractId = Annotated[str, Query(min_length=1, max_length=500, description="the contract's id")]
bearer = HTTPBearer(auto_error=False, description="an API token, or the secret of a session")


@dataclass(frozen=True)
class Service:
    """The parts that one process shares, made once in `create_app`."""

    settings: RegistrySettings
    engine: Engine
    provider: OidcProvider | None = None


async def service(request: Request) -> Service:
    """The parts of the application that serves this request."""
    found: Service = request.app.state.service
    return found


Shared = Annotated[Service, Depends(service)]


def bearer_of(given: HTTPAuthorizationCredentials | None) -> str:
    """The bearer of the request. Raises Unauthenticated where there is none."""
    if given is None:
        raise Unauthenticated("send an API token or the secret of a session as `Authorization: Bearer ...`")
    return given.credentials


async def secret(given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
    """The bearer of the request. Raises as `bearer_of`."""
    return bearer_of(given)


Secret = Annotated[str, Depends(secret)]


async def address(request: Request) -> str | None:
    """The address that the request came from; None where there is none, as in a test."""
    return request.client.host if request.client else None


Address = Annotated[str | None, Depends(address)]


def caller(shared: Shared, bearer: Secret) -> authentication.Principal:
    """Who is asking. Their rights are read anew with every request."""
    now = clock.now()
    if shared.provider and oidc.is_token(bearer):
        return identified(shared, shared.provider.identify(bearer, now=now), now)
    with read_session(shared.engine) as tx:
        principal = authentication.principal_of(tx, bearer, now=now)
    if authentication.needs_usage_update(principal, now=now):
        with transaction(shared.engine) as tx:
            authentication.mark_used(tx, principal, now=now)
            tx.commit()
    return principal


def identified(shared: Service, who: Identity, now: datetime) -> authentication.Principal:
    """The user whom the provider names; made, where the settings say so. Raises Unauthenticated for an unknown one."""
    with read_session(shared.engine) as tx:
        found = authentication.principal_by_name(tx, who.name, who.teams)
    if found is None and shared.settings.oidc_create_users:
        with transaction(shared.engine) as tx:
            users.create_identified(tx, who.name, user_id=ids.new(), now=now)
            found = authentication.principal_by_name(tx, who.name, who.teams)
            tx.commit()
    if found is None:
        raise Unauthenticated("nobody here has the name that the identity provider says: ask an administrator")
    return found


def reader(shared: Shared) -> Iterator[Session]:
    """A session for a route that only reads."""
    with read_session(shared.engine) as tx:
        yield tx


Caller = Annotated[authentication.Principal, Depends(caller)]
Reader = Annotated[Session, Depends(reader)]


def writer(request: Request, shared: Shared, by: Caller) -> Iterator[Session]:
    """A session for a route that writes. The route commits: this clean-up may run after the answer was sent.

    A POST with an idempotency key is done once: raises as `idempotency.begin`."""
    asked: idempotency.IdempotentRequest | None = request.scope.get(idempotency.SCOPE)
    opened = asked.transaction(shared.engine, by, now=clock.now()) if asked else transaction(shared.engine)
    with opened as tx:
        yield tx


def opener(shared: Shared) -> Iterator[Session]:
    """A session for a route that lets somebody in, who therefore has no name yet. The route commits."""
    with transaction(shared.engine) as tx:
        yield tx


async def paging(
    limit: Annotated[int, Query(ge=1, le=500, description="the most items of one answer")] = 100,
    cursor: Annotated[str | None, Query(max_length=4000, description="the `next` of the answer before")] = None,
) -> PageRequest:
    """Which portion of a list is asked for."""
    return PageRequest(limit, cursor)


Writer = Annotated[Session, Depends(writer)]
Opener = Annotated[Session, Depends(opener)]
Paging = Annotated[PageRequest, Depends(paging)]
