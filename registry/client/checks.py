"""Calls about checks: what versions promise, and who judges that."""

from registry.api import schemas
from registry.client.calls import Calls


class Checks(Calls):
    """Checks: what versions promise, and who judges that."""

    def checks(self, contract_id: str, version: str | None = None) -> schemas.ChecksOut:
        """All checks of a version, the active one where none is named, by who judges them."""
        return self._get(schemas.ChecksOut, "/contract/checks", id=contract_id, version=version)
