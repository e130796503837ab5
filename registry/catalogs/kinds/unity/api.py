"""Use the REST API that the open-source Unity Catalog and Databricks have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from treaty.registry.catalogs.kinds.answers import entries, name, text, unless_denied
from treaty.registry.catalogs.kinds.protocol import CatalogOption
from treaty.registry.catalogs.model import Identifier, ListedTable, TableListing
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps, answered, expect, paged, segment

Item = TypeVar("Item")
Convert = Callable[[dict[str, Any], CatalogRequest], Item]
ROOT = "api/2.1/unity-catalog"
MOST_SCHEMAS = 100_000
USE_CATALOG = "USE CATALOG on the catalogs to read"
USE_SCHEMA = "USE SCHEMA on their schemas"
# The catalog shows the metadata of a table only to those who may read its data.
SELECT = "SELECT on their tables"
PERMISSIONS = {"catalogs": USE_CATALOG, "schemas": USE_SCHEMA, "tables": SELECT}
ONLY = CatalogOption("only", "Catalogs or schemas to read, as `main, dev.sales`; by default all")


@dataclass(frozen=True, kw_only=True)
class UnityApi:
    """The API of one server. `only`: catalogs or schemas to read; () for all. `page_size`: 0 lets the server decide."""

    headers: Mapping[str, str] = field(repr=False)
    only: tuple[Identifier, ...] = ()
    page_size: str = "0"

    def check(self) -> Steps[None]:
        """Confirm that the address and the secret are accepted. Raises CatalogError.

        A wrong address must not look like a catalog whose schemas were dropped."""
        query = {"max_results": "1"}
        path = f"{ROOT}/catalogs"
        yield from answered(CatalogRequest(path=path, query=query, headers=self.headers, permission=USE_CATALOG))

    def listing(self, convert: Convert[ListedTable], most: int, query: Mapping[str, str]) -> Steps[TableListing]:
        """List the tables of all schemas. A catalog or schema that denies access is reported as a problem.

        `convert`: returns the entry of a table's content. `query`: what else the server is asked for."""
        tables: list[ListedTable] = []
        problems: list[str] = []
        waiting = yield from self._schemas(problems)
        while waiting and len(tables) < most:
            catalog, schema = waiting.pop()
            limits = {"catalog_name": catalog, "schema_name": schema, **query}
            page = self.items("tables", convert, query=limits, most=most - len(tables))
            tables += yield from unless_denied(page, problems)
        is_complete = not waiting and len(tables) < most and not problems
        return TableListing(tuple(dict.fromkeys(tables)), is_complete, tuple(problems))

    def table_request(self, identifier: Identifier) -> CatalogRequest:
        """Return the request of a table."""
        path = f"{ROOT}/tables/{segment(*identifier, separator='.')}"
        return CatalogRequest(path=path, headers=self.headers, permission=SELECT)

    def table(self, request: CatalogRequest) -> Steps[dict[str, Any] | None]:
        """Return the content of a table; None if it was dropped."""
        answer = yield from answered(request, also=(404,))
        return None if answer.status == 404 else expect(dict, answer.content, request, "the response")

    def items(
        self, key: str, convert: Convert[Item], *, query: Mapping[str, str], most: int = MOST_SCHEMAS
    ) -> Steps[list[Item]]:
        """Return the items of all pages; none if what contains them was dropped meanwhile."""

        def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[Item], str | None]:
            if answer.status == 404:
                return [], None
            content = expect(dict, answer.content, request, "the response")
            page = [convert(each, request) for each in entries(content, key, request)]
            return page, text(content.get("next_page_token")) or None

        page_request = self._paging(f"{ROOT}/{key}", query, PERMISSIONS[key])
        return (yield from paged(page_request, read, most=most, also=(404,) if query else ()))

    def _schemas(self, problems: list[str]) -> Steps[list[Identifier]]:
        """Return the schemas to read, the last first."""
        schemas = [each for each in self.only if len(each) == 2]
        catalogs = [each[0] for each in self.only if len(each) == 1]
        if not self.only:
            catalogs = yield from self.items("catalogs", name, query={})
        for catalog in catalogs:
            names = yield from unless_denied(self.items("schemas", name, query={"catalog_name": catalog}), problems)
            schemas += [(catalog, each) for each in names]
        return sorted(set(schemas), reverse=True)

    def _paging(self, path: str, query: Mapping[str, str], permission: str) -> Callable[[str | None], CatalogRequest]:
        """Return the function from a page's token to its request."""

        def page_request(token: str | None) -> CatalogRequest:
            page = {"max_results": self.page_size, **({"page_token": token} if token else {})}
            return CatalogRequest(path=path, query={**query, **page}, headers=self.headers, permission=permission)

        return page_request
