"""Client methods for contract requests."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ContractRequestsApi(ApiTransport):
    """Client methods for contract requests."""

    def contract_requests(self) -> list[schemas.ContractRequestOut]:
        """List requested contracts that have no draft yet, oldest first."""
        return self._get(list[schemas.ContractRequestOut], "/contract-requests")

    def request_contract(self, name: str, why: str, *, namespace: str = "file") -> schemas.ContractRequestOut:
        """Request a contract for a dataset that has none."""
        body = schemas.ContractRequestIn(namespace=namespace, name=name, purpose=why)
        return self._post(schemas.ContractRequestOut, "/contract-requests", body)

    def close_contract_request(self, request_id: UUID, reason: str | None = None) -> None:
        """Withdraw an own request, or decline another user's with a reason."""
        self._send("POST", f"/contract-requests/{request_id}/close", body=schemas.ContractRequestEndIn(reason=reason))
