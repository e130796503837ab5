"""Client methods for received lineage events."""

from datetime import datetime
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import LineageEventState


class LineageEventsApi(ApiTransport):
    """Client methods for received lineage events."""

    def events(
        self,
        *,
        state: LineageEventState | None = None,
        producer: str | None = None,
        since: datetime | None = None,
        limit: int | None = 100,
    ) -> list[schemas.LineageEventOut]:
        """List accepted events, newest first."""
        form, moment = schemas.Page[schemas.LineageEventOut], since.isoformat() if since else None
        return self._list(form, "/lineage/events", state=state, producer=producer, since=moment, limit=limit)

    def event_counts(self) -> schemas.LineageEventCountsOut:
        """Count the events in the inbox and return its lag."""
        return self._get(schemas.LineageEventCountsOut, "/lineage/events/counts")

    def rejected_events(
        self, *, producer: str | None = None, limit: int | None = 100
    ) -> list[schemas.RejectedEventOut]:
        """List rejected event bodies, newest first."""
        return self._list(
            schemas.Page[schemas.RejectedEventOut], "/lineage/events/rejected", producer=producer, limit=limit
        )

    def rejected_event(self, event_id: UUID) -> schemas.RejectedEventDetailOut:
        """Fetch a rejected event. It includes the beginning of the body if the caller may see it."""
        return self._get(schemas.RejectedEventDetailOut, f"/lineage/events/rejected/{event_id}")

    def unmatched_datasets(self, *, limit: int = 100) -> list[schemas.UnmatchedDatasetOut]:
        """List datasets that jobs write and no contract in force covers."""
        return self._get(list[schemas.UnmatchedDatasetOut], "/lineage/unmatched-datasets", limit=limit)
