"""Read DataHub over its OpenAPI v3, which returns pages of datasets with their aspects.

A request brings a page of whole datasets, with aspects as they are stored. GraphQL needs a selection of each field of
each aspect, and a server of another version refuses a query with one that it does not have."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from treaty.registry.catalogs.errors import CatalogPermissionMissing
from treaty.registry.catalogs.kinds.answers import name, part, rows, scopes, text
from treaty.registry.catalogs.kinds.datahub.facts import ASPECTS, DatasetAspects
from treaty.registry.catalogs.kinds.datahub.names import dataset_urn, identifier_of
from treaty.registry.catalogs.kinds.listed_tables import PAGE_SIZE, ListedTables, changed
from treaty.registry.catalogs.kinds.protocol import CatalogAccess, CatalogOption, CatalogReader
from treaty.registry.catalogs.kinds.sign_in import bearer
from treaty.registry.catalogs.model import Dropped, Identifier, ListedTable, LoadedTable, TableListing
from treaty.registry.catalogs.requests import CatalogAnswer, CatalogRequest, Steps, answered, expect, paged

Item = TypeVar("Item")
ROOT = "openapi/v3/entity"
READ = "View Entity Page on datasets"
READ_NAMES = "View Entity Page on domains, glossary terms and tags, for their names"
# Kinds of entities whose URNs may be random, and the aspect that has their name.
NAMED = {"domain": "domainProperties", "glossaryTerm": "glossaryTermInfo", "tag": "tagProperties"}
MOST_NAMES = 20_000
NAMES_PAGE = "500"
OPTIONS = (
    CatalogOption("only", "Platforms to read, with or without an environment, as `hive, s3.PROD`; by default all"),
    CatalogOption("pages", "URL of the pages of DataHub, to link to; by default there are no links"),
    PAGE_SIZE,
)


class DataHubCatalog:
    """The kind of catalogs that run DataHub. The address is that of its metadata service."""

    name = "datahub"
    options = OPTIONS
    permissions = (READ, READ_NAMES)

    def open(self, access: CatalogAccess) -> Steps[CatalogReader]:
        """Sign in with an access token and read the names of domains, terms and tags."""
        headers = bearer(access.secret)
        labels: dict[str, str] = {}
        for kind, aspect in NAMED.items():
            labels |= yield from _labels(kind, aspect, headers)
        return DataHubReader(
            headers=headers,
            only=scopes(access.options["only"], most=2),
            page_size=access.options["page-size"],
            pages=access.options["pages"].rstrip("/"),
            labels=labels,
        )


@dataclass(frozen=True, kw_only=True)
class DataHubReader:
    """A DataHub. `only`: platforms and environments to read; () for all. `labels`: names by URN."""

    headers: Mapping[str, str] = field(repr=False)
    only: tuple[Identifier, ...]
    page_size: str
    pages: str
    labels: Mapping[str, str] = field(repr=False)
    listed: ListedTables = field(default_factory=ListedTables, repr=False)

    def listing(self, most: int) -> Steps[TableListing]:
        """List datasets, until there are `most` or more.

        No aspect has a version for all of them, so that the token is the fingerprint of the facts."""
        odd: list[str] = []

        def convert(content: dict[str, Any], request: CatalogRequest) -> Iterable[ListedTable]:
            return self._entry(content, request, odd)

        pages = _scroll("dataset", ASPECTS, self.headers, self.page_size, READ)
        tables = yield from paged(pages, _reading(convert), most=most)
        problems = (f"{len(odd):,} datasets have URNs that this version does not read",) if odd else ()
        return TableListing(tuple(dict.fromkeys(tables)), len(tables) < most and not odd, problems)

    def load(self, identifier: Identifier, token: str) -> Steps[LoadedTable]:
        """Return the facts of a dataset, without a request if the listing returned them."""
        request = self._request(identifier)
        content = self.listed.take(identifier) or (yield from _entity(request))
        aspects = self._aspects(identifier, content, request)
        return changed(aspects.facts(), token) if aspects.is_stated else Dropped()

    def _entry(self, content: dict[str, Any], request: CatalogRequest, odd: list[str]) -> Iterable[ListedTable]:
        """Yield the entry of a dataset that is chosen, if anything is stated about it."""
        urn = name(content, request, "urn")
        identifier = identifier_of(urn)
        if identifier is None:
            odd.append(urn)
        elif not self.only or identifier[:1] in self.only or identifier[:2] in self.only:
            aspects = self._aspects(identifier, content, request)
            if aspects.is_stated:
                yield self.listed.add(identifier, content, aspects.facts)

    def _aspects(self, identifier: Identifier, content: dict[str, Any], request: CatalogRequest) -> DatasetAspects:
        return DatasetAspects(
            identifier=identifier, content=content, request=request, labels=self.labels, pages=self.pages
        )

    def _request(self, identifier: Identifier) -> CatalogRequest:
        """Return the request of a dataset. Its name is in the body, because servers refuse some names in paths."""
        body = {"urn": dataset_urn(identifier), **{each: dict[str, str]() for each in ASPECTS}}
        return CatalogRequest(
            method="POST",
            path=f"{ROOT}/dataset/batchGet",
            headers={**self.headers, "Content-Type": "application/json"},
            body=json.dumps([body]).encode(),
            permission=READ,
        )


def _entity(request: CatalogRequest) -> Steps[dict[str, Any]]:
    """Return the dataset of the request; {} if there is none."""
    answer = yield from answered(request, also=(404,))
    found_entities = [] if answer.status == 404 else expect(list, answer.content, request, "the response")
    return expect(dict, next(iter(found_entities), {}), request, "the dataset")


def _labels(kind: str, aspect: str, headers: Mapping[str, str]) -> Steps[dict[str, str]]:
    """Return the names of domains, terms or tags by URN; none if access is denied: they are identified by URN then."""

    def convert(content: dict[str, Any], request: CatalogRequest) -> Iterable[tuple[str, str]]:
        value = part(part(content, aspect, request), "value", request)
        yield name(content, request, "urn"), text(value.get("name"))

    pages = _scroll(kind, (aspect,), headers, NAMES_PAGE, READ_NAMES)
    try:
        return dict((yield from paged(pages, _reading(convert), most=MOST_NAMES)))
    except CatalogPermissionMissing:
        return {}


def _scroll(
    kind: str, aspects: Iterable[str], headers: Mapping[str, str], size: str, permission: str
) -> Callable[[str | None], CatalogRequest]:
    """Return the function from a page's token to its request."""

    def page_request(token: str | None) -> CatalogRequest:
        query = {"aspectNames": ",".join(aspects), "count": size, **({"scrollId": token} if token else {})}
        return CatalogRequest(path=f"{ROOT}/{kind}", query=query, headers=headers, permission=permission)

    return page_request


def _reading(
    convert: Callable[[dict[str, Any], CatalogRequest], Iterable[Item]],
) -> Callable[[CatalogAnswer, CatalogRequest], tuple[list[Item], str | None]]:
    """Return the function from a page to its items and the token of the next."""

    def read(answer: CatalogAnswer, request: CatalogRequest) -> tuple[list[Item], str | None]:
        content = expect(dict, answer.content, request, "the response")
        items = [item for each in rows(content, "entities", request) for item in convert(each, request)]
        return items, text(content.get("scrollId")) or None

    return read
