"""Routes of people: the one-time link, sessions, users, tokens, teams and grants."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Response

from treaty.engine.core import clock
from treaty.registry import schemas
from treaty.registry.access import authentication, first_admin, grants, oidc, sign_in_throttle, teams, users
from treaty.registry.access.grants import NamedGrant
from treaty.registry.access.sign_in_throttle import RateLimit
from treaty.registry.access.teams import TeamListing
from treaty.registry.api.http import presenters
from treaty.registry.api.http.dependencies import (
    Address,
    Caller,
    Opener,
    Paging,
    Reader,
    Secret,
    Shared,
    Writer,
    identified,
)
from treaty.registry.api.http.etags import NeedsMatch, with_etag
from treaty.registry.core import ids
from treaty.registry.core.database import read_session, transaction
from treaty.registry.core.enums import Permission, Role
from treaty.registry.core.errors import NotFound, Unauthenticated
from treaty.registry.tables import RoleGrantRow, TeamRow, UserRow

router = APIRouter(tags=["people"])
UserName = Annotated[str, Query(max_length=100)]
Target = Annotated[str | None, Query(max_length=500, description="a domain, a contract's id or a dataset's")]


@router.post("/setup", status_code=201)
def complete_setup(body: schemas.SetupIn, shared: Shared, address: Address, tx: Opener) -> schemas.UserOut:
    """Creates the first administrator through the one-time link."""
    now, tried = clock.now(), sign_in_throttle.limits(shared.settings, address=address)
    _count(shared, tried, now)
    secret = body.password.get_secret_value()
    user = users.new_user(ids.new(), name=body.name, password=secret, roles=[Role.ADMIN], now=now)
    administrator = first_admin.complete(tx, body.token, user, now=now)
    sign_in_throttle.forgive(tx, tried)
    tx.commit()
    return schemas.UserOut.model_validate(administrator)


@router.post("/session", status_code=201)
def sign_in(body: schemas.CredentialsIn, shared: Shared, address: Address, tx: Opener) -> schemas.SessionOut:
    """Opens a session; the answer to a wrong name and to a wrong password is the same. 429 after too many of either."""
    now, tried = clock.now(), sign_in_throttle.limits(shared.settings, address=address, name=body.name)
    _count(shared, tried, now)
    with read_session(shared.engine) as looking:
        user = authentication.authenticate(looking, body.name, body.password.get_secret_value())
    lasts = timedelta(hours=shared.settings.session_lifetime_hours)
    secret, opened = authentication.sign_in(tx, user, session_id=ids.new(), now=now, lasts=lasts)
    sign_in_throttle.forgive(tx, tried)
    tx.commit()
    return schemas.SessionOut(secret=secret, expires_at=opened.expires_at, user=schemas.UserOut.model_validate(user))


@router.post("/session/oidc", status_code=201)
def sign_in_with_oidc(body: schemas.IdentityTokenIn, shared: Shared, tx: Opener) -> schemas.SessionOut:
    """Opens a session for whom the identity provider's token names, with the rights of the teams that it tells. 401
    where the token is not valid here, or is of another sign-in; 404 where no provider is set."""
    now = clock.now()
    if shared.provider is None:
        raise NotFound
    who = shared.provider.identify(body.token.get_secret_value(), now=now)
    if who.nonce is None or not compare_digest(who.nonce.encode(), body.nonce.get_secret_value().encode()):
        raise Unauthenticated(oidc.REFUSED)
    principal = identified(shared, who, now)
    user, lasts = tx.get_one(UserRow, principal.user_id), timedelta(hours=shared.settings.session_lifetime_hours)
    secret, opened = authentication.sign_in(tx, user, session_id=ids.new(), now=now, lasts=lasts, teams=who.teams)
    tx.commit()
    return schemas.SessionOut(secret=secret, expires_at=opened.expires_at, user=schemas.UserOut.model_validate(user))


@router.delete("/session", status_code=204)
def sign_out(bearer: Secret, _: Caller, tx: Writer) -> None:
    """Closes the session that asks."""
    authentication.sign_out(tx, bearer, now=clock.now())
    tx.commit()


@router.get("/me")
def get_me(by: Caller, tx: Reader) -> schemas.CurrentUserOut:
    """The user who asks, and what they may do."""
    return presenters.me(tx.get_one(UserRow, by.user_id), by)


@router.get("/users")
def list_users(by: Caller, tx: Reader, asked: Paging) -> schemas.Page[schemas.UserOut]:
    """Users by name."""
    return presenters.page(schemas.UserOut.model_validate, users.users(tx, by, asked))


@router.post("/users", status_code=201)
def create_user(body: schemas.UserIn, by: Caller, tx: Writer) -> schemas.UserOut:
    """Creates a user."""
    authentication.require_permission(by, Permission.USERS)
    now = clock.now()
    secret = body.password.get_secret_value() if body.password else None
    user = users.new_user(ids.new(), name=body.name, password=secret, roles=body.roles, now=now)
    created = users.create_user(tx, user, actor=by.name, now=now)
    tx.commit()
    return schemas.UserOut.model_validate(created)


@router.patch("/users/{user_id}")
def change_user(
    user_id: UUID, body: schemas.UserUpdateIn, by: Caller, tx: Writer, seen: NeedsMatch, answer: Response
) -> schemas.UserOut:
    """Changes a user and ends their sessions. Needs If-Match: the user's `etag` as it was read, or `*`."""
    authentication.require_permission(by, Permission.USERS)
    if seen.stated:
        seen.check(tx, user_id, schemas.UserOut.model_validate(users.locked_user(tx, user_id)).etag)
    hashed = authentication.hash_password(body.password.get_secret_value()) if body.password else None
    change = users.UserUpdate(roles=body.roles, active=body.active, password_hash=hashed)
    user = users.change_user(tx, user_id, change, by=by, now=clock.now())
    tx.commit()
    return with_etag(answer, schemas.UserOut.model_validate(user))


@router.get("/tokens")
def list_tokens(by: Caller, tx: Reader, asked: Paging) -> schemas.Page[schemas.TokenOut]:
    """One's own tokens, newest first; all for who manages users."""
    return presenters.page(schemas.TokenOut.model_validate, users.tokens(tx, by, asked))


@router.post("/tokens", status_code=201)
def issue_token(body: schemas.TokenIn, by: Caller, tx: Writer) -> schemas.NewTokenOut:
    """Issues a token; its secret is shown this once."""
    now = clock.now()
    owner = body.user_id or by.user_id
    token = users.new_token(ids.new(), user_id=owner, name=body.name, scopes=body.scopes, now=now)
    token.expires_at = now + timedelta(days=body.expires_days) if body.expires_days else None
    secret = users.issue_token(tx, token, by=by, now=now)
    tx.commit()
    return schemas.NewTokenOut(secret=secret, token=schemas.TokenOut.model_validate(token))


@router.post("/tokens/{token_id}/rotation", status_code=201)
def rotate_token(token_id: UUID, body: schemas.RotationIn, by: Caller, tx: Writer) -> schemas.NewTokenOut:
    """Gives a token a new secret, shown this once; the one before stays good for a while."""
    now = clock.now()
    rotation = users.TokenRotation(timedelta(hours=body.overlap_hours), body.expires_days)
    secret, token = users.rotate_token(tx, token_id, rotation, by=by, now=now)
    tx.commit()
    return schemas.NewTokenOut(secret=secret, token=schemas.TokenOut.model_validate(token))


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: UUID, by: Caller, tx: Writer) -> None:
    """Ends a token."""
    users.revoke_token(tx, token_id, by=by, now=clock.now())
    tx.commit()


@router.get("/teams")
def list_teams(by: Caller, tx: Reader, asked: Paging) -> schemas.Page[schemas.TeamOut]:
    """One's own teams by name; all for who manages users."""
    return presenters.page(_team, teams.teams(tx, by, asked))


@router.post("/teams", status_code=201)
def create_team(body: schemas.TeamIn, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Creates a team."""
    now = clock.now()
    made = teams.create(tx, TeamRow(id=ids.new(), name=body.name, created_at=now), by=by, now=now)
    tx.commit()
    return _team(made)


@router.delete("/teams/{team_id}", status_code=204)
def remove_team(team_id: UUID, by: Caller, tx: Writer) -> None:
    """Removes a team with all that it was granted."""
    teams.remove(tx, team_id, by=by, now=clock.now())
    tx.commit()


@router.put("/teams/{team_id}/members")
def set_member(team_id: UUID, body: schemas.MemberIn, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Has a user belong to a team; for who leads it, and who manages users."""
    changed = teams.set_member(tx, team_id, body.name, body.role, by=by, now=clock.now())
    tx.commit()
    return _team(changed)


@router.delete("/teams/{team_id}/members")
def remove_member(team_id: UUID, name: UserName, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Has a user belong to a team no longer; for who leads it, and who manages users."""
    changed = teams.remove_member(tx, team_id, name, by=by, now=clock.now())
    tx.commit()
    return _team(changed)


@router.get("/grants")
def list_grants(by: Caller, tx: Reader, asked: Paging, target: Target = None) -> schemas.Page[schemas.GrantOut]:
    """All grants, or those on one domain, contract or dataset, oldest first."""
    return presenters.page(_grant, grants.grants(tx, by, asked, target=target))


@router.post("/grants", status_code=201)
def give_grant(body: schemas.GrantIn, by: Caller, tx: Writer) -> schemas.GrantOut:
    """Grants a role to a user or to a team."""
    now = clock.now()
    given = grants.give(tx, RoleGrantRow(id=ids.new(), created_at=now, **body.model_dump()), by=by, now=now)
    tx.commit()
    return _grant(given)


@router.delete("/grants/{grant_id}", status_code=204)
def revoke_grant(grant_id: UUID, by: Caller, tx: Writer) -> None:
    """Ends a grant."""
    grants.revoke(tx, grant_id, by=by, now=clock.now())
    tx.commit()


def _count(shared: Shared, tried: Sequence[RateLimit], now: datetime) -> None:
    """Counts an attempt at the door, in a transaction of its own. Raises TooMany."""
    with read_session(shared.engine) as looking:
        sign_in_throttle.refuse(looking, tried, now=now)
    with transaction(shared.engine) as counting:
        refused = sign_in_throttle.count(counting, tried, now=now)
        counting.commit()
    if refused:
        raise refused


def _team(found: TeamListing) -> schemas.TeamOut:
    members = tuple(schemas.MemberOut(name=user.name, role=role) for user, role in found.members)
    return schemas.TeamOut(**found.team.model_dump(), members=members)


def _grant(held: NamedGrant) -> schemas.GrantOut:
    grant, holder = held
    return schemas.GrantOut(**grant.model_dump(), holder=holder)
