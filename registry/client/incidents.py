"""Calls about incidents."""

from datetime import datetime
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import IncidentState


class IncidentsApi(ApiTransport):
    """Incidents: lists, single ones, and what people do with them. Each step names the revision that was seen."""

    def incidents(
        self,
        *,
        contract_id: str | None = None,
        state: IncidentState | None = None,
        mine: bool = False,
        snoozed: bool = True,
        limit: int | None = None,
    ) -> list[schemas.IncidentOut]:
        """Incidents, newest first."""
        form, which = schemas.Page[schemas.IncidentOut], state.value if state else None
        return self._list(
            form, "/incidents", limit=limit, contract_id=contract_id, state=which, mine=mine, snoozed=snoozed
        )

    def incident(self, incident_id: UUID) -> schemas.IncidentOut:
        """An incident with what fails in it."""
        return self._get(schemas.IncidentOut, f"/incidents/{incident_id}")

    def acknowledge_incident(self, incident_id: UUID, revision: int) -> schemas.IncidentOut:
        """Says that one looks after it."""
        return self._step(incident_id, "acknowledge", schemas.IncidentStepIn(revision=revision))

    def assign_incident(self, incident_id: UUID, revision: int, assignee: str | None) -> schemas.IncidentOut:
        """Says who looks after it; None: nobody in particular."""
        return self._step(incident_id, "assign", schemas.IncidentAssignIn(revision=revision, assignee=assignee))

    def snooze_incident(self, incident_id: UUID, revision: int, until: datetime | None) -> schemas.IncidentOut:
        """Puts it off until then; None: not any longer."""
        return self._step(incident_id, "snooze", schemas.IncidentSnoozeIn(revision=revision, snoozed_until=until))

    def resolve_incident(
        self,
        incident_id: UUID,
        revision: int,
        resolution: schemas.ManualResolution,
        *,
        comment: str | None = None,
        duplicate_of: UUID | None = None,
    ) -> schemas.IncidentOut:
        """Ends it for a reason."""
        body = schemas.IncidentResolveIn(
            revision=revision, resolution=resolution, comment=comment, duplicate_of=duplicate_of
        )
        return self._step(incident_id, "resolve", body)

    def reopen_incident(self, incident_id: UUID, revision: int) -> schemas.IncidentOut:
        """Opens it again."""
        return self._step(incident_id, "reopen", schemas.IncidentStepIn(revision=revision))

    def _step(self, incident_id: UUID, step: str, body: schemas.IncidentStepIn) -> schemas.IncidentOut:
        return self._post(schemas.IncidentOut, f"/incidents/{incident_id}/{step}", body)
