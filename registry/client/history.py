"""Calls about history: of metrics, and of the results of one check."""

from datetime import datetime

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class HistoryApi(ApiTransport):
    """What was measured over time."""

    def metric_history(self, asked: schemas.MetricHistoryQuery) -> list[schemas.MetricHistoryItemOut]:
        """Return the newest measurements of an object's metrics, oldest first."""
        return self._get(list[schemas.MetricHistoryItemOut], "/history/metrics", **asked.model_dump(mode="json"))

    def check_history(
        self, contract_id: str, object_name: str, check: str, *, since: datetime | None = None, limit: int = 500
    ) -> list[schemas.CheckHistoryItemOut]:
        """The newest results of the check of that id, oldest first."""
        moment = since.isoformat() if since else None
        return self._get(
            list[schemas.CheckHistoryItemOut],
            "/history/checks",
            contract_id=contract_id,
            object=object_name,
            check_id=check,
            since=moment,
            limit=limit,
        )
