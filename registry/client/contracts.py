"""Client methods for contracts, checks, deadlines and runs."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from uuid import UUID

from treaty.contracts.document import yaml_syntax
from treaty.contracts.errors import ContractError
from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


@lru_cache(maxsize=8)
def content(document: bytes) -> Mapping[str, Any]:
    """Parse a document into plain data, with the parser of the service.

    Returns an empty mapping if the document is invalid. Results are cached; do not modify them."""
    try:
        return yaml_syntax.parse(document).data
    except ContractError:
        return {}


class ContractsApi(ApiTransport):
    """Client methods for contracts, checks, deadlines and runs."""

    def contracts(self, *, limit: int | None = None) -> list[schemas.ContractSummaryOut]:
        """List contracts by id, each with its last run. `limit` None returns all."""
        return self._list(schemas.Page[schemas.ContractSummaryOut], "/contracts", limit=limit)

    def contract_ids(self) -> list[str]:
        """Return the sorted ids of all contracts."""
        return self._get(list[str], "/contracts/ids")

    def contract(self, contract_id: str) -> schemas.ContractOut:
        """Fetch a contract with its versions, datasets and last runs."""
        return self._get(schemas.ContractOut, "/contract", contract_id=contract_id)

    def document(self, contract_id: str, version: str | None = None) -> bytes:
        """Fetch the document of a version byte for byte.

        `version`: None means the version in force."""
        return self._send("GET", "/contract/document", query={"contract_id": contract_id, "version": version}).content

    def runs(
        self, *, contract_id: str | None = None, subscription_id: UUID | None = None, limit: int = 50
    ) -> list[schemas.RunSummaryOut]:
        """List runs, newest first.

        `subscription_id`: runs of the checks of this subscription; None means runs of the contracts' own checks."""
        filters = {"contract_id": contract_id, "subscription_id": subscription_id}
        return self._list(schemas.Page[schemas.RunSummaryOut], "/runs", limit=limit, **filters)

    def run(self, run_id: UUID) -> schemas.RunOut:
        """Fetch the report of a run."""
        return self._get(schemas.RunOut, f"/runs/{run_id}")

    def samples(self, run_id: UUID) -> list[schemas.ViolationSampleOut]:
        """Fetch samples of violating rows of a run; empty if none are stored."""
        return self._get(list[schemas.ViolationSampleOut], f"/runs/{run_id}/samples")

    def analyzers(self) -> list[schemas.AnalyzerOut]:
        """List the analyzers by family."""
        return self._get(list[schemas.AnalyzerOut], "/analyzers")

    def measurements(
        self, contract_id: str, *, object_name: str, identity: str, limit: int = 60
    ) -> list[schemas.MeasurementOut]:
        """Fetch the last values of a metric, oldest first."""
        query = {"contract_id": contract_id, "object": object_name, "identity": identity, "limit": limit}
        return self._get(list[schemas.MeasurementOut], "/measurements", **query)

    def checks(self, contract_id: str, version: str | None = None) -> schemas.ChecksOut:
        """List all checks of a version with their executors.

        `version`: None means the version in force."""
        return self._get(schemas.ChecksOut, "/contract/checks", contract_id=contract_id, version=version)

    def deadlines(self, contract_id: str) -> list[schemas.DeadlineOut]:
        """List the deadlines of the contract with their next and missed times."""
        return self._get(list[schemas.DeadlineOut], "/contract/deadlines", contract_id=contract_id)
