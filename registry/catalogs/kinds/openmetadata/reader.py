"""Read OpenMetadata, whose pages have whole tables: with owners, tags, terms, domains and keys."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treaty.registry.catalogs.kinds.answers import name, part, rows, scopes, text, unless_denied
from treaty.registry.catalogs.kinds.listed_tables import PAGE_SIZE, ListedTables, changed
from treaty.registry.catalogs.kinds.openmetadata.facts import (
    identifier_of,
    is_deleted,
    join_name,
    split_name,
    table_facts,
)
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import bearer
from treaty.registry.catalogs.model import Dropped, Identifier, ListedTable, LoadedTable, TableListing
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps, answered, expect, paged, segment

TABLES, DATABASES = "api/v1/tables", "api/v1/databases"
FIELDS = "owners,tags,columns,domains,tableConstraints,tablePartition"
MOST_DATABASES = 10_000
VIEW_TABLES = "ViewBasic on tables, which ViewAll contains"
VIEW_DATABASES = "ViewBasic on databases, if services are chosen"
# Filters by the number of parts in the name of a database or schema.
FILTERS = {2: "database", 3: "databaseSchema"}
OPTIONS = (
    CatalogOption(
        "only",
        "Services, databases or schemas to read, as `hive, trino.lake, trino.dev.sales`; by default all",
    ),
    CatalogOption("pages", "URL of the pages of OpenMetadata; by default the address"),
    PAGE_SIZE,
)


class OpenMetadataCatalog:
    """The kind of catalogs that run OpenMetadata."""

    name = "openmetadata"
    options = OPTIONS
    permissions = (VIEW_TABLES, VIEW_DATABASES)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in with the secret, which is a token, and confirm that it is accepted."""
        reader = OpenMetadataReader(
            headers=bearer(access.secret),
            only=scopes(access.options["only"], most=3, split=split_name),
            pages=(access.options["pages"] or access.address).rstrip("/"),
            page_size=access.options["page-size"],
        )
        yield from answered(reader.request(TABLES, {"limit": "1"}))
        return reader


@dataclass(frozen=True, kw_only=True)
class OpenMetadataReader:
    """An OpenMetadata server. `only`: services, databases, schemas to read; () for all. `pages`: URL of its pages."""

    headers: Mapping[str, str] = field(repr=False)
    only: tuple[Identifier, ...]
    pages: str
    page_size: str
    listed: ListedTables = field(default_factory=ListedTables, repr=False)

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more.

        The token is not `version`: that of a table does not change if an inherited owner or domain does."""
        tables: list[ListedTable] = []
        problems: list[str] = []
        waiting = yield from self._filters(problems)
        while waiting and len(tables) < most:
            page = self._tables(waiting.pop(), most - len(tables))
            # Without a choice, nothing else could be read.
            tables += yield from unless_denied(page, problems) if self.only else page
        is_complete = not waiting and len(tables) < most and not problems
        return TableListing(tuple(dict.fromkeys(tables)), is_complete, tuple(problems))

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table, without a request if the listing returned them."""
        request = self.request(f"{TABLES}/name/{segment(join_name(identifier))}", {"fields": FIELDS})
        content = self.listed.take(identifier) or (yield from _table(request))
        if content is None or is_deleted(content, request):
            return Dropped()
        return changed(table_facts(content, request, self.pages), token)

    def request(self, path: str, query: Mapping[str, str], permission: str = VIEW_TABLES) -> CatalogRequest:
        """Return a request that is authenticated."""
        return CatalogRequest(path=path, query=query, headers=self.headers, permission=permission)

    def _filters(self, problems: list[str]) -> Steps[list[dict[str, str]]]:
        """Return the filters of the listings to read, the last first. A service is read by its databases."""
        filters = [{FILTERS[len(each)]: join_name(each)} for each in self.only if len(each) in FILTERS]
        for service in (each for each in self.only if len(each) == 1):
            databases = yield from unless_denied(self._databases(service), problems)
            filters += [{"database": each} for each in databases]
        return sorted(filters, key=str, reverse=True) if self.only else [{}]

    def _databases(self, service: Identifier) -> Steps[list[str]]:
        """Return the qualified names of the databases of a service."""

        def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[str], str | None]:
            content = expect(dict, answer.content, request, "the response")
            names = [name(each, request, "fullyQualifiedName") for each in rows(content, "data", request)]
            return names, _next(content, request)

        def page_request(token: str | None) -> CatalogRequest:
            query = {"service": join_name(service), "limit": "100", **_after(token)}
            return self.request(DATABASES, query, VIEW_DATABASES)

        return (yield from paged(page_request, read, most=MOST_DATABASES, also=(404,)))

    def _tables(self, limits: Mapping[str, str], most: int) -> Steps[list[ListedTable]]:
        def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[ListedTable], str | None]:
            content = expect(dict, answer.content, request, "the response")
            return [self._entry(each, request) for each in rows(content, "data", request)], _next(content, request)

        def page_request(token: str | None) -> CatalogRequest:
            return self.request(TABLES, {**limits, "fields": FIELDS, "limit": self.page_size, **_after(token)})

        return (yield from paged(page_request, read, most=most))

    def _entry(self, content: dict[str, Any], request: CatalogRequest) -> ListedTable:
        return self.listed.add(
            identifier_of(content, request), content, lambda: table_facts(content, request, self.pages)
        )


def _table(request: CatalogRequest) -> Steps[dict[str, Any] | None]:
    """Return the content of a table; None if it was dropped."""
    answer = yield from answered(request, also=(404,))
    return None if answer.status == 404 else expect(dict, answer.content, request, "the response")


def _next(content: Mapping[str, Any], request: CatalogRequest) -> str | None:
    return text(part(content, "paging", request).get("after")) or None


def _after(token: str | None) -> dict[str, str]:
    return {"after": token} if token else {}
