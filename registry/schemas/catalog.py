"""The catalog, as the API gives it: contracts that were found, and what there is to choose from."""

from datetime import datetime
from uuid import UUID

from treaty.engine.core.results import Verdict
from treaty.registry.schemas.base import ApiModel, Page


class RecentRunOut(ApiModel):
    """One of the last runs of a contract, of whichever of its tables."""

    id: UUID
    verdict: Verdict
    finished_at: datetime


class CatalogItemOut(ApiModel):
    """A contract that was found: what its version in force says, or `state` proposed: what is proposed to be it.

    `objects` are its tables; `description` the beginning of what it says of itself; `recent` its last runs, as far as
    they may be read, the newest last."""

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
    """How many of all that were found have this word."""

    value: str
    count: int


class CatalogPageOut(Page[CatalogItemOut]):
    """What was found, best first: `total` in all, and how many of them have which owner, domain, tag and state."""

    total: int
    facets: dict[str, tuple[FacetOut, ...]]
