"""Client methods for incidents."""

from datetime import datetime
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import IncidentState, ManualResolution


class IncidentsApi(ApiTransport):
    """Client methods for incidents. Every change names the revision that it is based on."""

    def incidents(
        self,
        *,
        contract_id: str | None = None,
        state: IncidentState | None = None,
        mine: bool = False,
        snoozed: bool = True,
        limit: int | None = None,
    ) -> list[schemas.IncidentOut]:
        """List incidents, newest first.

        `mine`: only those assigned to the caller. `snoozed`: includes snoozed ones."""
        form, state_value = schemas.Page[schemas.IncidentOut], state.value if state else None
        return self._list(
            form, "/incidents", limit=limit, contract_id=contract_id, state=state_value, mine=mine, snoozed=snoozed
        )

    def incident(self, incident_id: UUID) -> schemas.IncidentOut:
        """Fetch an incident with its failing checks."""
        return self._get(schemas.IncidentOut, f"/incidents/{incident_id}")

    def acknowledge_incident(self, incident_id: UUID, revision: int) -> schemas.IncidentOut:
        """Acknowledge the incident."""
        return self._step(incident_id, "acknowledge", schemas.IncidentStepIn(revision=revision))

    def assign_incident(self, incident_id: UUID, revision: int, assignee: str | None) -> schemas.IncidentOut:
        """Assign the incident to a user; None removes the assignee."""
        return self._step(incident_id, "assign", schemas.IncidentAssignIn(revision=revision, assignee=assignee))

    def snooze_incident(self, incident_id: UUID, revision: int, until: datetime | None) -> schemas.IncidentOut:
        """Snooze the incident until a time; None ends the snooze."""
        return self._step(incident_id, "snooze", schemas.IncidentSnoozeIn(revision=revision, snoozed_until=until))

    def resolve_incident(
        self,
        incident_id: UUID,
        revision: int,
        resolution: ManualResolution,
        *,
        comment: str | None = None,
        duplicate_of: UUID | None = None,
    ) -> schemas.IncidentOut:
        """Resolve the incident with a reason.

        `duplicate_of`: the other incident, for the resolution "duplicate"."""
        body = schemas.IncidentResolveIn(
            revision=revision, resolution=resolution, comment=comment, duplicate_of=duplicate_of
        )
        return self._step(incident_id, "resolve", body)

    def reopen_incident(self, incident_id: UUID, revision: int) -> schemas.IncidentOut:
        """Reopen the incident."""
        return self._step(incident_id, "reopen", schemas.IncidentStepIn(revision=revision))

    def _step(self, incident_id: UUID, step: str, body: schemas.IncidentStepIn) -> schemas.IncidentOut:
        return self._post(schemas.IncidentOut, f"/incidents/{incident_id}/{step}", body)
