"""Client methods for the contract search."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import LabelKind


class CatalogApi(ApiTransport):
    """Client methods for the contract search."""

    def search(
        self,
        words: str = "",
        *,
        labels: dict[LabelKind, str] | None = None,
        subscribed: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> schemas.CatalogPageOut:
        """Search contracts that have all words and labels, best first.

        The last word matches as a prefix. `subscribed`: only contracts that the caller subscribes to."""
        chosen = {kind.value: value for kind, value in (labels or {}).items()}
        parameters = {**chosen, "subscribed": subscribed or None, "limit": limit, "cursor": cursor}
        return self._get(schemas.CatalogPageOut, "/catalog", q=words, **parameters)
