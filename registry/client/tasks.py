"""Calls about tasks and lineage."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class TasksApi(ApiTransport):
    """Tasks and lineage."""

    def request_draft(self, draft: schemas.DraftIn) -> schemas.TaskOut:
        """Asks for a table to be profiled; the finished task's result names the proposal."""
        return self._post(schemas.TaskOut, "/drafts", draft)

    def task(self, task_id: UUID) -> schemas.TaskOut:
        """A task: its state, how far it is, and its result."""
        return self._get(schemas.TaskOut, f"/tasks/{task_id}")

    def retry_task(self, task_id: UUID) -> schemas.TaskOut:
        """Has a task that was given up tried anew."""
        return self._post(schemas.TaskOut, f"/tasks/{task_id}/retry")

    def stop_task(self, task_id: UUID) -> schemas.TaskOut:
        """Ends a draft or a replay that waits or is being done."""
        return self._post(schemas.TaskOut, f"/tasks/{task_id}/stop")

    def retry_event(self, event_id: UUID) -> None:
        """Has a lineage event that could not be folded tried anew."""
        self._request("POST", f"/lineage/events/{event_id}/retry")

    def tasks(
        self,
        *,
        state: str | None = None,
        kind: str | None = None,
        contract_id: str | None = None,
        limit: int | None = 100,
    ) -> list[schemas.TaskSummaryOut]:
        """Tasks of the queue that the caller may see, newest first."""
        form = schemas.Page[schemas.TaskSummaryOut]
        return self._list(form, "/tasks", state=state, kind=kind, contract_id=contract_id, limit=limit)

    def send_event(self, event: Mapping[str, Any]) -> None:
        """Sends one OpenLineage event; returning means that it is kept."""
        self._request("POST", "/lineage", json=dict(event))
