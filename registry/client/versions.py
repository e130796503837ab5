"""Client methods for versions: status, deprecation, retirement and differences."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class VersionsApi(ApiTransport):
    """Client methods for versions: status, deprecation, retirement and differences."""

    def version(self, contract_id: str, version: str) -> schemas.VersionDetailOut:
        """Fetch a version with the reason why it is not in force yet."""
        return self._get(schemas.VersionDetailOut, "/contract/version", contract_id=contract_id, version=version)

    def deprecate(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Deprecate a version; it stays in force."""
        return self._leave(
            "deprecate", contract_id, version, schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        )

    def retire(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Retire a version permanently."""
        return self._leave(
            "retire", contract_id, version, schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        )

    def _leave(
        self, step: str, contract_id: str, version: str, body: schemas.VersionRetirementIn
    ) -> schemas.VersionOut:
        query = {"contract_id": contract_id, "version": version}
        return self._answer(schemas.VersionOut, self._send("POST", f"/contract/version/{step}", query=query, body=body))

    def diff(self, contract_id: str, old: str | None = None, new: str | None = None) -> schemas.DiffOut:
        """Compare two versions.

        `old`, `new`: None means the version in force."""
        return self._get(schemas.DiffOut, "/contract/diff", contract_id=contract_id, old=old, new=new)

    def proposal_diff(self, proposal_id: UUID) -> schemas.DiffOut:
        """Compare the proposed document with the version in force."""
        return self._get(schemas.DiffOut, f"/proposals/{proposal_id}/diff")
