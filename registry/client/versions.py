"""Calls about versions: where one stands, and what owners do to one that is approved."""

from registry.api import schemas
from registry.client.calls import Calls


class Versions(Calls):
    """Versions: where one stands, and what owners do to one that is approved."""

    def version(self, contract_id: str, version: str) -> schemas.VersionDetail:
        """A version, and what keeps it from coming into force."""
        return self._get(schemas.VersionDetail, "/contract/version", id=contract_id, version=version)

    def deprecate(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Advises against a version, which stays in force."""
        return self._leave("deprecate", contract_id, version, schemas.FarewellIn(reason=reason, successor=successor))

    def retire(
        self, contract_id: str, version: str, reason: str, *, successor: str | None = None
    ) -> schemas.VersionOut:
        """Ends a version for good."""
        return self._leave("retire", contract_id, version, schemas.FarewellIn(reason=reason, successor=successor))

    def _leave(self, step: str, contract_id: str, version: str, body: schemas.FarewellIn) -> schemas.VersionOut:
        query = {"id": contract_id, "version": version}
        return self._answer(schemas.VersionOut, self._send("POST", f"/contract/version/{step}", query=query, body=body))
