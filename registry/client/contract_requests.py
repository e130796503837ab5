"""Calls about contracts that people ask for."""

from uuid import UUID

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class ContractRequestsApi(ApiTransport):
    """Contracts that people ask for."""

    def contract_requests(self) -> list[schemas.ContractRequestOut]:
        """Contracts that are asked for and of which there is no draft yet, the oldest first."""
        return self._get(list[schemas.ContractRequestOut], "/contract-requests")

    def request_contract(self, name: str, why: str, *, namespace: str = "file") -> schemas.ContractRequestOut:
        """Asks for a contract of a dataset that has none."""
        body = schemas.ContractRequestIn(namespace=namespace, name=name, purpose=why)
        return self._post(schemas.ContractRequestOut, "/contract-requests", body)

    def close_contract_request(self, request_id: UUID, reason: str | None = None) -> None:
        """Takes one's own request back; declines another's, for that reason."""
        self._send("POST", f"/contract-requests/{request_id}/close", body=schemas.ContractRequestEndIn(reason=reason))
