"""Read Unity Catalog of Databricks, which has tags, keys and domains beyond the open-source one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from treaty.registry.catalogs.kinds.answers import entries, name, scopes, text
from treaty.registry.catalogs.kinds.listed_tables import changed
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import AUTH, sign_in
from treaty.registry.catalogs.kinds.unity.api import ONLY, ROOT, SELECT, USE_CATALOG, USE_SCHEMA, UnityApi
from treaty.registry.catalogs.kinds.unity.metadata import TableTags, Tags, identifier_of, table_facts
from treaty.registry.catalogs.model import Dropped, Identifier, ListedTable, LoadedTable, TableFacts, TableListing
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps, expect, paged, segment

DOMAINS_PATH = "api/2.0/domains"
MOST_DOMAINS = 10_000
MOST_TAGS = 1_000
MANAGE_DISCOVER = "MANAGE DISCOVER, if domains are read"
# The listing has neither keys nor tags, so that nothing of it but the names is of use.
BRIEF = {"omit_columns": "true", "omit_properties": "true"}
OPTIONS = (
    replace(AUTH, help="How to sign in: with the secret as a token, or as `ID:SECRET` of a service principal"),
    ONLY,
    CatalogOption(
        "tags",
        "Tags to read: each table costs one more request, and with those of columns one more for each column",
        default="tables",
        choices=("none", "tables", "columns"),
    ),
    CatalogOption("domains", "Whether to read domains, which are tags of tables", default="no", choices=("yes", "no")),
)


class DatabricksUnityCatalog:
    """The kind of catalogs in a Databricks workspace."""

    name = "databricks"
    options = OPTIONS
    permissions = (USE_CATALOG, USE_SCHEMA, SELECT, MANAGE_DISCOVER)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in and read the domains."""
        headers = yield from sign_in(access, token_path="oidc/v1/token", scope="all-apis")
        api = UnityApi(headers=headers, only=scopes(access.options["only"], most=2))
        yield from api.check()
        domains = (yield from _domains(headers)) if access.options["domains"] == "yes" else frozenset()
        return DatabricksReader(
            api=api,
            tags=access.options["tags"],
            domains=domains,
            pages=f"{access.address.rstrip('/')}/explore/data",
        )


@dataclass(frozen=True, kw_only=True)
class DatabricksReader:
    """A workspace. `tags`: those to read. `domains`: tags that are domains. `pages`: URL of the pages of tables."""

    api: UnityApi
    tags: str
    domains: frozenset[str]
    pages: str

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more.

        Without tokens: neither a tag nor a key changes a listing, so that each table is loaded."""
        return (yield from self.api.listing(_entry, most, BRIEF))

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table with its tags."""
        request = self.api.table_request(identifier)
        content = yield from self.api.table(request)
        if content is None:
            return Dropped()
        columns = [name(each, request) for each in entries(content, "columns", request)]
        tags = yield from self._tags(identifier, columns)
        return changed(self._described(table_facts(content, request, tags)), token)

    def _described(self, facts: TableFacts) -> TableFacts:
        """Return the facts with the domain and the page of the table."""
        domain = next((each for each in facts.tags if each in self.domains), None)
        return replace(facts, domain=domain, link=f"{self.pages}/{'/'.join(map(segment, facts.identifier))}")

    def _tags(self, identifier: Identifier, columns: list[str]) -> Steps[TableTags]:
        table = (yield from self._assigned("tables", identifier)) if self.tags != "none" else {}
        by_column: dict[str, Tags] = {}
        for each in columns if self.tags == "columns" else ():
            by_column[each] = yield from self._assigned("columns", (*identifier, each))
        return TableTags(table, by_column)

    def _assigned(self, entity: str, identifier: Identifier) -> Steps[dict[str, str | None]]:
        """Return the tags of a table or column; none if it was dropped meanwhile."""
        path = f"{ROOT}/entity-tag-assignments/{entity}/{segment(*identifier, separator='.')}/tags"

        def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[tuple[str, str | None]], str | None]:
            content, following = _page(answer, request)
            pages = entries(content, "tag_assignments", request)
            return [(name(each, request, "tag_key"), text(each.get("tag_value")) or None) for each in pages], following

        def page_request(token: str | None) -> CatalogRequest:
            return CatalogRequest(path=path, query=_next(token), headers=self.api.headers, permission=SELECT)

        return dict((yield from paged(page_request, read, most=MOST_TAGS, also=(404,))))


def _entry(content: dict[str, Any], request: CatalogRequest) -> ListedTable:
    return ListedTable(identifier_of(content, request))


def _domains(headers: Mapping[str, str]) -> Steps[frozenset[str]]:
    """Return the keys of the tags that are domains."""

    def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[str], str | None]:
        content, following = _page(answer, request)
        return [name(each, request, "tag_key") for each in entries(content, "domains", request)], following

    def page_request(token: str | None) -> CatalogRequest:
        return CatalogRequest(path=DOMAINS_PATH, query=_next(token), headers=headers, permission=MANAGE_DISCOVER)

    return frozenset((yield from paged(page_request, read, most=MOST_DOMAINS)))


def _page(answer: CatalogAnswer, request: CatalogRequest) -> tuple[dict[str, Any], str | None]:
    """Return the content of a page and the token of the next; nothing for what was dropped."""
    content = {} if answer.status == 404 else expect(dict, answer.content, request, "the response")
    return content, text(content.get("next_page_token")) or None


def _next(token: str | None) -> dict[str, str]:
    return {"page_token": token} if token else {}
