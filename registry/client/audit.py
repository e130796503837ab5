"""Calls about proof: the audit, its head and its export, the records of approvals."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import AuditAction


class AuditApi(ApiTransport):
    """Proof: the audit, its head and its export, the records of approvals."""

    def audit(
        self,
        *,
        action: AuditAction | None = None,
        object_id: str | None = None,
        limit: int = 100,
    ) -> list[schemas.AuditOut]:
        """Audit entries, newest first."""
        form = schemas.Page[schemas.AuditOut]
        return self._list(form, "/audit", action=action, object_id=object_id, limit=limit)

    def audit_chain(self) -> schemas.ChainOut:
        """Whether the audit is as it was written."""
        return self._get(schemas.ChainOut, "/audit/chain")

    def audit_head(self) -> schemas.AuditHead:
        """The last entry as it stands now: keep it, to see later that nothing is cut off or rewritten."""
        return self._get(schemas.AuditHead, "/audit/head")

    def audit_export(self, *, after: int = 0) -> bytes:
        """All entries behind that position as lines of JSON."""
        return self._send("GET", "/audit/export", query={"after": after}).content

    def approvals(self, contract_id: str, version: str | None = None) -> list[schemas.ApprovalRecordOut]:
        """The records of the approvals of a version, the active one where none is named."""
        return self._get(
            list[schemas.ApprovalRecordOut], "/contract/approvals", contract_id=contract_id, version=version
        )
