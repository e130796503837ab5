"""Routes of the contract search."""

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import Depends, Query
from sqlmodel import col

from treaty.registry import schemas
from treaty.registry.access import authentication, visibility
from treaty.registry.api.http.admission import admission_router
from treaty.registry.api.http.dependencies import Caller, Paging, Reader
from treaty.registry.browse import contract_list, search
from treaty.registry.browse.contract_list import RecentVerdict
from treaty.registry.browse.search import SearchQuery, SearchResult
from treaty.registry.contracts import subscriptions
from treaty.registry.core.bounded_values import LookupText
from treaty.registry.core.enums import LabelKind, Permission
from treaty.registry.tables import SearchEntryRow

router = admission_router(tags=["catalog"])
Words = Annotated[
    LookupText,
    Query(max_length=500, description="Words to search for in names, columns, descriptions, owners and datasets"),
]
Label = Annotated[LookupText | None, Query(max_length=200, description="A value of the facet with this name")]


Subscribed = Annotated[bool, Query(description="Only contracts that the caller or one of their teams subscribes to")]


def search_query(
    q: Words = "", owner: Label = None, domain: Label = None, tag: Label = None, state: Label = None
) -> SearchQuery:
    """Return the search query of the request."""
    labels = dict(zip(LabelKind, (owner, domain, tag, state), strict=True))
    return SearchQuery(q, {kind: value for kind, value in labels.items() if value is not None})


@router.get("/catalog")
def find_contracts(
    by: Caller,
    tx: Reader,
    paging: Paging,
    of: Annotated[SearchQuery, Depends(search_query)],
    *,
    subscribed: Subscribed = False,
) -> schemas.CatalogPageOut:
    """Search contracts that contain all words, best match first.

    The last word matches as a prefix. Without words, all contracts are listed by id."""
    authentication.require_permission_anywhere(by, Permission.READ)
    readable = visibility.entries(by)
    if subscribed:
        readable &= col(SearchEntryRow.contract_id).in_(subscriptions.contracts(by))
    result = search.find(tx, of, paging, readable=readable)
    return _page(result, contract_list.recent(tx, [each.contract_id for each in result.portion.rows], by))


def _page(result: SearchResult, recent: Mapping[str, Sequence[RecentVerdict]]) -> schemas.CatalogPageOut:
    facets = {
        kind.value: tuple(schemas.FacetOut(value=value, count=count) for value, count in counts)
        for kind, counts in result.facets.items()
    }
    items = tuple(_item(each, recent.get(each.contract_id, ())) for each in result.portion.rows)
    return schemas.CatalogPageOut(items=items, next=result.portion.next, total=result.total, facets=facets)


def _item(row: SearchEntryRow, recent: Sequence[RecentVerdict]) -> schemas.CatalogItemOut:
    runs = tuple(map(schemas.RecentRunOut.model_validate, recent))
    return schemas.CatalogItemOut(id=row.contract_id, **row.summary, recent=runs)
