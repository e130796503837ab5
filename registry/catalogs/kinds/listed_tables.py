"""Retain listed tables until they are loaded, so that a page costs one request.

A version token of such a catalog is the fingerprint of the facts: it changes when anything that is read changes."""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from treaty.registry.catalogs.bounds import bounded
from treaty.registry.catalogs.errors import CatalogAnswerInvalid
from treaty.registry.catalogs.kinds.protocol import CatalogOption
from treaty.registry.catalogs.model import (
    Identifier,
    ListedTable,
    LoadedTable,
    TableFacts,
    Unchanged,
    facts_fingerprint,
)

PAGE_SIZE = CatalogOption(
    "page-size",
    "Tables in one response; choose fewer if they have thousands of columns",
    default="50",
    choices=("1", "10", "50", "200"),
)
# Compressed. Tables beyond it are requested one by one.
MOST_BYTES = 64 * 1024 * 1024


def with_token(facts: TableFacts) -> TableFacts:
    """Return the facts with their fingerprint as the version token."""
    return replace(facts, token=facts_fingerprint(bounded(facts)))


def changed(facts: TableFacts, token: str) -> LoadedTable:
    """Return the facts with their token, unless that is the token of the stored ones."""
    loaded = with_token(facts)
    return Unchanged() if token == loaded.token else loaded


@dataclass
class ListedTables:
    """Contents of tables that a listing returned, compressed. `size`: in bytes."""

    contents: dict[Identifier, bytes] = field(default_factory=dict)
    size: int = 0
    most_bytes: int = MOST_BYTES

    def add(self, identifier: Identifier, content: Any, read: Callable[[], TableFacts]) -> ListedTable:
        """Retain the content of a table and return its entry in the listing.

        Without a token if it cannot be read: loading it raises the error of this table alone."""
        try:
            token = with_token(read()).token
        except CatalogAnswerInvalid:
            token = None
        self._retain(identifier, zlib.compress(json.dumps(content).encode(), 1))
        return ListedTable(identifier, token)

    def take(self, identifier: Identifier) -> Any:
        """Return the content and forget it; None if it is not here."""
        packed = self.contents.pop(identifier, None)
        if packed is None:
            return None
        self.size -= len(packed)
        return json.loads(zlib.decompress(packed))

    def _retain(self, identifier: Identifier, packed: bytes) -> None:
        if self.size + len(packed) <= self.most_bytes and identifier not in self.contents:
            self.contents[identifier] = packed
            self.size += len(packed)
