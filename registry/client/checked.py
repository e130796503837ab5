"""Calls about one check over time."""

from datetime import datetime

from registry.api import schemas
from registry.client.calls import Calls


class Checked(Calls):
    """How one check came out, run by run."""

    def checked(
        self, contract_id: str, object_name: str, check: str, *, since: datetime | None = None, limit: int = 500
    ) -> list[schemas.CheckedOut]:
        """The newest results of the check of that id, oldest first."""
        moment = since.isoformat() if since else None
        return self._get(
            list[schemas.CheckedOut], "/history/results", contract_id=contract_id, object=object_name, check=check,
            since=moment, limit=limit,
        )  # fmt: skip
