"""Tables of users, teams, grants, sign-in and the audit log."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import GrantScope, Role, TeamRole
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class UserRow(BaseRow, table=True):
    """A person or a service. `password_hash`: None means that only API tokens can sign in."""

    __tablename__ = "user"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    password_hash: str | None = None
    roles: list[str] = json_column()
    active: bool = True
    created_at: datetime = time_column()


class TeamRow(BaseRow, table=True):
    """A team, whose members share its grants."""

    __tablename__ = "team"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    created_at: datetime = time_column()


class TeamMemberRow(BaseRow, table=True):
    """A member of a team."""

    __tablename__ = "team_member"
    team_id: UUID = foreign_key_column("team.id", primary_key=True)
    user_id: UUID = foreign_key_column("user.id", primary_key=True, index=True)
    role: TeamRole = enum_column(TeamRole)


class RoleGrantRow(BaseRow, table=True):
    """A role of a user or team on a part of the registry.

    `target`: domain, contract id or dataset id; '' for roles on everything, which the user's row lists as well."""

    __tablename__ = "role_grant"
    __table_args__ = (
        UniqueConstraint("user_id", "role", "scope", "target"),
        UniqueConstraint("team_id", "role", "scope", "target"),
    )
    id: UUID = Field(primary_key=True)
    user_id: UUID | None = foreign_key_column("user.id", default=None)
    team_id: UUID | None = foreign_key_column("team.id", default=None)
    role: Role = enum_column(Role)
    scope: GrantScope = enum_column(GrantScope)
    target: str = ""
    created_at: datetime = time_column()


class ApiTokenRow(BaseRow, table=True):
    """An API token, identified by its public prefix. The secret is stored only as a hash.

    `previous_sha256`: hash of the secret before the last rotation, valid until `previous_expires_at`.
    `issuer_id`: token with which it was issued, and with which it ends; None if it was issued in a session."""

    __tablename__ = "api_token"
    id: UUID = Field(primary_key=True)
    prefix: str = Field(unique=True)
    secret_sha256: str
    user_id: UUID = foreign_key_column("user.id", index=True)
    name: str
    scopes: list[str] = json_column()
    created_at: datetime = time_column()
    expires_at: datetime | None = time_column(default=None)
    last_used_at: datetime | None = time_column(default=None)
    revoked_at: datetime | None = time_column(default=None)
    previous_sha256: str | None = None
    previous_expires_at: datetime | None = time_column(default=None)
    issuer_id: UUID | None = foreign_key_column("api_token.id", index=True, default=None)


class WebSessionRow(BaseRow, table=True):
    """A signed-in session, identified by the hash of its secret.

    `teams`: names of additional teams whose permissions apply, from the identity provider at sign-in."""

    __tablename__ = "web_session"
    id: UUID = Field(primary_key=True)
    secret_sha256: str = Field(unique=True)
    user_id: UUID = foreign_key_column("user.id", index=True)
    created_at: datetime = time_column()
    expires_at: datetime = time_column()
    teams: list[str] = json_column(default_factory=list)


class SignInWindowRow(BaseRow, table=True):
    """Recent sign-in attempts for a user name or client address, which `key` identifies.

    `attempts`: attempts since `started_at`, without successful ones. `is_refused`: reaching the limit has been
    audited."""

    __tablename__ = "sign_in_window"
    key: str = Field(primary_key=True)
    started_at: datetime = time_column(index=True)
    attempts: int = 0
    is_refused: bool = False


class SetupTokenRow(BaseRow, table=True):
    """A one-time link to create the first administrator, identified by the hash of its secret."""

    __tablename__ = "setup_token"
    id: UUID = Field(primary_key=True)
    secret_sha256: str = Field(unique=True)
    created_at: datetime = time_column()
    expires_at: datetime = time_column()
    used_at: datetime | None = time_column(default=None)


class AuditEntryRow(BaseRow, table=True):
    """A change in the audit log. Append-only; each entry's hash covers the previous entry.

    `action`: word of `AuditAction`, or one that it replaced when the entry was older, see `FORMER_ACTIONS`."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index(None, "object_id", "position"),)
    position: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    time: datetime = time_column(index=True)
    actor: str
    action: str = Field(max_length=32)
    object_type: str
    object_id: str
    details: dict[str, Any] = json_column()
    previous_hash: str
    hash: str
