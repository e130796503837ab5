"""Calls about history: of metrics, and of the results of one check."""

from datetime import datetime

from treaty.registry import schemas
from treaty.registry.client.transport import Calls


class History(Calls):
    """What was measured over time."""

    def history(self, asked: schemas.HistoryAsked) -> list[schemas.HistoryOut]:
        """Return the newest measurements of an object's metrics, oldest first."""
        return self._get(list[schemas.HistoryOut], "/history", **asked.model_dump(mode="json"))

    def checked(
        self, contract_id: str, object_name: str, check: str, *, since: datetime | None = None, limit: int = 500
    ) -> list[schemas.CheckedOut]:
        """The newest results of the check of that id, oldest first."""
        moment = since.isoformat() if since else None
        return self._get(
            list[schemas.CheckedOut], "/history/results", contract_id=contract_id, object=object_name, check=check,
            since=moment, limit=limit,
        )  # fmt: skip
