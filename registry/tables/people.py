"""Tables of people: users, teams and their grants, what signs them in, and the audit of everything that changes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Index, UniqueConstraint
from sqlmodel import Field

from treaty.registry.core.enums import AuditAction, GrantScope, Role, TeamRole
from treaty.registry.tables.base import BaseRow, enum_column, foreign_key_column, json_column, time_column


class UserRow(BaseRow, table=True):
    """A person or a service. `password_hash` None: signs in with API tokens only."""

    __tablename__ = "user"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    password_hash: str | None = None
    roles: list[str] = json_column()
    active: bool = True
    created_at: datetime = time_column()


class TeamRow(BaseRow, table=True):
    """People who are granted the same."""

    __tablename__ = "team"
    id: UUID = Field(primary_key=True)
    name: str = Field(unique=True)
    created_at: datetime = time_column()


class TeamMemberRow(BaseRow, table=True):
    """A user of a team."""

    __tablename__ = "team_member"
    team_id: UUID = foreign_key_column("team.id", primary_key=True)
    user_id: UUID = foreign_key_column("user.id", primary_key=True, index=True)
    role: TeamRole = enum_column(TeamRole)


class RoleGrantRow(BaseRow, table=True):
    """A role of a user or of a team on a part of the registry; roles on everything also stand with the user.

    `target`: the domain, the contract's id or the dataset's; '' on everything."""

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
    """An API token, findable by its public prefix. The secret itself is never stored.

    `previous_sha256`: of the secret before the last rotation, which is good until `previous_expires_at`."""

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


class WebSessionRow(BaseRow, table=True):
    """A signed-in session, found by the hash of its secret. `teams`: the names of those whose rights it has beside its
    user's own, as the identity provider said when it was opened."""

    __tablename__ = "web_session"
    id: UUID = Field(primary_key=True)
    secret_sha256: str = Field(unique=True)
    user_id: UUID = foreign_key_column("user.id", index=True)
    created_at: datetime = time_column()
    expires_at: datetime = time_column()
    teams: list[str] = json_column(default_factory=list)


class SignInWindowRow(BaseRow, table=True):
    """How often somebody tried to sign in of late, by the name or from the address that `key` stands for.

    `attempts` since `started_at`; those that succeeded are taken off. `is_refused`: that a limit was reached is
    audited."""

    __tablename__ = "sign_in_window"
    key: str = Field(primary_key=True)
    started_at: datetime = time_column(index=True)
    attempts: int = 0
    is_refused: bool = False


class SetupTokenRow(BaseRow, table=True):
    """A one-time link to create the first administrator, found by the hash of its secret."""

    __tablename__ = "setup_token"
    id: UUID = Field(primary_key=True)
    secret_sha256: str = Field(unique=True)
    created_at: datetime = time_column()
    expires_at: datetime = time_column()
    used_at: datetime | None = time_column(default=None)


class AuditEntryRow(BaseRow, table=True):
    """One change. Append-only; each entry's hash covers the entry before it."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index(None, "object_id", "position"),)
    position: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    time: datetime = time_column(index=True)
    actor: str
    action: AuditAction = enum_column(AuditAction)
    object_type: str
    object_id: str
    details: dict[str, Any] = json_column()
    previous_hash: str
    hash: str
