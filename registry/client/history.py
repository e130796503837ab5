"""Calls about history: of metrics, and of the results of one check."""

from datetime import datetime
from typing import Any

from treaty.registry import schemas
from treaty.registry.client.transport import Calls


class History(Calls):
    """What was measured over time."""

    def history(self, contract_id: str, object_name: str, **chosen: Any) -> list[schemas.HistoryOut]:
        """The newest measurements of the object's metrics, oldest first: `chosen` by metric, since, until, segment,
        tag and limit."""
        query = {name: value for name, value in chosen.items() if value is not None}
        return self._get(
            list[schemas.HistoryOut], "/history", contract_id=contract_id, object=object_name, **query
        )  # fmt: skip

    def checked(
        self, contract_id: str, object_name: str, check: str, *, since: datetime | None = None, limit: int = 500
    ) -> list[schemas.CheckedOut]:
        """The newest results of the check of that id, oldest first."""
        moment = since.isoformat() if since else None
        return self._get(
            list[schemas.CheckedOut], "/history/results", contract_id=contract_id, object=object_name, check=check,
            since=moment, limit=limit,
        )  # fmt: skip
