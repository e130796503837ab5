"""Teams and grants, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import StringConstraints

from registry.api.schemas.base import PRINTABLE, Request, Schema, UserName
from registry.words import Part, Permission, Role, TeamRole


class TeamIn(Request):
    """A new team."""

    name: UserName


class MemberIn(Request):
    """Who shall belong to a team, and as what."""

    name: UserName
    role: TeamRole = TeamRole.MEMBER


class MemberOut(Schema):
    """A user of a team."""

    name: str
    role: TeamRole


class TeamOut(Schema):
    """A team with its members, by name."""

    id: UUID
    name: str
    created: datetime
    members: tuple[MemberOut, ...]


class GrantIn(Request):
    """A role of a user or of a team (one of both) on a part of the registry.

    `target`: the domain, the contract's id or the dataset's; '' on everything."""

    role: Role
    part: Part
    target: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=PRINTABLE)] = ""
    user_id: UUID | None = None
    team_id: UUID | None = None


class GrantOut(Schema):
    """A role of a user or of a team, whose name is `holder`, on a part of the registry."""

    id: UUID
    role: Role
    part: Part
    target: str
    user_id: UUID | None
    team_id: UUID | None
    holder: str
    created: datetime


class GrantedOut(Schema):
    """What the asking principal may do on one part of the registry."""

    part: Part
    target: str
    permissions: tuple[Permission, ...]
