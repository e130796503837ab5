"""Routes of setup, sessions, users, tokens, teams and grants."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Query, Response
from fastapi.concurrency import run_in_threadpool

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, first_admin, grants, oidc, sign_in_throttle, teams, users
from treaty.registry.access.grants import NamedGrant
from treaty.registry.access.password_queue import QUEUE
from treaty.registry.access.sign_in_throttle import RateLimit
from treaty.registry.access.teams import TeamListing
from treaty.registry.api.http import presenters
from treaty.registry.api.http.admission import admission, admission_router, anyone, sign_in_body
from treaty.registry.api.http.dependencies import (
    Address,
    Caller,
    Opener,
    Paging,
    Reader,
    Secret,
    Service,
    Shared,
    Writer,
    identified,
)
from treaty.registry.api.http.etags import NeedsMatch, with_etag
from treaty.registry.core import ids
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.core.errors import NotFound, Unauthenticated
from treaty.registry.tables import RoleGrantRow, TeamRow, UserRow

router = admission_router(tags=["people"])
UserName = Annotated[LookupText, Query(max_length=100, description="Name of the user to remove")]


async def token_revocation(
    *,
    revoke_tokens: Annotated[
        bool, Query(description="Also revoke the API tokens of everyone who loses the role")
    ] = False,
) -> bool:
    """Return whether tokens end with the role."""
    return revoke_tokens


RevokeTokens = Annotated[bool, Depends(token_revocation)]
Target = Annotated[LookupText | None, Query(max_length=500, description="A domain, a contract id or a dataset id")]


def same_token(token_id: UUID, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Raise PreconditionRequired without If-Match, and PreconditionFailed if the token does not match it."""
    if match.stated:
        token = users.locked_token(tx, token_id, by)
        match.check(tx, token_id, schemas.TokenOut.model_validate(token).etag)


def same_team(team_id: UUID, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Raise like `same_token` for the team."""
    if match.stated:
        match.check(tx, team_id, _team(teams.team_listing(tx, teams.led(tx, team_id, by))).etag)


def same_grant(grant_id: UUID, by: Caller, tx: Writer, match: NeedsMatch) -> None:
    """Raise like `same_token` for the grant."""
    if match.stated:
        match.check(tx, grant_id, _grant(grants.locked(tx, grant_id, by)).etag)


@router.post("/setup", status_code=201)
@admission(authenticate=anyone, body=sign_in_body)
def complete_setup(body: schemas.SetupIn, shared: Shared, address: Address) -> schemas.UserOut:
    """Create the first administrator with the one-time link."""
    now = clock.now()
    with QUEUE.place(sign_in_throttle.network_of(address)):
        limits = _count(shared, now, address=address)
        with read_session(shared.engine) as read_tx:
            first_admin.require_valid(read_tx, body.token, now=now)
        password = body.password.get_secret_value()
        user = users.new_user(ids.new(), name=body.name, password=password, roles=[Role.ADMIN], now=now)
    with transaction(shared.engine) as tx:
        administrator = first_admin.complete(tx, body.token, user, now=now)
        sign_in_throttle.forgive(tx, limits)
        tx.commit()
        return schemas.UserOut.model_validate(administrator)


@router.post("/session", status_code=201)
@admission(authenticate=anyone, body=sign_in_body)
async def sign_in(body: schemas.CredentialsIn, shared: Shared, address: Address) -> schemas.SessionOut:
    """Open a session with name and password.

    Responds in the same way to a wrong name and a wrong password, and with 429 after too many failed attempts."""
    # A place in the queue is taken first, so that no more threads wait for passwords than there are places.
    with QUEUE.place(sign_in_throttle.network_of(address)):
        return await run_in_threadpool(_signed_in, body, shared, address)


def _signed_in(body: schemas.CredentialsIn, shared: Service, address: str | None) -> schemas.SessionOut:
    now = clock.now()
    limits = _count(shared, now, address=address, name=body.name)
    with read_session(shared.engine) as read_tx:
        user = authentication.authenticate(read_tx, body.name, body.password.get_secret_value())
    lifetime = timedelta(hours=shared.settings.session_lifetime_hours)
    with transaction(shared.engine) as tx:
        secret, web_session = authentication.sign_in(tx, user, session_id=ids.new(), now=now, lasts=lifetime)
        sign_in_throttle.forgive(tx, limits)
        tx.commit()
    return schemas.SessionOut(
        secret=secret, expires_at=web_session.expires_at, user=schemas.UserOut.model_validate(user)
    )


@router.post("/session/oidc", status_code=201)
@admission(authenticate=anyone, body=sign_in_body)
def sign_in_with_oidc(body: schemas.IdentityTokenIn, shared: Shared, tx: Opener) -> schemas.SessionOut:
    """Open a session with an identity provider's token.

    The session includes the grants of the teams that the token's groups map to. Responds 401 if the token is not
    valid or belongs to another sign-in, and 404 if no provider is configured."""
    now = clock.now()
    if shared.provider is None:
        raise NotFound
    identity = shared.provider.identify(body.token.get_secret_value(), now=now)
    if identity.nonce is None or not compare_digest(identity.nonce.encode(), body.nonce.get_secret_value().encode()):
        raise Unauthenticated(oidc.REFUSED)
    principal = identified(shared, identity, now)
    user, lifetime = tx.get_one(UserRow, principal.user_id), timedelta(hours=shared.settings.session_lifetime_hours)
    secret, web_session = authentication.sign_in(
        tx, user, session_id=ids.new(), now=now, lasts=lifetime, teams=identity.teams
    )
    tx.commit()
    return schemas.SessionOut(
        secret=secret, expires_at=web_session.expires_at, user=schemas.UserOut.model_validate(user)
    )


@router.delete("/session", status_code=204)
def sign_out(bearer: Secret, _: Caller, tx: Writer) -> None:
    """Close the current session."""
    authentication.sign_out(tx, bearer, now=clock.now())
    tx.commit()


@router.get("/me")
def get_me(by: Caller, tx: Reader) -> schemas.CurrentUserOut:
    """Retrieve the caller and their permissions."""
    return presenters.me(tx.get_one(UserRow, by.user_id), by)


@router.get("/users")
def list_users(by: Caller, tx: Reader, paging: Paging) -> schemas.Page[schemas.UserOut]:
    """List users by name."""
    return presenters.page(schemas.UserOut.model_validate, users.users(tx, by, paging))


@router.post("/users", status_code=201)
@admission(Permission.USERS)
def create_user(body: schemas.UserIn, by: Caller, tx: Writer) -> schemas.UserOut:
    """Create a user."""
    authentication.require_permission(by, Permission.USERS)
    now = clock.now()
    secret = body.password.get_secret_value() if body.password else None
    user = users.new_user(ids.new(), name=body.name, password=secret, roles=body.roles, now=now)
    created = users.create_user(tx, user, actor=by.name, now=now)
    tx.commit()
    return schemas.UserOut.model_validate(created)


@router.patch("/users/{user_id}")
@admission(Permission.USERS)
def change_user(
    user_id: UUID, body: schemas.UserUpdateIn, by: Caller, tx: Writer, match: NeedsMatch, answer: Response
) -> schemas.UserOut:
    """Update a user and end their sessions. Requires If-Match: the `etag` of the user as read, or `*`."""
    authentication.require_permission(by, Permission.USERS)
    hashed = authentication.hash_password(body.password.get_secret_value()) if body.password else None
    if match.stated:
        match.check(tx, user_id, schemas.UserOut.model_validate(users.locked_user(tx, user_id)).etag)
    change = users.UserUpdate(body.roles, body.active, hashed, revoke_tokens=body.revoke_tokens)
    user = users.change_user(tx, user_id, change, by=by, now=clock.now())
    tx.commit()
    return with_etag(answer, schemas.UserOut.model_validate(user))


@router.get("/tokens")
def list_tokens(by: Caller, tx: Reader, paging: Paging) -> schemas.Page[schemas.TokenOut]:
    """List the caller's API tokens, newest first. Users who manage users receive all tokens."""
    return presenters.page(schemas.TokenOut.model_validate, users.tokens(tx, by, paging))


@router.post("/tokens", status_code=201)
@admission(Permission.TOKENS)
def issue_token(body: schemas.TokenIn, by: Caller, tx: Writer) -> schemas.NewTokenOut:
    """Issue an API token. Its secret is shown only once."""
    now = clock.now()
    owner = body.user_id or by.user_id
    token = users.new_token(ids.new(), user_id=owner, name=body.name, scopes=body.scopes, now=now)
    token.expires_at = now + timedelta(days=body.expires_days) if body.expires_days else None
    secret = users.issue_token(tx, token, by=by, now=now)
    tx.commit()
    return schemas.NewTokenOut(secret=secret, token=schemas.TokenOut.model_validate(token))


@router.post("/tokens/{token_id}/rotation", status_code=201, dependencies=[Depends(same_token)])
@admission(Permission.TOKENS)
def rotate_token(token_id: UUID, body: schemas.RotationIn, by: Caller, tx: Writer) -> schemas.NewTokenOut:
    """Replace the secret of a token. The new secret is shown only once; the previous one remains valid for a while."""
    now = clock.now()
    rotation = users.TokenRotation(timedelta(hours=body.overlap_hours), body.expires_days)
    secret, token = users.rotate_token(tx, token_id, rotation, by=by, now=now)
    tx.commit()
    return schemas.NewTokenOut(secret=secret, token=schemas.TokenOut.model_validate(token))


@router.delete("/tokens/{token_id}", status_code=204, dependencies=[Depends(same_token)])
@admission(Permission.TOKENS)
def revoke_token(token_id: UUID, by: Caller, tx: Writer) -> None:
    """Revoke a token."""
    users.revoke_token(tx, token_id, by=by, now=clock.now())
    tx.commit()


@router.get("/teams")
def list_teams(by: Caller, tx: Reader, paging: Paging) -> schemas.Page[schemas.TeamOut]:
    """List the caller's teams by name. Users who manage users receive all teams."""
    return presenters.page(_team, teams.teams(tx, by, paging))


@router.post("/teams", status_code=201)
@admission(Permission.USERS)
def create_team(body: schemas.TeamIn, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Create a team."""
    now = clock.now()
    team = teams.create(tx, TeamRow(id=ids.new(), name=body.name, created_at=now), by=by, now=now)
    tx.commit()
    return _team(team)


@router.delete("/teams/{team_id}", status_code=204, dependencies=[Depends(same_team)])
@admission(Permission.USERS)
def remove_team(team_id: UUID, by: Caller, tx: Writer) -> None:
    """Delete a team with its grants."""
    teams.remove(tx, team_id, by=by, now=clock.now())
    tx.commit()


@router.put("/teams/{team_id}/members", dependencies=[Depends(same_team)])
def set_member(team_id: UUID, body: schemas.MemberIn, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Add a user to a team or change their role. Requires a team lead or permission to manage users."""
    team = teams.set_member(tx, team_id, body.name, body.role, by=by, now=clock.now())
    tx.commit()
    return _team(team)


@router.delete("/teams/{team_id}/members", dependencies=[Depends(same_team)])
def remove_member(
    team_id: UUID, name: UserName, by: Caller, tx: Writer, revoke_tokens: RevokeTokens
) -> schemas.TeamOut:
    """Remove a user from a team. Requires a team lead or permission to manage users.

    Revoking tokens requires permission to manage users."""
    now = clock.now()
    team = teams.remove_member(tx, team_id, name, by=by, now=now)
    if revoke_tokens and (user := authentication.user_named(tx, name)):
        users.revoke_tokens(tx, [user.id], by=by, now=now)
    tx.commit()
    return _team(team)


@router.get("/grants")
def list_grants(by: Caller, tx: Reader, paging: Paging, target: Target = None) -> schemas.Page[schemas.GrantOut]:
    """List grants, oldest first, optionally of one domain, contract or dataset."""
    return presenters.page(_grant, grants.grants(tx, by, paging, target=target))


@router.post("/grants", status_code=201)
@admission(Permission.USERS)
def give_grant(body: schemas.GrantIn, by: Caller, tx: Writer) -> schemas.GrantOut:
    """Grant a role to a user or a team."""
    now = clock.now()
    grant = grants.give(tx, RoleGrantRow(id=ids.new(), created_at=now, **body.model_dump()), by=by, now=now)
    tx.commit()
    return _grant(grant)


@router.delete("/grants/{grant_id}", status_code=204, dependencies=[Depends(same_grant)])
@admission(Permission.USERS)
def revoke_grant(grant_id: UUID, by: Caller, tx: Writer, revoke_tokens: RevokeTokens) -> None:
    """Revoke a grant."""
    now = clock.now()
    holders = grants.revoke(tx, grant_id, by=by, now=now)
    if revoke_tokens:
        users.revoke_tokens(tx, holders, by=by, now=now)
    tx.commit()


def _count(shared: Service, now: datetime, *, address: str | None, name: str | None = None) -> Sequence[RateLimit]:
    """Count a sign-in attempt in a transaction of its own and return its limits. Raises RateLimited."""
    with read_session(shared.engine) as read_tx:
        rate_limits = sign_in_throttle.limits(read_tx, shared.settings, address=address, name=name)
        sign_in_throttle.refuse(read_tx, rate_limits, now=now)
    with transaction(shared.engine) as write_tx:
        error = sign_in_throttle.count(write_tx, rate_limits, now=now)
        write_tx.commit()
    if error:
        raise error
    return rate_limits


def _team(team: TeamListing) -> schemas.TeamOut:
    members = tuple(schemas.MemberOut(name=user.name, role=role) for user, role in team.members)
    return schemas.TeamOut(**team.team.model_dump(), members=members)


def _grant(named_grant: NamedGrant) -> schemas.GrantOut:
    grant, holder = named_grant
    return schemas.GrantOut(**grant.model_dump(), holder=holder)
