"""Client methods for text patterns."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport


class PatternsApi(ApiTransport):
    """Client methods for text patterns."""

    def patterns(self, limit: int = 100) -> list[schemas.CommonPatternOut]:
        """List the common patterns of text columns, most frequent first."""
        return self._get(list[schemas.CommonPatternOut], "/patterns", limit=limit)

    def pattern_columns(self, pattern: str) -> schemas.PatternInfoOut:
        """Fetch a pattern with its columns and its neighbors."""
        return self._get(schemas.PatternInfoOut, "/patterns/columns", pattern=pattern)

    def learn_patterns(self) -> schemas.TaskOut:
        """Start a task that updates the pattern index from tables with contracts in force."""
        return self._post(schemas.TaskOut, "/patterns")
