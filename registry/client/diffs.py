"""Calls about differences between versions."""

from uuid import UUID

from registry.api import schemas
from registry.client.calls import Calls


class Diffs(Calls):
    """Differences between versions."""

    def diff(self, contract_id: str, old: str | None = None, new: str | None = None) -> schemas.DiffOut:
        """What differs from one version to another; the version in force where one is not named."""
        return self._get(schemas.DiffOut, "/contract/diff", id=contract_id, old=old, new=new)

    def proposal_diff(self, proposal_id: UUID) -> schemas.DiffOut:
        """What differs from the version in force to what the proposal would make a version."""
        return self._get(schemas.DiffOut, f"/proposals/{proposal_id}/diff")
