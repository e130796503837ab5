"""Routes of the catalog: everything that there is, and what of it somebody looks for."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from registry import access, scope, search
from registry.api import schemas
from registry.api.dependencies import Caller, Paging, Reader
from registry.search import Found, Wanted
from registry.tables import SearchEntry
from registry.words import LabelKind, Permission

router = APIRouter(tags=["catalog"])
Words = Annotated[str, Query(max_length=500, description="words of names, columns, descriptions, owners, datasets")]
Label = Annotated[str | None, Query(max_length=200, description="as `facets` has it")]


def wanted(q: Words = "", owner: Label = None, domain: Label = None, tag: Label = None, state: Label = None) -> Wanted:
    """What the request looks for."""
    given = dict(zip(LabelKind, (owner, domain, tag, state), strict=True))
    return Wanted(q, {kind: value for kind, value in given.items() if value is not None})


@router.get("/catalog")
def find_contracts(
    by: Caller, tx: Reader, asked: Paging, of: Annotated[Wanted, Depends(wanted)]
) -> schemas.CatalogPage:
    """Contracts that have all words, the last of which may be a beginning; best first. Without words, all by id."""
    access.decide_somewhere(by, Permission.READ)
    return _page(search.find(tx, of, asked, readable=scope.entries(by)))


def _page(found: Found) -> schemas.CatalogPage:
    facets = {
        kind.value: tuple(schemas.FacetOut(value=value, count=count) for value, count in counts)
        for kind, counts in found.facets.items()
    }
    items = tuple(map(_item, found.portion.rows))
    return schemas.CatalogPage(items=items, next=found.portion.next, total=found.total, facets=facets)


def _item(row: SearchEntry) -> schemas.CatalogItem:
    return schemas.CatalogItem(id=row.contract_id, **row.shown)
