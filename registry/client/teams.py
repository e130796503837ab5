"""Calls about teams and grants."""

from uuid import UUID

from registry.api import schemas
from registry.client.calls import Calls
from registry.words import TeamRole


class Teams(Calls):
    """Teams and grants."""

    def teams(self) -> list[schemas.TeamOut]:
        """One's own teams, by name; all for who manages users."""
        return self._listed(schemas.Page[schemas.TeamOut], "/teams")

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
        return self._listed(schemas.Page[schemas.GrantOut], "/grants", target=target)

    def grant(self, given: schemas.GrantIn) -> schemas.GrantOut:
        """Grants a role to a user or to a team."""
        return self._post(schemas.GrantOut, "/grants", given)

    def revoke_grant(self, grant_id: UUID) -> None:
        """Ends a grant."""
        self._send("DELETE", f"/grants/{grant_id}")
