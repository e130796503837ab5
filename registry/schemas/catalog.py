"""Models of the contract search."""

from datetime import datetime
from uuid import UUID

from treaty.engine.core.results import Verdict
from treaty.registry.schemas.base import ApiModel, Page


class RecentRunOut(ApiModel):
    """A recent run of a contract, for any of its tables."""

    id: UUID
    verdict: Verdict
    finished_at: datetime


class CatalogItemOut(ApiModel):
    """A contract found by the search.

    The content is that of the version in force, or of the proposed document if `state` is `proposed`.

    - `objects`: tables of the contract.
    - `description`: beginning of the description; null if there is none.
    - `recent`: recent runs that the caller may read, oldest first.
    - `domain`: business domain of the contract; null if there is none."""

    id: str
    name: str
    owner: str
    state: str
    version: str | None
    domain: str | None
    tags: tuple[str, ...]
    objects: tuple[str, ...]
    description: str | None
    recent: tuple[RecentRunOut, ...] = ()


class FacetOut(ApiModel):
    """Number of matching contracts with this label.

    - `count`: number of matching contracts."""

    value: str
    count: int


class CatalogPageOut(Page[CatalogItemOut]):
    """A page of search results, best match first.

    - `total`: number of all matches.
    - `facets`: number of matches by owner, domain, tag and state."""

    total: int
    facets: dict[str, tuple[FacetOut, ...]]
