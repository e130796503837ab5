"""Calls about patterns."""

from registry.api import schemas
from registry.client.calls import Calls


class Patterns(Calls):
    """Patterns of texts."""

    def learn_patterns(self) -> schemas.TaskOut:
        """Has the index of patterns brought up to date with the tables that contracts in force are about."""
        return self._post(schemas.TaskOut, "/patterns")
