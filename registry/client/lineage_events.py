"""Calls about what came over lineage."""

from datetime import datetime
from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import Calls
from treaty.registry.core.enums import InboxState


class Inbox(Calls):
    """What came over lineage."""

    def events(
        self,
        *,
        state: InboxState | None = None,
        producer: str | None = None,
        since: datetime | None = None,
        limit: int | None = 100,
    ) -> list[schemas.EventOut]:
        """Accepted events, newest first."""
        form, moment = schemas.Page[schemas.EventOut], since.isoformat() if since else None
        return self._listed(form, "/lineage/inbox", state=state, producer=producer, since=moment, limit=limit)

    def inbox_counts(self) -> schemas.InboxCounts:
        """How many events lie in the inbox, and how far it is behind."""
        return self._get(schemas.InboxCounts, "/lineage/inbox/counts")

    def refused(self, *, producer: str | None = None, limit: int | None = 100) -> list[schemas.RefusedOut]:
        """Bodies that were refused, newest first."""
        return self._listed(schemas.Page[schemas.RefusedOut], "/lineage/rejected", producer=producer, limit=limit)

    def refusal(self, event_id: UUID) -> schemas.RefusedDetail:
        """A refused body, with how it begins where that may be seen."""
        return self._get(schemas.RefusedDetail, f"/lineage/rejected/{event_id}")

    def unmatched(self, *, limit: int = 100) -> list[schemas.UnmatchedOut]:
        """Datasets that runs write and no contract in force is about."""
        return self._get(list[schemas.UnmatchedOut], "/lineage/unmatched", limit=limit)
