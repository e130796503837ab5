"""Calls about the catalog."""

from treaty.registry import schemas
from treaty.registry.client.transport import ApiTransport
from treaty.registry.core.enums import LabelKind


class CatalogApi(ApiTransport):
    """The catalog: everything that there is, and what of it somebody looks for."""

    def search(
        self,
        words: str = "",
        *,
        labels: dict[LabelKind, str] | None = None,
        subscribed: bool = False,
        limit: int = 20,
        cursor: str | None = None,
    ) -> schemas.CatalogPageOut:
        """Contracts that have all words and labels, best first; the last word may be a beginning. `subscribed`: only
        those that whom this client acts as subscribes to."""
        chosen = {kind.value: value for kind, value in (labels or {}).items()}
        asked = {**chosen, "subscribed": subscribed or None, "limit": limit, "cursor": cursor}
        return self._get(schemas.CatalogPageOut, "/catalog", q=words, **asked)
