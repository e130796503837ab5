"""Client methods for profiles: statistics of tables and their columns."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ProfilesApi(ApiTransport):
    """Client methods for profiles of datasets and drafted tables."""

    def profile(
        self, dataset: str, *, where: str | None = None, namespace: str | None = None, contract_id: str | None = None
    ) -> schemas.ProfileDocument:
        """Fetch the profile of a dataset, computed from the stored states of the selected partitions."""
        query = {"name": dataset, "namespace": namespace, "where": where, "contract_id": contract_id}
        return self._get(schemas.ProfileDocument, "/dataset/profile", **query)

    def profile_of_proposal(self, proposal_id: UUID) -> schemas.ProfileDocument:
        """Fetch the profile of the table that the proposal was drafted from."""
        return self._get(schemas.ProfileDocument, f"/proposals/{proposal_id}/profile")
