"""Calls about people: the one-time link, sessions, users, tokens, teams and grants."""

from collections.abc import Iterable
from uuid import UUID

from pydantic import SecretStr

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import Permission, Role, TeamRole


class PeopleApi(ApiTransport):
    """People: the one-time link, sessions, users, tokens, teams and grants."""

    def ready(self) -> schemas.ReadinessOut:
        """The service's state."""
        return self._get(schemas.ReadinessOut, "/ready")

    def set_up(self, token: str, *, name: str, password: str) -> schemas.UserOut:
        """Creates the first administrator with the token of the one-time link."""
        body = schemas.SetupIn(token=token, name=name, password=SecretStr(password))
        return self._post(schemas.UserOut, "/setup", body)

    def sign_in(self, name: str, password: str, *, address: str | None = None) -> schemas.SessionOut:
        """A new session; make another Client with its secret. `address`: of whom this is asked for, where it is asked
        for somebody else; a service on this machine believes it."""
        body = schemas.CredentialsIn(name=name, password=SecretStr(password))
        headers = {"X-Forwarded-For": address} if address else None
        return self._answer(schemas.SessionOut, self._send("POST", "/session", body=body, headers=headers))

    def sign_in_with_oidc(self, token: str, nonce: str) -> schemas.SessionOut:
        """A new session for whom the identity provider's token names; make another Client with its secret."""
        body = schemas.IdentityTokenIn(token=SecretStr(token), nonce=SecretStr(nonce))
        return self._post(schemas.SessionOut, "/session/oidc", body)

    def sign_out(self) -> None:
        """Closes the session that this client acts through."""
        self._send("DELETE", "/session")

    def me(self) -> schemas.CurrentUserOut:
        """Who this client acts as, and what they may do."""
        return self._get(schemas.CurrentUserOut, "/me")

    def users(self) -> list[schemas.UserOut]:
        """All users, by name."""
        return self._list(schemas.Page[schemas.UserOut], "/users")

    def create_user(self, name: str, *, roles: Iterable[str], password: str | None = None) -> schemas.UserOut:
        """A new user; without a password, one that signs in with API tokens only. Raises ValueError for no role."""
        secret = SecretStr(password) if password is not None else None
        return self._post(
            schemas.UserOut, "/users", schemas.UserIn(name=name, password=secret, roles=frozenset(map(Role, roles)))
        )

    def change_user(self, user_id: UUID, change: schemas.UserUpdateIn, *, seen: str = "*") -> schemas.UserOut:
        """Changes what `change` gives; the user's sessions end. `seen`: the `etag` of the user as read, 412 where that
        is not so any more; otherwise whatever is there is changed."""
        sent = self._send("PATCH", f"/users/{user_id}", body=change, headers={"If-Match": seen})
        return self._answer(schemas.UserOut, sent)

    def tokens(self) -> list[schemas.TokenOut]:
        """One's own tokens; all for who manages users."""
        return self._list(schemas.Page[schemas.TokenOut], "/tokens")

    def issue_token(
        self,
        name: str,
        *,
        scopes: Iterable[str],
        expires_days: int | None = 365,
        user_id: UUID | None = None,
    ) -> schemas.NewTokenOut:
        """A new API token, with its secret. `user_id` None: for oneself. Raises ValueError for no permission."""
        body = schemas.TokenIn(
            name=name, scopes=frozenset(map(Permission, scopes)), expires_days=expires_days, user_id=user_id
        )
        return self._post(schemas.NewTokenOut, "/tokens", body)

    def rotate_token(
        self, token_id: UUID, *, overlap_hours: float = 24, expires_days: int | None = None
    ) -> schemas.NewTokenOut:
        """A new secret for the token; the one before stays good for so long."""
        body = schemas.RotationIn(overlap_hours=overlap_hours, expires_days=expires_days)
        return self._post(schemas.NewTokenOut, f"/tokens/{token_id}/rotation", body)

    def revoke_token(self, token_id: UUID) -> None:
        """Ends a token."""
        self._send("DELETE", f"/tokens/{token_id}")

    def teams(self) -> list[schemas.TeamOut]:
        """One's own teams, by name; all for who manages users."""
        return self._list(schemas.Page[schemas.TeamOut], "/teams")

    def create_team(self, name: str) -> schemas.TeamOut:
        """A new team, which nobody belongs to."""
        return self._post(schemas.TeamOut, "/teams", schemas.TeamIn(name=name))

    def remove_team(self, team_id: UUID) -> None:
        """Removes a team with all that it was granted."""
        self._send("DELETE", f"/teams/{team_id}")

    def set_member(self, team_id: UUID, name: str, role: TeamRole = TeamRole.MEMBER) -> schemas.TeamOut:
        """Has the user of that name belong to the team."""
        body = schemas.MemberIn(name=name, role=role)
        return self._answer(schemas.TeamOut, self._send("PUT", f"/teams/{team_id}/members", body=body))

    def remove_member(self, team_id: UUID, name: str) -> schemas.TeamOut:
        """Has the user of that name belong to the team no longer."""
        return self._answer(schemas.TeamOut, self._send("DELETE", f"/teams/{team_id}/members", query={"name": name}))

    def grants(self, *, target: str | None = None) -> list[schemas.GrantOut]:
        """All grants, oldest first, or those on one domain, contract or dataset."""
        return self._list(schemas.Page[schemas.GrantOut], "/grants", target=target)

    def grant(self, given: schemas.GrantIn) -> schemas.GrantOut:
        """Grants a role to a user or to a team."""
        return self._post(schemas.GrantOut, "/grants", given)

    def revoke_grant(self, grant_id: UUID) -> None:
        """Ends a grant."""
        self._send("DELETE", f"/grants/{grant_id}")
