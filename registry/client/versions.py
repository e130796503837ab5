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
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None, etag: str = "*"
    ) -> schemas.VersionOut:
        """Deprecate a version; it stays in force.

        `etag`: `etag` of the version as read, responds 412 if it has changed since; "*" means any state."""
        body = schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        return self._leave("deprecate", contract_id, version, body, etag)

    def retire(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None, etag: str = "*"
    ) -> schemas.VersionOut:
        """Retire a version permanently. `etag`: as of `deprecate`."""
        body = schemas.VersionRetirementIn(reason=reason, successor_version=successor)
        return self._leave("retire", contract_id, version, body, etag)

    def _leave(
        self, step: str, contract_id: str, version: str, body: schemas.VersionRetirementIn, etag: str
    ) -> schemas.VersionOut:
        path, query = f"/contract/version/{step}", {"contract_id": contract_id, "version": version}
        return self._changed(schemas.VersionOut, "POST", path, etag, body=body, **query)

    def diff(self, contract_id: str, old: str | None = None, new: str | None = None) -> schemas.DiffOut:
        """Compare two versions.

        `old`, `new`: None means the version in force."""
        return self._get(schemas.DiffOut, "/contract/diff", contract_id=contract_id, old=old, new=new)

    def proposal_diff(self, proposal_id: UUID) -> schemas.DiffOut:
        """Compare the proposed document with the version in force."""
        return self._get(schemas.DiffOut, f"/proposals/{proposal_id}/diff")
