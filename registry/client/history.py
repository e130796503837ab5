"""Client methods for the history of metrics and checks."""

from datetime import datetime

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class HistoryApi(ApiTransport):
    """Client methods for the history of metrics and checks."""

    def metric_history(self, query: schemas.MetricHistoryQuery) -> list[schemas.MetricHistoryItemOut]:
        """Fetch the newest measurements of an object's metrics, oldest first."""
        return self._get(list[schemas.MetricHistoryItemOut], "/history/metrics", **query.model_dump(mode="json"))

    def check_history(
        self, contract_id: str, object_name: str, check: str, *, since: datetime | None = None, limit: int = 500
    ) -> list[schemas.CheckHistoryItemOut]:
        """Fetch the newest results of a check, oldest first.

        `since`: earliest end of the run; None means no limit."""
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
