"""Client methods for setup, sessions, users, tokens, teams and grants."""

from collections.abc import Iterable
from uuid import UUID

from pydantic import SecretStr

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import Permission, Role, TeamRole


class PeopleApi(ApiTransport):
    """Client methods for setup, sessions, users, tokens, teams and grants."""

    def ready(self) -> schemas.ReadinessOut:
        """Fetch the readiness of the service."""
        return self._get(schemas.ReadinessOut, "/ready")

    def set_up(self, token: str, *, name: str, password: str) -> schemas.UserOut:
        """Create the first administrator with the token of the one-time link."""
        body = schemas.SetupIn(token=token, name=name, password=SecretStr(password))
        return self._post(schemas.UserOut, "/setup", body)

    def sign_in(self, name: str, password: str, *, address: str | None = None) -> schemas.SessionOut:
        """Open a session; create another Client with its secret.

        `address`: address of the end user when signing in on their behalf; accepted from services on the same
        machine only."""
        body = schemas.CredentialsIn(name=name, password=SecretStr(password))
        headers = {"X-Forwarded-For": address} if address else None
        return self._answer(schemas.SessionOut, self._send("POST", "/session", body=body, headers=headers))

    def sign_in_with_oidc(self, token: str, nonce: str) -> schemas.SessionOut:
        """Open a session with an identity provider's token; create another Client with its secret."""
        body = schemas.IdentityTokenIn(token=SecretStr(token), nonce=SecretStr(nonce))
        return self._post(schemas.SessionOut, "/session/oidc", body)

    def sign_out(self) -> None:
        """Close the session of this client."""
        self._send("DELETE", "/session")

    def me(self) -> schemas.CurrentUserOut:
        """Fetch the caller and their permissions."""
        return self._get(schemas.CurrentUserOut, "/me")

    def users(self) -> list[schemas.UserOut]:
        """List all users by name."""
        return self._list(schemas.Page[schemas.UserOut], "/users")

    def create_user(self, name: str, *, roles: Iterable[str], password: str | None = None) -> schemas.UserOut:
        """Create a user.

        `password`: None creates a user that signs in with API tokens only. Raises ValueError for an unknown role."""
        secret = SecretStr(password) if password is not None else None
        return self._post(
            schemas.UserOut, "/users", schemas.UserIn(name=name, password=secret, roles=frozenset(map(Role, roles)))
        )

    def change_user(self, user_id: UUID, change: schemas.UserUpdateIn, *, etag: str = "*") -> schemas.UserOut:
        """Update the fields set in `change` and end the user's sessions.

        `etag`: `etag` of the user as read, responds 412 if it has changed since; "*" updates unconditionally."""
        return self._changed(schemas.UserOut, "PATCH", f"/users/{user_id}", etag, body=change)

    def tokens(self) -> list[schemas.TokenOut]:
        """List the caller's API tokens; all tokens for users who manage users."""
        return self._list(schemas.Page[schemas.TokenOut], "/tokens")

    def issue_token(
        self,
        name: str,
        *,
        scopes: Iterable[str],
        expires_days: int | None = 365,
        user_id: UUID | None = None,
    ) -> schemas.NewTokenOut:
        """Issue an API token and return it with its secret.

        `expires_days`: None means no expiry. `user_id`: None means the caller.
        Raises ValueError for an unknown permission."""
        body = schemas.TokenIn(
            name=name, scopes=frozenset(map(Permission, scopes)), expires_days=expires_days, user_id=user_id
        )
        return self._post(schemas.NewTokenOut, "/tokens", body)

    def rotate_token(
        self, token_id: UUID, *, overlap_hours: float = 24, expires_days: int | None = None, etag: str = "*"
    ) -> schemas.NewTokenOut:
        """Replace the secret of a token.

        `overlap_hours`: how long the previous secret remains valid. `expires_days`: None keeps the expiry.
        `etag`: as of `change_user`."""
        body = schemas.RotationIn(overlap_hours=overlap_hours, expires_days=expires_days)
        return self._changed(schemas.NewTokenOut, "POST", f"/tokens/{token_id}/rotation", etag, body=body)

    def revoke_token(self, token_id: UUID, *, etag: str = "*") -> None:
        """Revoke a token. `etag`: as of `change_user`."""
        self._deleted(f"/tokens/{token_id}", etag)

    def teams(self) -> list[schemas.TeamOut]:
        """List the caller's teams by name; all teams for users who manage users."""
        return self._list(schemas.Page[schemas.TeamOut], "/teams")

    def create_team(self, name: str) -> schemas.TeamOut:
        """Create a team without members."""
        return self._post(schemas.TeamOut, "/teams", schemas.TeamIn(name=name))

    def remove_team(self, team_id: UUID, *, etag: str = "*") -> None:
        """Delete a team with its grants. `etag`: as of `change_user`."""
        self._deleted(f"/teams/{team_id}", etag)

    def set_member(
        self, team_id: UUID, name: str, role: TeamRole = TeamRole.MEMBER, *, etag: str = "*"
    ) -> schemas.TeamOut:
        """Add a user to the team, or change their role in it. `etag`: as of `change_user`."""
        body = schemas.MemberIn(name=name, role=role)
        return self._changed(schemas.TeamOut, "PUT", f"/teams/{team_id}/members", etag, body=body)

    def remove_member(self, team_id: UUID, name: str, *, etag: str = "*") -> schemas.TeamOut:
        """Remove a user from the team. `etag`: as of `change_user`."""
        return self._changed(schemas.TeamOut, "DELETE", f"/teams/{team_id}/members", etag, name=name)

    def grants(self, *, target: str | None = None) -> list[schemas.GrantOut]:
        """List grants, oldest first.

        `target`: only grants on this domain, contract or dataset; None lists all."""
        return self._list(schemas.Page[schemas.GrantOut], "/grants", target=target)

    def grant(self, grant: schemas.GrantIn) -> schemas.GrantOut:
        """Grant a role to a user or a team."""
        return self._post(schemas.GrantOut, "/grants", grant)

    def revoke_grant(self, grant_id: UUID, *, etag: str = "*") -> None:
        """Revoke a grant. `etag`: as of `change_user`."""
        self._deleted(f"/grants/{grant_id}", etag)
