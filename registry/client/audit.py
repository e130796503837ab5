"""Client methods for the audit log and approval records."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.audit_actions import AuditAction


class AuditApi(ApiTransport):
    """Client methods for the audit log and approval records."""

    def audit(
        self,
        *,
        action: AuditAction | None = None,
        object_id: str | None = None,
        limit: int = 100,
    ) -> list[schemas.AuditOut]:
        """List audit entries, newest first."""
        form = schemas.Page[schemas.AuditOut]
        return self._list(form, "/audit", action=action, object_id=object_id, limit=limit)

    def audit_chain(self) -> schemas.ChainOut:
        """Verify that the audit log is unmodified."""
        return self._get(schemas.ChainOut, "/audit/chain")

    def audit_head(self) -> schemas.AuditHead:
        """Fetch the current head of the audit log.

        Store it: it proves later that no entry was cut off or rewritten."""
        return self._get(schemas.AuditHead, "/audit/head")

    def audit_export(self, *, after: int = 0) -> bytes:
        """Export all entries after that position as JSON lines. The last line is their number."""
        return self._send("GET", "/audit/export", query={"after": after}).content

    def approvals(self, contract_id: str, version: str | None = None) -> list[schemas.ApprovalRecordOut]:
        """List the approval records of a version; of the version in force if `version` is None."""
        return self._get(
            list[schemas.ApprovalRecordOut], "/contract/approvals", contract_id=contract_id, version=version
        )
