"""Read catalogs that implement the REST specification of Iceberg, such as Polaris and Unity Catalog."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import unquote

from treaty.registry.catalogs.kinds.answers import dotted, unless_denied, words
from treaty.registry.catalogs.kinds.iceberg.metadata import table_facts
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import AUTH, sign_in
from treaty.registry.catalogs.model import (
    Dropped,
    Identifier,
    ListedTable,
    LoadedTable,
    TableListing,
    Unchanged,
)
from treaty.registry.catalogs.requests import (
    CatalogAnswer,
    CatalogRequest,
    Steps,
    answered,
    expect,
    paged,
    segment,
)

Item = TypeVar("Item")
Page = tuple[list[Item], str | None]
PAGE_SIZE = "1000"
DEEPEST = 20
MOST_NAMESPACES = 100_000
SEPARATOR = "%1F"
LIST_NAMESPACES = "list namespaces (in Polaris NAMESPACE_LIST)"
LIST_TABLES = "list tables (in Polaris TABLE_LIST)"
LOAD_TABLE = "read the metadata of tables (in Polaris TABLE_READ_PROPERTIES)"
OPTIONS = (
    CatalogOption("warehouse", "Warehouse, where the service has several"),
    AUTH,
    CatalogOption("oauth2-server-uri", "URL that issues tokens; by default that of the catalog itself"),
    CatalogOption("scope", "Scope of the OAuth 2 token", default="catalog"),
    CatalogOption("only", "Namespaces to read, comma-separated, with those below them; by default all"),
    CatalogOption("nested", "Whether to read namespaces within namespaces", default="yes", choices=("yes", "no")),
)


class IcebergRest:
    """The kind of catalogs that implement the REST specification of Iceberg."""

    name = "iceberg"
    options = OPTIONS
    permissions = (LIST_NAMESPACES, LIST_TABLES, LOAD_TABLE)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in and read the configuration.

        An address or a token server that the configuration names is ignored: it could receive the secret."""
        token_path = access.options["oauth2-server-uri"] or "v1/oauth/tokens"
        headers = yield from sign_in(access, token_path=token_path, scope=access.options["scope"], in_form=True)
        warehouse = access.options["warehouse"]
        query = {"warehouse": warehouse} if warehouse else {}
        request = CatalogRequest(path="v1/config", query=query, headers=headers, permission="access to the warehouse")
        answer = yield from answered(request)
        settings = _settings(expect(dict, answer.content, request, "the response"))
        return IcebergReader(
            prefix="/".join(("v1", *filter(None, settings.get("prefix", "").split("/")))),
            headers=headers,
            separator=settings.get("namespace-separator") or SEPARATOR,
            only=tuple(map(dotted, words(access.options["only"]))),
            nested=access.options["nested"] == "yes",
        )


@dataclass(frozen=True, kw_only=True)
class IcebergReader:
    """An Iceberg REST catalog. `only`: namespaces to read; () for all.

    `separator`: between the parts of a namespace in paths; queries have what it stands for."""

    prefix: str
    headers: Mapping[str, str] = field(repr=False)
    separator: str = SEPARATOR
    only: tuple[Identifier, ...] = ()
    nested: bool = True

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more. A namespace that denies access is reported as a problem."""
        tables: list[ListedTable] = []
        problems: list[str] = []
        waiting = list(reversed(self.only)) if self.only else (yield from self._namespaces(()))
        visited = set(waiting)
        while waiting and len(tables) < most:
            namespace = waiting.pop()
            tables += yield from unless_denied(self._tables(namespace, most - len(tables)), problems)
            below = self._namespaces(namespace) if self.nested and len(namespace) < DEEPEST else None
            children = (yield from unless_denied(below, problems)) if below else []
            waiting += [each for each in children if each not in visited]
            visited |= set(children)
        is_complete = not waiting and len(tables) < most and not problems
        return TableListing(tuple(dict.fromkeys(tables)), is_complete, tuple(problems))

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table."""
        condition = {"If-None-Match": token} if '"' in token else {}
        *namespace, name = identifier
        request = CatalogRequest(
            path=f"{self._path(tuple(namespace))}/tables/{segment(name)}",
            query={"snapshots": "refs"},
            headers={**self.headers, **condition},
            permission=LOAD_TABLE,
        )
        answer = yield from answered(request, also=(304, 404))
        if answer.status in {304, 404}:
            return Unchanged() if answer.status == 304 else Dropped()
        content = expect(dict, answer.content, request, "the response")
        current = answer.headers.get("etag") or str(content.get("metadata-location") or "")
        if token and token == current:
            return Unchanged()
        return replace(table_facts(identifier, content, request), token=current)

    def _namespaces(self, parent: Identifier) -> Steps[list[Identifier]]:
        """Return the namespaces directly below one, the last first; none if it was dropped meanwhile."""
        query = {"parent": unquote(self.separator).join(parent)} if parent else {}

        def read(answer: CatalogAnswer, request: CatalogRequest) -> Page[Identifier]:
            items = _items(answer, request, "namespaces")
            return [_namespace(each, request) for each in items], _next(answer)

        path = f"{self.prefix}/namespaces"
        page_request = self._paging(path, query, LIST_NAMESPACES)
        namespaces = yield from paged(page_request, read, most=MOST_NAMESPACES, also=(404,) if parent else ())
        # A server without nested namespaces may ignore the parent.
        below = (each for each in namespaces if len(each) > len(parent) and each[: len(parent)] == parent)
        return sorted(below, reverse=True)

    def _tables(self, namespace: Identifier, most: int) -> Steps[list[ListedTable]]:
        def read(answer: CatalogAnswer, request: CatalogRequest) -> Page[ListedTable]:
            items = (expect(dict, each, request, "a table") for each in _items(answer, request, "identifiers"))
            names = (expect(str, each.get("name"), request, "the name of a table") for each in items)
            return [ListedTable((*namespace, name)) for name in names], _next(answer)

        page_request = self._paging(f"{self._path(namespace)}/tables", {}, LIST_TABLES)
        tables = yield from paged(page_request, read, most=most, also=(404,))
        return tables

    def _paging(self, path: str, query: Mapping[str, str], permission: str) -> Callable[[str | None], CatalogRequest]:
        """Return the function from a page's token to its request."""

        def page_request(token: str | None) -> CatalogRequest:
            paging = {"pageToken": token or "", "pageSize": PAGE_SIZE}
            return CatalogRequest(path=path, query={**query, **paging}, headers=self.headers, permission=permission)

        return page_request

    def _path(self, namespace: Identifier) -> str:
        return f"{self.prefix}/namespaces/{segment(*namespace, separator=self.separator)}"


def _settings(content: Mapping[str, Any]) -> dict[str, str]:
    """Return the settings of the server: its overrides take precedence."""
    parts = (content.get("defaults"), content.get("overrides"))
    return {name: str(value) for part in parts if isinstance(part, dict) for name, value in part.items()}


def _items(answer: CatalogAnswer, request: CatalogRequest, key: str) -> list[Any]:
    """Return the items of a page; none if its namespace was dropped meanwhile."""
    if answer.status == 404:
        return []
    content = expect(dict, answer.content, request, "the response")
    return expect(list, content.get(key), request, key)


def _namespace(content: Any, request: CatalogRequest) -> Identifier:
    return tuple(expect(str, each, request, "a namespace") for each in expect(list, content, request, "a namespace"))


def _next(answer: CatalogAnswer) -> str | None:
    token = answer.content.get("next-page-token") if isinstance(answer.content, dict) else None
    return str(token) if token else None
