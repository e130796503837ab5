"""Calls about versions: where one stands, what owners do to an approved one, and how two differ."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class VersionsApi(ApiTransport):
    """Versions: where one stands, what owners do to an approved one, and how two differ."""

    def version(self, contract_id: str, version: str) -> schemas.VersionDetailOut:
        """A version, and what keeps it from coming into force."""
        return self._get(schemas.VersionDetailOut, "/contract/version", contract_id=contract_id, version=version)

    def deprecate(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Advises against a version, which stays in force."""
        return self._leave(
            "deprecate", contract_id, version, schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        )

    def retire(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Ends a version for good."""
        return self._leave(
            "retire", contract_id, version, schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        )

    def _leave(
        self, step: str, contract_id: str, version: str, body: schemas.VersionRetirementIn
    ) -> schemas.VersionOut:
        query = {"contract_id": contract_id, "version": version}
        return self._answer(schemas.VersionOut, self._send("POST", f"/contract/version/{step}", query=query, body=body))

    def diff(self, contract_id: str, old: str | None = None, new: str | None = None) -> schemas.DiffOut:
        """What differs from one version to another; the version in force where one is not named."""
        return self._get(schemas.DiffOut, "/contract/diff", contract_id=contract_id, old=old, new=new)

    def proposal_diff(self, proposal_id: UUID) -> schemas.DiffOut:
        """What differs from the version in force to what the proposal would make a version."""
        return self._get(schemas.DiffOut, f"/proposals/{proposal_id}/diff")
