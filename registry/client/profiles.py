"""Calls about profiles: what tables are like, column by column."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ProfilesApi(ApiTransport):
    """Profiles of datasets, and of the tables that proposals were drafted of."""

    def profile(
        self, dataset: str, *, where: str | None = None, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.ProfileDocument:
        """What stored states of the chosen partitions say of the dataset."""
        query = {"name": dataset, "namespace": namespace, "where": where, "contract_id": contract_id}
        return self._get(schemas.ProfileDocument, "/dataset/profile", **query)

    def profile_of_proposal(self, proposal_id: UUID) -> schemas.ProfileDocument:
        """What the table was like that the proposal was drafted of."""
        return self._get(schemas.ProfileDocument, f"/proposals/{proposal_id}/profile")
