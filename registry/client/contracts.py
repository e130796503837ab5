"""Calls about contracts, their checks and deadlines, and runs."""

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
    """The document as plain data, read as the service reads it; {} for bytes that are no document. What was read lately
    is remembered: nobody changes it."""
    try:
        return yaml_syntax.parse(document).data
    except ContractError:
        return {}


class ContractsApi(ApiTransport):
    """Contracts, their checks and deadlines, and runs."""

    def contracts(self, *, limit: int | None = None) -> list[schemas.ContractSummaryOut]:
        """Contracts by id, each with its last run; all of them without a limit."""
        return self._list(schemas.Page[schemas.ContractSummaryOut], "/contracts", limit=limit)

    def contract_ids(self) -> list[str]:
        """The ids of all contracts, in their order."""
        return self._get(list[str], "/contracts/ids")

    def contract(self, contract_id: str) -> schemas.ContractOut:
        """A contract with its versions, datasets and last runs."""
        return self._get(schemas.ContractOut, "/contract", contract_id=contract_id)

    def document(self, contract_id: str, version: str | None = None) -> bytes:
        """A version's document, byte for byte; the active one where none is named."""
        return self._send("GET", "/contract/document", query={"contract_id": contract_id, "version": version}).content

    def runs(
        self, *, contract_id: str | None = None, subscription_id: UUID | None = None, limit: int = 50
    ) -> list[schemas.RunSummaryOut]:
        """Runs of contracts' own checks, or of those of that subscription, newest first."""
        whose = {"contract_id": contract_id, "subscription_id": subscription_id}
        return self._list(schemas.Page[schemas.RunSummaryOut], "/runs", limit=limit, **whose)

    def run(self, run_id: UUID) -> schemas.RunOut:
        """The report of a run."""
        return self._get(schemas.RunOut, f"/runs/{run_id}")

    def samples(self, run_id: UUID) -> list[schemas.ViolationSampleOut]:
        """Rows that break checks of a run; [] where none are kept."""
        return self._get(list[schemas.ViolationSampleOut], f"/runs/{run_id}/samples")

    def analyzers(self) -> list[schemas.AnalyzerOut]:
        """The reference of analyzers, by family."""
        return self._get(list[schemas.AnalyzerOut], "/analyzers")

    def measurements(
        self, contract_id: str, *, object_name: str, identity: str, limit: int = 60
    ) -> list[schemas.MeasurementOut]:
        """The last values of a metric, oldest first."""
        query = {"contract_id": contract_id, "object": object_name, "identity": identity, "limit": limit}
        return self._get(list[schemas.MeasurementOut], "/measurements", **query)

    def checks(self, contract_id: str, version: str | None = None) -> schemas.ChecksOut:
        """All checks of a version, the active one where none is named, by who judges them."""
        return self._get(schemas.ChecksOut, "/contract/checks", contract_id=contract_id, version=version)

    def deadlines(self, contract_id: str) -> list[schemas.DeadlineOut]:
        """When data of the contract's objects must come, and what is missed."""
        return self._get(list[schemas.DeadlineOut], "/contract/deadlines", contract_id=contract_id)
