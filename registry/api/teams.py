"""Routes of teams and of grants."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from registry import clock, grants, ids, teams
from registry.api import schemas, views
from registry.api.dependencies import Caller, Paging, Reader, Writer
from registry.grants import Held
from registry.tables import Grant, Team
from registry.teams import Listed

router = APIRouter(tags=["people"])
UserName = Annotated[str, Query(max_length=100)]
Target = Annotated[str | None, Query(max_length=500, description="a domain, a contract's id or a dataset's")]


@router.get("/teams")
def list_teams(by: Caller, tx: Reader, asked: Paging) -> schemas.Page[schemas.TeamOut]:
    """One's own teams by name; all for who manages users."""
    return views.page(_team, teams.teams(tx, by, asked))


@router.post("/teams", status_code=201)
def create_team(body: schemas.TeamIn, by: Caller, tx: Writer) -> schemas.TeamOut:
    """Creates a team."""
    now = clock.now()
    made = teams.create(tx, Team(id=ids.new(), name=body.name, created=now), by=by, now=now)
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
    return views.page(_grant, grants.grants(tx, by, asked, target=target))


@router.post("/grants", status_code=201)
def give_grant(body: schemas.GrantIn, by: Caller, tx: Writer) -> schemas.GrantOut:
    """Grants a role to a user or to a team."""
    now = clock.now()
    given = grants.give(tx, Grant(id=ids.new(), created=now, **body.model_dump()), by=by, now=now)
    tx.commit()
    return _grant(given)


@router.delete("/grants/{grant_id}", status_code=204)
def revoke_grant(grant_id: UUID, by: Caller, tx: Writer) -> None:
    """Ends a grant."""
    grants.revoke(tx, grant_id, by=by, now=clock.now())
    tx.commit()


def _team(found: Listed) -> schemas.TeamOut:
    members = tuple(schemas.MemberOut(name=user.name, role=role) for user, role in found.members)
    return schemas.TeamOut(**found.team.model_dump(), members=members)


def _grant(held: Held) -> schemas.GrantOut:
    grant, holder = held
    return schemas.GrantOut(**grant.model_dump(), holder=holder)
