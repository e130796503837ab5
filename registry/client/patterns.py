"""Calls about patterns."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class PatternsApi(ApiTransport):
    """Patterns of texts."""

    def patterns(self, limit: int = 100) -> list[schemas.CommonPatternOut]:
        """The common domains of text columns, those of most columns first."""
        return self._get(list[schemas.CommonPatternOut], "/patterns", limit=limit)

    def pattern_columns(self, pattern: str) -> schemas.PatternInfoOut:
        """The columns that carry a pattern, what is known of it, and its neighbours."""
        return self._get(schemas.PatternInfoOut, "/patterns/columns", pattern=pattern)

    def learn_patterns(self) -> schemas.TaskOut:
        """Has the index of patterns brought up to date with the tables that contracts in force are about."""
        return self._post(schemas.TaskOut, "/patterns")
