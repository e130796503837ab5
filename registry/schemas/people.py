"""Users, sessions, tokens, teams and grants, as the API takes and gives them."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, SecretStr, StringConstraints

from treaty.registry.core.enums import GrantScope, Permission, Role, TeamRole
from treaty.registry.schemas.base import PRINTABLE, ApiModel, ApiRequest, EtagModel, Name, Password, UserName


class SetupIn(ApiRequest):
    """The one-time link's token and the first administrator."""

    token: str
    name: UserName
    password: Password


class CredentialsIn(ApiRequest):
    """A name and its password."""

    name: Annotated[str, StringConstraints(max_length=200, pattern=PRINTABLE)]
    password: SecretStr


class IdentityTokenIn(ApiRequest):
    """An identity provider's token about somebody, and what it must say so that it is of this sign-in."""

    token: SecretStr
    nonce: Annotated[SecretStr, Field(min_length=16, max_length=200)]


class UserOut(EtagModel):
    """A user, without anything secret."""

    id: UUID
    name: str
    roles: tuple[Role, ...]
    active: bool
    created_at: datetime


class SessionOut(ApiModel):
    """A signed-in session; `secret` is the bearer and is shown once."""

    secret: str
    expires_at: datetime
    user: UserOut


class ScopedGrantOut(ApiModel):
    """What the asking principal may do on one part of the registry."""

    scope: GrantScope
    target: str
    permissions: tuple[Permission, ...]


class CurrentUserOut(ApiModel):
    """Who is asking, and what they may do through this session or token: `permissions` on everything, `grants` on
    parts of the registry."""

    user: UserOut
    permissions: tuple[Permission, ...]
    grants: tuple[ScopedGrantOut, ...] = ()


class UserIn(ApiRequest):
    """A new user. `password` None: a service, which signs in with API tokens only.

    `roles` are on everything; without one, a user may what is granted to them on parts of the registry."""

    name: UserName
    password: Password | None = None
    roles: frozenset[Role]


class UserUpdateIn(ApiRequest):
    """What to change about a user; absent means as it is."""

    roles: frozenset[Role] | None = None
    active: bool | None = None
    password: Password | None = None


class TokenIn(ApiRequest):
    """A new API token. `user_id` None: for oneself; another's needs an administrator."""

    name: Name
    scopes: Annotated[frozenset[Permission], Field(min_length=1)]
    expires_days: Annotated[int, Field(ge=1, le=3650)] | None = 365
    user_id: UUID | None = None


class RotationIn(ApiRequest):
    """A new secret for a token: for how long the old one stays good, and when the token ends (None: as it did)."""

    overlap_hours: Annotated[float, Field(ge=0, le=720)] = 24
    expires_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class TokenOut(ApiModel):
    """An API token as listed: never its secret. Until `previous_expires_at` the secret before its last rotation is
    good."""

    id: UUID
    prefix: str
    name: str
    user_id: UUID
    scopes: tuple[Permission, ...]
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    previous_expires_at: datetime | None


class NewTokenOut(ApiModel):
    """A token just issued; `secret` is shown this once."""

    secret: str
    token: TokenOut


class TeamIn(ApiRequest):
    """A new team."""

    name: UserName


class MemberIn(ApiRequest):
    """Who shall belong to a team, and as what."""

    name: UserName
    role: TeamRole = TeamRole.MEMBER


class MemberOut(ApiModel):
    """A user of a team."""

    name: str
    role: TeamRole


class TeamOut(ApiModel):
    """A team with its members, by name."""

    id: UUID
    name: str
    created_at: datetime
    members: tuple[MemberOut, ...]


class GrantIn(ApiRequest):
    """A role of a user or of a team (one of both) on a part of the registry.

    `target`: the domain, the contract's id or the dataset's; '' on everything."""

    role: Role
    scope: GrantScope
    target: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=PRINTABLE)] = ""
    user_id: UUID | None = None
    team_id: UUID | None = None


class GrantOut(ApiModel):
    """A role of a user or of a team, whose name is `holder`, on a part of the registry."""

    id: UUID
    role: Role
    scope: GrantScope
    target: str
    user_id: UUID | None
    team_id: UUID | None
    holder: str
    created_at: datetime
