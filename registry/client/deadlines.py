"""Calls about deadlines."""

from registry.api import schemas
from registry.client.calls import Calls


class Deadlines(Calls):
    """When data are due."""

    def deadlines(self, contract_id: str) -> list[schemas.DeadlineOut]:
        """When data of the contract's objects must come, and what is missed."""
        return self._get(list[schemas.DeadlineOut], "/contract/deadlines", id=contract_id)
