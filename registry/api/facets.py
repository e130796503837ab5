"""The schemas of the facets that are this service's own, for whoever reads an event: they hold no secret."""

from typing import Any

from fastapi import APIRouter, Request, Response

from contracts.fingerprint import canonical
from registry.errors import NotFound

router = APIRouter(prefix="/lineage/facets", tags=["lineage"])
MEDIA_TYPE = "application/schema+json"


@router.get("/{version}/{name}.json", response_class=Response)
def facet(version: str, name: str, request: Request) -> Response:
    """The JSON Schema of a facet in that version."""
    from registry.lineage import emitted

    if (version, name) != (emitted.FACET_VERSION, emitted.FACET):
        raise NotFound
    where = str(request.url.replace(query=""))
    schema: dict[str, Any] = {"$id": where, **emitted.facet_schema()}
    return Response(canonical(schema), media_type=MEDIA_TYPE)
