"""Read Gravitino: metalakes, catalogs, schemas and tables, with owners and tags."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from treaty.registry.catalogs.errors import CatalogPermissionMissing
from treaty.registry.catalogs.kinds.answers import entries, name, part, rows, scopes, text, texts, unless_denied
from treaty.registry.catalogs.kinds.gravitino.facts import TagIndex, table_facts
from treaty.registry.catalogs.kinds.listed_tables import changed
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import BEARER, OAUTH2, basic, sign_in, split_secret
from treaty.registry.catalogs.model import Dropped, Identifier, ListedTable, LoadedTable, TableListing
from treaty.registry.catalogs.requests import CatalogRequest, Steps, answered, expect, segment

ROOT = "api/metalakes"
ACCEPT = {"Accept": "application/vnd.gravitino.v1+json"}
BASIC, SIMPLE = "basic", "simple"
USE_CATALOG = "USE_CATALOG on the catalogs to read"
USE_SCHEMA = "USE_SCHEMA on their schemas"
SELECT_TABLE = "SELECT_TABLE on their tables"
# A server leaves out tags for which this is missing, without an error.
READ_TAGS = "APPLY_TAG on the metalake, if tags are read"
# Levels below a metalake, with the permission that listing one needs.
LEVELS = (("catalogs", USE_CATALOG), ("schemas", USE_SCHEMA), ("tables", SELECT_TABLE))
MOST_TAGS = 2_000
# A metalake or catalog that is disabled is not dropped.
NOT_IN_USE = 409
# A server without authorization has no owners.
NO_OWNER = (404, 405)
OPTIONS = (
    CatalogOption(
        "auth",
        "How to sign in: with the secret as a bearer token, as `ID:SECRET` of an OAuth 2 client, as `USER:PASSWORD`, "
        "or as the name of a user without a password",
        default=BEARER,
        choices=(BEARER, OAUTH2, BASIC, SIMPLE),
    ),
    CatalogOption("oauth2-server-uri", "URL at which the OAuth 2 server issues tokens"),
    CatalogOption("scope", "Scope of the OAuth 2 token"),
    CatalogOption(
        "only", "Metalakes, catalogs or schemas to read, as `prod, dev.hive, dev.lake.sales`; by default all"
    ),
    CatalogOption(
        "owners",
        "Whether to read owners, which a server without authorization does not have: one more request for each table",
        default="yes",
        choices=("yes", "no"),
    ),
    CatalogOption(
        "tags",
        f"Whether to read tags: one request for each, of at most {MOST_TAGS:,}",
        default="yes",
        choices=("yes", "no"),
    ),
)


class GravitinoCatalog:
    """The kind of catalogs that run Gravitino."""

    name = "gravitino"
    options = OPTIONS
    permissions = (USE_CATALOG, USE_SCHEMA, SELECT_TABLE, READ_TAGS)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in and confirm that the address and the secret are accepted."""
        headers = {**(yield from _sign_in(access)), **ACCEPT}
        yield from answered(CatalogRequest(path=ROOT, headers=headers))
        return GravitinoReader(
            headers=headers,
            only=scopes(access.options["only"], most=3),
            has_owners=access.options["owners"] == "yes",
            has_tags=access.options["tags"] == "yes",
        )


@dataclass(frozen=True, kw_only=True)
class GravitinoReader:
    """A Gravitino server. `only`: metalakes, catalogs and schemas to read; () for all.

    `has_owners`, `has_tags`: whether to read them. `tags`: those that were read, by metalake."""

    headers: Mapping[str, str] = field(repr=False)
    only: tuple[Identifier, ...]
    has_owners: bool
    has_tags: bool
    tags: dict[str, TagIndex] = field(default_factory=dict, repr=False)

    def listing(self, most: int) -> Steps[TableListing]:
        """List tables, until there are `most` or more. What denies access is reported as a problem.

        Without tokens: a listing has only names, and the time of the last change of a table does not change with its
        owner or tags, so that each table is loaded."""
        tables: list[ListedTable] = []
        problems: list[str] = []
        waiting = sorted(self.only or (yield from self._metalakes()), reverse=True)
        visited: set[Identifier] = set()
        while waiting and len(tables) < most:
            parent = waiting.pop()
            if parent in visited:
                continue
            visited.add(parent)
            names = yield from unless_denied(self._children(parent), problems)
            if len(parent) == len(LEVELS):
                tables += map(ListedTable, names)
            else:
                waiting += reversed(names)
        is_complete = not waiting and len(tables) < most and not problems
        return TableListing(tuple(dict.fromkeys(tables)), is_complete, tuple(problems))

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a table with its owner and tags."""
        request = self._request(_path(identifier), SELECT_TABLE)
        answer = yield from answered(request, also=(404,))
        if answer.status == 404:
            return Dropped()
        response = expect(dict, answer.content, request, "the response")
        content = expect(dict, response.get("table"), request, "table")
        owners = (yield from self._owners(identifier)) if self.has_owners else ()
        tags = (yield from self._tags(identifier[0])) if self.has_tags else TagIndex()
        return changed(table_facts(identifier, content, request, tags, owners), token)

    def _request(self, path: str, permission: str, **query: str) -> CatalogRequest:
        return CatalogRequest(path=path, query=query, headers=self.headers, permission=permission)

    def _metalakes(self) -> Steps[list[Identifier]]:
        request = self._request(ROOT, "membership of the metalakes to read")
        answer = yield from answered(request)
        content = expect(dict, answer.content, request, "the response")
        return [(name(each, request),) for each in rows(content, "metalakes", request)]

    def _children(self, parent: Identifier) -> Steps[list[Identifier]]:
        """Return the objects directly below, without catalogs of files; none if the parent was dropped."""
        level, permission = LEVELS[len(parent) - 1]
        request = self._request(
            f"{_path(parent)}/{level}", permission, **({"details": "true"} if len(parent) == 1 else {})
        )
        answer = yield from answered(request, also=(404, NOT_IN_USE))
        if answer.status == 404:
            return []
        if answer.status == NOT_IN_USE:
            raise CatalogPermissionMissing(f"{request}: status {NOT_IN_USE}. {parent[-1]} is not in use.")
        content = expect(dict, answer.content, request, "the response")
        children = rows(content, "catalogs" if len(parent) == 1 else "identifiers", request)
        return [(*parent, name(each, request)) for each in children if _has_tables(each)]

    def _owners(self, identifier: Identifier) -> Steps[tuple[str, ...]]:
        metalake, *names = identifier
        path = f"{ROOT}/{segment(metalake)}/owners/table/{segment(*names, separator='.')}"
        request = self._request(path, SELECT_TABLE)
        answer = yield from answered(request, also=NO_OWNER)
        if answer.status in NO_OWNER:
            return ()
        owner = part(expect(dict, answer.content, request, "the response"), "owner", request)
        return (name(owner, request),) if owner else ()

    def _tags(self, metalake: str) -> Steps[TagIndex]:
        """Return the tags of a metalake: by tag, because each column would cost a request otherwise."""
        if metalake not in self.tags:
            self.tags[metalake] = yield from self._tag_index(metalake)
        return self.tags[metalake]

    def _tag_index(self, metalake: str) -> Steps[TagIndex]:
        path = f"{ROOT}/{segment(metalake)}/tags"
        request = self._request(path, READ_TAGS)
        answer = yield from answered(request, also=(404,))
        content = {} if answer.status == 404 else expect(dict, answer.content, request, "the response")
        index: dict[str, list[str]] = {}
        for tag in sorted(texts(content.get("names"), request, "names"))[:MOST_TAGS]:
            for tagged in (yield from self._tagged(f"{path}/{segment(tag)}/objects")):
                index.setdefault(tagged, []).append(tag)
        return TagIndex(index)

    def _tagged(self, path: str) -> Steps[list[str]]:
        """Return the names of what has a tag; none if it was deleted meanwhile."""
        request = self._request(path, READ_TAGS)
        answer = yield from answered(request, also=(404,))
        content = {} if answer.status == 404 else expect(dict, answer.content, request, "the response")
        return [name(each, request, "fullName") for each in entries(content, "metadataObjects", request)]


def _sign_in(access: CatalogAccess) -> Steps[dict[str, str]]:
    """Return the headers that authenticate requests; {} without a secret."""
    auth, options = access.options["auth"], access.options
    if not access.secret:
        return {}
    if auth == SIMPLE:
        # The server reads the name alone.
        return basic(access.secret, "dummy")
    if auth == BASIC:
        return basic(*split_secret(access))
    return (yield from sign_in(access, token_path=options["oauth2-server-uri"], scope=options["scope"], in_form=True))


def _path(identifier: Identifier) -> str:
    """Return the path of a metalake, catalog, schema or table."""
    levels = ("metalakes", *(level for level, _ in LEVELS))
    return "/".join(("api", *(f"{level}/{segment(each)}" for level, each in zip(levels, identifier, strict=False))))


def _has_tables(content: Mapping[str, Any]) -> bool:
    """Return whether it is no catalog of files, messages or models."""
    return text(content.get("type")).upper() in {"", "RELATIONAL"}
