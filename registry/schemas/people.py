"""Models of users, sessions, tokens, teams and grants."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import Field, SecretStr, StringConstraints

from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import GrantScope, Permission, Role, TeamRole
from treaty.registry.schemas.base import PRINTABLE, ApiModel, ApiRequest, EtagModel, Name, Password, UserName


class SetupIn(ApiRequest):
    """Creates the first administrator.

    - `token`: token of the one-time link."""

    token: LookupText
    name: UserName
    password: Password


class CredentialsIn(ApiRequest):
    """User name and password."""

    name: Annotated[str, StringConstraints(max_length=200, pattern=PRINTABLE)]
    password: Annotated[SecretStr, Field(max_length=256)]


class IdentityTokenIn(ApiRequest):
    """An identity provider's token.

    - `nonce`: must match the token's nonce, which ties the token to this sign-in.
    - `token`: ID token of the identity provider."""

    token: Annotated[SecretStr, Field(max_length=32_768)]
    nonce: Annotated[SecretStr, Field(min_length=16, max_length=200)]


class UserOut(EtagModel):
    """A user.

    - `active`: whether the user may sign in."""

    id: UUID
    name: str
    roles: tuple[Role, ...]
    active: bool
    created_at: datetime


class SessionOut(ApiModel):
    """A new session.

    - `secret`: bearer secret of the session; shown only once.
    - `user`: the user who signed in."""

    secret: str
    expires_at: datetime
    user: UserOut


class ScopedGrantOut(ApiModel):
    """Permissions of the caller on one domain, contract or dataset."""

    scope: GrantScope
    target: str
    permissions: tuple[Permission, ...]


class CurrentUserOut(ApiModel):
    """The caller and the permissions of the current session or token.

    - `permissions`: apply to everything.
    - `grants`: apply to single domains, contracts or datasets.
    - `user`: the caller."""

    user: UserOut
    permissions: tuple[Permission, ...]
    grants: tuple[ScopedGrantOut, ...] = ()


class UserIn(ApiRequest):
    """A new user.

    - `password`: null creates a service user, which signs in with API tokens only.
    - `roles`: global roles; may be empty for users with grants on single domains, contracts or datasets."""

    name: UserName
    password: Password | None = None
    roles: frozenset[Role]


class UserUpdateIn(ApiRequest):
    """Changes of a user. Omitted fields remain unchanged.

    - `active`: whether the user may sign in; omitted means unchanged.
    - `revoke_tokens`: also revokes the user's API tokens, for example after a password was stolen."""

    roles: frozenset[Role] | None = None
    active: bool | None = None
    password: Password | None = None
    revoke_tokens: bool = False


class TokenIn(ApiRequest):
    """A new API token.

    - `expires_days`: days until the token expires; null means never. A token issued with a token expires with it at the
      latest.
    - `user_id`: null means the caller. Tokens of other users require an administrator."""

    name: Name
    scopes: Annotated[frozenset[Permission], Field(min_length=1)]
    expires_days: Annotated[int, Field(ge=1, le=3650)] | None = 365
    user_id: UUID | None = None


class RotationIn(ApiRequest):
    """Rotation of a token's secret.

    - `overlap_hours`: how long the previous secret remains valid.
    - `expires_days`: days until the token expires; null keeps the current expiry. A token cannot extend itself."""

    overlap_hours: Annotated[float, Field(ge=0, le=720)] = 24
    expires_days: Annotated[int, Field(ge=1, le=3650)] | None = None


class TokenOut(EtagModel):
    """An API token without its secret.

    - `previous_expires_at`: until when the secret before the last rotation remains valid; null if there is none.
    - `prefix`: public beginning of the secret.
    - `revoked_at`: time at which the token was revoked; null if it is valid.
    - `issuer_id`: token with which it was issued and with which it is revoked; null if it was issued in a session."""

    unversioned = frozenset({"last_used_at"})

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
    issuer_id: UUID | None


class NewTokenOut(ApiModel):
    """A new API token.

    - `secret`: bearer secret of the token; shown only once.
    - `token`: the token without its secret."""

    secret: str
    token: TokenOut


class TeamIn(ApiRequest):
    """A new team."""

    name: UserName


class MemberIn(ApiRequest):
    """Membership of a user in a team."""

    name: UserName
    role: TeamRole = TeamRole.MEMBER


class MemberOut(ApiModel):
    """A member of a team."""

    name: str
    role: TeamRole


class TeamOut(EtagModel):
    """A team with its members, ordered by name.

    - `members`: members of the team, by name."""

    id: UUID
    name: str
    created_at: datetime
    members: tuple[MemberOut, ...]


class GrantIn(ApiRequest):
    """Grants a role to either a user or a team.

    - `target`: domain, contract id or dataset id; empty for the scope `everything`."""

    role: Role
    scope: GrantScope
    target: Annotated[str, StringConstraints(strip_whitespace=True, max_length=500, pattern=PRINTABLE)] = ""
    user_id: UUID | None = None
    team_id: UUID | None = None


class GrantOut(EtagModel):
    """A role granted to a user or a team.

    - `holder`: name of the user or team."""

    id: UUID
    role: Role
    scope: GrantScope
    target: str
    user_id: UUID | None
    team_id: UUID | None
    holder: str
    created_at: datetime
