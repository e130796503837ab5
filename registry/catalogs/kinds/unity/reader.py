"""Read the open-source Unity Catalog, which returns whole tables in its listings."""

from dataclasses import dataclass, field
from typing import Any

from treaty.registry.catalogs.kinds.answers import scopes
from treaty.registry.catalogs.kinds.listed_tables import ListedTables, changed
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import bearer
from treaty.registry.catalogs.kinds.unity.api import ONLY, SELECT, USE_CATALOG, USE_SCHEMA, UnityApi
from treaty.registry.catalogs.kinds.unity.metadata import identifier_of, table_facts
from treaty.registry.catalogs.model import Dropped, Identifier, ListedTable, LoadedTable, TableListing
from treaty.registry.catalogs.requests import CatalogRequest, Steps

PAGE_SIZE = CatalogOption(
    "page-size",
    "Tables in one response; choose fewer if tables have thousands of columns",
    default="50",
    choices=("1", "10", "50"),
)


class UnityCatalog:
    """The kind of catalogs that run the open-source Unity Catalog."""

    name = "unity"
    options = (ONLY, PAGE_SIZE)
    permissions = (USE_CATALOG, USE_SCHEMA, SELECT)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in with the secret as a bearer token; a server may demand none."""
        only, size = scopes(access.options["only"], most=2), access.options["page-size"]
        api = UnityApi(headers=bearer(access.secret), only=only, page_size=size)
        yield from api.check()
        return UnityReader(api)


@dataclass(frozen=True)
class UnityReader:
    """An open-source Unity Catalog."""

    api: UnityApi
    listed: ListedTables = field(default_factory=ListedTables, repr=False)

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more.

        The token is not `updated_at`, which a server need not change with the comment or the properties."""
        return (yield from self.api.listing(self._entry, most, {}))

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table, without a request if the listing returned them."""
        request = self.api.table_request(identifier)
        content = self.listed.take(identifier) or (yield from self.api.table(request))
        return Dropped() if content is None else changed(table_facts(content, request), token)

    def _entry(self, content: dict[str, Any], request: CatalogRequest) -> ListedTable:
        return self.listed.add(identifier_of(content, request), content, lambda: table_facts(content, request))
