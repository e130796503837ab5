"""Dependencies of the routes: shared services, sessions and the principal.

Routes that write commit themselves. Dependencies that do not use the database are `async`, which saves them a
thread."""

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
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.errors import Unauthenticated
from treaty.registry.core.pagination import PageRequest
from treaty.registry.core.settings import RegistrySettings

ContractId = Annotated[LookupText, Query(min_length=1, max_length=500, description="Id of the contract")]
ContractFilter = Annotated[LookupText | None, Query(description="Only results for this contract")]
ObjectName = Annotated[LookupText, Query(description="Name of the object: a table of the contract")]
# Scope key of the authenticated principal.
PRINCIPAL = "treaty.principal"
bearer = HTTPBearer(auto_error=False, description="An API token or the secret of a session")


@dataclass(frozen=True)
class Service:
    """Objects shared by all requests of a process, created in `create_app`."""

    settings: RegistrySettings
    engine: Engine
    provider: OidcProvider | None = None


async def service(request: Request) -> Service:
    """Return the shared objects of the application."""
    shared: Service = request.app.state.service
    return shared


Shared = Annotated[Service, Depends(service)]


def bearer_of(credentials: HTTPAuthorizationCredentials | None) -> str:
    """Return the bearer token of the request. Raises Unauthenticated if there is none."""
    if credentials is None:
        raise Unauthenticated("Send an API token or the secret of a session as `Authorization: Bearer ...`.")
    return credentials.credentials


async def secret(credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> str:
    """Return the bearer token of the request. Raises like `bearer_of`."""
    return bearer_of(credentials)


Secret = Annotated[str, Depends(secret)]


async def address(request: Request) -> str | None:
    """Return the address of the client; None if it is unknown, as in tests."""
    return request.client.host if request.client else None


Address = Annotated[str | None, Depends(address)]


async def caller(request: Request, _: Secret) -> authentication.Principal:
    """Return the principal of the request, which its route authenticated."""
    principal: authentication.Principal = request.scope[PRINCIPAL]
    return principal


def authenticated(shared: Service, credential: str) -> authentication.Principal:
    """Return the principal of a credential. Permissions are read from the database for every request."""
    now = clock.now()
    if shared.provider and oidc.is_token(credential):
        return identified(shared, shared.provider.identify(credential, now=now), now)
    with read_session(shared.engine) as tx:
        principal = authentication.principal_of(tx, credential, now=now)
    if authentication.needs_usage_update(principal, now=now):
        with transaction(shared.engine) as tx:
            authentication.mark_used(tx, principal, now=now)
            tx.commit()
    return principal


def identified(shared: Service, who: Identity, now: datetime) -> authentication.Principal:
    """Return the principal of the provider's user.

    Creates the user if the settings allow it. Raises Unauthenticated if the user is unknown."""
    with read_session(shared.engine) as tx:
        principal = authentication.principal_by_name(tx, who.name, who.teams)
    if principal is None and shared.settings.oidc_create_users:
        with transaction(shared.engine) as tx:
            users.create_identified(tx, who.name, user_id=ids.new(), now=now)
            principal = authentication.principal_by_name(tx, who.name, who.teams)
            tx.commit()
    if principal is None:
        raise Unauthenticated("The identity provider's user is unknown here. Ask an administrator for an account.")
    return principal


def reader(shared: Shared) -> Iterator[Session]:
    """Yield a session for a route that only reads."""
    with read_session(shared.engine) as tx:
        yield tx


Caller = Annotated[authentication.Principal, Depends(caller)]
Reader = Annotated[Session, Depends(reader)]


def writer(request: Request, shared: Shared, by: Caller) -> Iterator[Session]:
    """Yield a session for a route that writes.

    The route commits, because this cleanup may run after the response was sent. A POST with an idempotency key is
    executed once; raises like `idempotency.begin`."""
    idempotent: idempotency.IdempotentRequest | None = request.scope.get(idempotency.SCOPE)
    context = idempotent.transaction(shared.engine, by, now=clock.now()) if idempotent else transaction(shared.engine)
    with context as tx:
        yield tx


def opener(shared: Shared) -> Iterator[Session]:
    """Yield a session for signing in, when there is no principal yet. The route commits."""
    with transaction(shared.engine) as tx:
        yield tx


async def paging(
    limit: Annotated[int, Query(ge=1, le=500, description="Maximum number of items per page")] = 100,
    cursor: Annotated[
        LookupText | None, Query(max_length=4000, description="Cursor: `next` of the previous page")
    ] = None,
) -> PageRequest:
    """Return the requested page of a list."""
    return PageRequest(limit, cursor)


Writer = Annotated[Session, Depends(writer)]
Opener = Annotated[Session, Depends(opener)]
Paging = Annotated[PageRequest, Depends(paging)]
