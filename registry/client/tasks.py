"""Client methods for tasks and for sending lineage events."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class TasksApi(ApiTransport):
    """Client methods for tasks and for sending lineage events."""

    def request_draft(self, draft: schemas.DraftIn) -> schemas.TaskOut:
        """Start a task that profiles a table; its result names the proposal."""
        return self._post(schemas.TaskOut, "/drafts", draft)

    def task(self, task_id: UUID) -> schemas.TaskOut:
        """Fetch a task with its state, progress and result."""
        return self._get(schemas.TaskOut, f"/tasks/{task_id}")

    def retry_task(self, task_id: UUID) -> schemas.TaskOut:
        """Retry a dead-letter task."""
        return self._post(schemas.TaskOut, f"/tasks/{task_id}/retry")

    def stop_task(self, task_id: UUID) -> schemas.TaskOut:
        """Stop a queued or running draft or replay."""
        return self._post(schemas.TaskOut, f"/tasks/{task_id}/stop")

    def retry_event(self, event_id: UUID) -> None:
        """Retry a lineage event that could not be processed."""
        self._request("POST", f"/lineage/events/{event_id}/retry")

    def tasks(
        self,
        *,
        state: str | None = None,
        kind: str | None = None,
        contract_id: str | None = None,
        limit: int | None = 100,
    ) -> list[schemas.TaskSummaryOut]:
        """List the tasks that the caller may see, newest first."""
        form = schemas.Page[schemas.TaskSummaryOut]
        return self._list(form, "/tasks", state=state, kind=kind, contract_id=contract_id, limit=limit)

    def send_event(self, event: Mapping[str, Any]) -> None:
        """Send an OpenLineage event. It is stored when the method returns."""
        self._request("POST", "/lineage", json=dict(event))
